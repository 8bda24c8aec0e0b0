import { createRequire } from 'node:module';
import type { OAuthServer } from '../oauth/oauthServer.ts';
import type { signInTo } from './signInFlow.ts';

export interface OAuthModule {
  readonly OAuthServer: Pick<typeof OAuthServer, 'discover'>;
  readonly signInTo: typeof signInTo;
}

/** Loads what talks OAuth, when somebody signs in. @param bundle the absolute path of `dist/oauth.cjs` */
export function loadOAuth(bundle: string): OAuthModule {
  const loaded: unknown = createRequire(bundle)(bundle);
  if (typeof loaded === 'object' && loaded !== null && 'OAuthServer' in loaded && 'signInTo' in loaded)
    return loaded as OAuthModule;
  throw new Error('The installation of Switchboard is damaged: its sign-in part is not readable. Install it again.');
}
