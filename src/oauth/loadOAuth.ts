import { createRequire } from 'node:module';
import type { OAuthServer } from './oauthServer.ts';

type OAuthModule = { readonly OAuthServer: Pick<typeof OAuthServer, 'discover'> };

/** Loads what talks OAuth, when somebody signs in. @param bundle the absolute path of `dist/oauth.cjs` */
export function loadOAuth(bundle: string): OAuthModule['OAuthServer'] {
  const loaded: unknown = createRequire(bundle)(bundle);
  if (typeof loaded === 'object' && loaded !== null && 'OAuthServer' in loaded)
    return (loaded as OAuthModule).OAuthServer;
  throw new Error('The installation of Switchboard is damaged: its sign-in part is not readable. Install it again.');
}
