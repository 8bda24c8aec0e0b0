import { sealerFor } from '../../../platform/seal.ts';
import type { CallerResolver } from '../../auth/resolve.ts';
import type { Backends } from '../../backends/backends.ts';
import { smallFetch } from '../../backends/net/smallFetch.ts';
import type { GatewayOptions } from '../../options.ts';
import type { GatewayStore } from '../../storage/store.ts';
import type { PageCookies, PeopleSignIn, SignInRoutes } from './contract.ts';

interface Parts {
  readonly store: GatewayStore;
  readonly callers: CallerResolver;
  readonly backends: Pick<Backends, 'pool'>;
}

/** Loads what signs people in when the first of them comes. @returns `undefined` where no identity provider is configured */
export function signInOnUse(
  { signIn: options, runtime, secret }: GatewayOptions,
  { store, callers, backends }: Parts,
  cookies: PageCookies,
): PeopleSignIn | undefined {
  if (!options) return undefined;
  const target = {
    id: 'identity provider',
    name: 'the identity provider',
    allowPrivate: options.allow_private_network,
  };
  let loading: Promise<SignInRoutes> | undefined;
  const load = () =>
    (loading ??= import('./signIn.ts').then(({ openSignIn }) =>
      openSignIn({
        ...runtime,
        options,
        store,
        callers,
        fetch: smallFetch(backends.pool, target, runtime.timers),
        sealer: sealerFor(secret, 'page sign-ins'),
        cookies,
      }),
    ));
  return {
    name: options.name,
    allowsKeys: options.key_sign_in,
    begin: async (request, context) => (await load()).begin(request, context),
    callback: async (request, context) => (await load()).callback(request, context),
    backChannelLogout: async (request) => (await load()).backChannelLogout(request),
    callerOf: async (session, identity) => (await load()).callerOf(session, identity),
    end: async (context) => (await load()).end(context),
  };
}
