import * as library from 'openid-client';

/** The server or the person said no. The code is the server's (RFC 6749, 5.2), the message for a person. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';
  readonly code: string;
  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** What the library throws, without the bodies that it quotes: those may hold tokens. */
export async function refusing<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    if (thrown instanceof library.ResponseBodyError) throw refusalOf(thrown.error);
    if (thrown instanceof OAuthRefusal || (thrown instanceof DOMException && thrown.name === 'AbortError'))
      throw thrown;
    throw new OAuthRefusal('unreachable', 'it did not answer as it should');
  }
}

/** What people did, or left undone, in words; the server's own code for everything else. */
export function refusalOf(code: string): OAuthRefusal {
  return new OAuthRefusal(code, said.get(code) ?? `it said ${code}`);
}

const said = new Map([
  ['access_denied', 'access was denied there'],
  ['expired_token', 'nobody entered the code in time'],
]);
