import type { Sealer } from '../../platform/seal.ts';

/** How long a browser stays signed in. */
export const UI_SESSION_MS = 12 * 60 * 60_000;
const COOKIE = 'switchboard_ui';
const SUBJECT = 'ui session';

/** A browser's way in: the hash of the key it signed in with, sealed in a cookie that no script can read. */
export interface UiSessions {
  /** @returns the value of `Set-Cookie` */
  begin(token: string, nowMs: number): string;
  /** The hash of the key; `undefined` without a session, or with one that is over. */
  read(cookies: string | undefined, nowMs: number): string | undefined;
  readonly end: string;
}

export function openUiSessions(sealer: Sealer, isSecure: boolean): UiSessions {
  const rest = `; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    begin: (token, nowMs) =>
      `${COOKIE}=${sealer.seal({ token, until: nowMs + UI_SESSION_MS }, SUBJECT)}; Max-Age=${UI_SESSION_MS / 1000}${rest}`,
    read(cookies, nowMs) {
      const sealed = (cookies ?? '')
        .split(';')
        .map((it) => it.trim())
        .find((it) => it.startsWith(`${COOKIE}=`))
        ?.slice(COOKIE.length + 1);
      const value = sealed === undefined ? undefined : sealer.open(sealed, SUBJECT);
      if (typeof value !== 'object' || value === null || !('token' in value) || !('until' in value)) return undefined;
      const { token, until } = value;
      return typeof token === 'string' && typeof until === 'number' && nowMs < until ? token : undefined;
    },
    end: `${COOKIE}=; Max-Age=0${rest}`,
  };
}
