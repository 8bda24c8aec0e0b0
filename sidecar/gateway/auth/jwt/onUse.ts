import type { ConfigJwtIssuer } from '../../../protocol/gateway/config/jwt.ts';
import type { Backends } from '../../backends/backends.ts';
import type { Caller } from '../caller.ts';
import type { Identity } from '../identity.ts';
import type { JwtCallers, JwtCallersDeps } from './jwtCallers.ts';
import type { FetchJson } from './keySets.ts';

/** Callers who send a token of an identity provider instead of a virtual key. */
export interface TokenCallers {
  /** Whether a credential has the form of such a token, good or not. No virtual key has. */
  isToken(credential: string): boolean;
  /** As {@link JwtCallers.callerOf}. */
  callerOf(token: string, identity: Identity, from: string): Caller | Promise<Caller>;
}

interface OnUseDeps extends Omit<JwtCallersDeps, 'issuers' | 'fetchJson'> {
  readonly backends: Pick<Backends, 'fetchJson'>;
}

/** Header and claims in JSON, and the signature, which a token without one leaves empty (RFC 7519, 3). */
const COMPACT = /^eyJ[\w-]*\.eyJ[\w-]*\.[\w-]*$/;

/** Loads the library with the first token, so that a gateway starts sooner. @returns `undefined` where no issuer is configured */
export function jwtCallersOnUse(
  issuers: readonly ConfigJwtIssuer[] | undefined,
  { backends, ...deps }: OnUseDeps,
): TokenCallers | undefined {
  if (!issuers?.length) return undefined;
  const fetchJson: FetchJson = (url, allowPrivate) => backends.fetchJson(url, { allowPrivate });
  let opened: JwtCallers | undefined;
  return {
    isToken: (credential) => COMPACT.test(credential),
    callerOf(token, identity, from) {
      if (opened) return opened.callerOf(token, identity, from);
      return import('./jwtCallers.ts').then((it) =>
        (opened ??= new it.JwtCallers({ ...deps, issuers, fetchJson })).callerOf(token, identity, from),
      );
    },
  };
}
