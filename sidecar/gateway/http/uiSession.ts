import type { Sealer } from '../../platform/seal.ts';

/** How long a browser stays signed in with a key. */
export const UI_SESSION_MS = 12 * 60 * 60_000;
const COOKIE = 'switchboard_ui';
const SUBJECT = 'ui session';

/**
 * A browser's way in, sealed in a cookie that no script can read: the hash of the key that it signed in with, or the ID of the
 * session of a person whom the identity provider signed in.
 */
export interface UiSessions {
  /** @returns the value of `Set-Cookie` */
  begin(token: string, nowMs: number): string;
  /** @param session its ID @returns the value of `Set-Cookie` */
  beginPerson(session: string, nowMs: number, untilMs: number): string;
  /** The hash of the key; `undefined` without a session, or with one that is over. */
  read(cookies: string | undefined, nowMs: number): string | undefined;
  /** The ID of a person's session; as {@link read}. */
  readPerson(cookies: string | undefined, nowMs: number): string | undefined;
  readonly end: string;
}

export function openUiSessions(sealer: Sealer, isSecure: boolean): UiSessions {
  const rest = `; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  const write = (value: object, forMs: number) =>
    `${COOKIE}=${sealer.seal(value, SUBJECT)}; Max-Age=${Math.floor(forMs / 1000)}${rest}`;
  const read = (cookies: string | undefined, nowMs: number, member: 'token' | 'person'): string | undefined => {
    const sealed = (cookies ?? '')
      .split(';')
      .map((it) => it.trim())
      .find((it) => it.startsWith(`${COOKIE}=`))
      ?.slice(COOKIE.length + 1);
    const value = sealed === undefined ? undefined : sealer.open(sealed, SUBJECT);
    if (typeof value !== 'object' || value === null || !('until' in value)) return undefined;
    const { until, [member]: found } = value as Readonly<Record<string, unknown>>;
    return typeof found === 'string' && typeof until === 'number' && nowMs < until ? found : undefined;
  };
  return {
    begin: (token, nowMs) => write({ token, until: nowMs + UI_SESSION_MS }, UI_SESSION_MS),
    beginPerson: (person, nowMs, untilMs) => write({ person, until: untilMs }, untilMs - nowMs),
    read: (cookies, nowMs) => read(cookies, nowMs, 'token'),
    readPerson: (cookies, nowMs) => read(cookies, nowMs, 'person'),
    end: `${COOKIE}=; Max-Age=0${rest}`,
  };
}
