import type { SecretStorage } from 'vscode';
import * as z from 'zod';

const PREFIX = 'token:';
/** What stands before the address of a host elsewhere, which a space ends. */
const FAR_PREFIX = 'switchboard.tokenAt:';

/** What a person's sign-in to a protected resource gave, or the token that they pasted. */
export const StoredToken = z.object({
  accessToken: z.string().min(1),
  refreshToken: z.string().exactOptional(),
  /** Milliseconds since 1970. Absent: until it is refused. */
  expiresAt: z.number().exactOptional(),
  scopes: z.array(z.string()).exactOptional(),
  /** Where it came from, and as whom we were known there. Absent for a pasted one. */
  issuer: z.string().exactOptional(),
  client: z
    .object({
      clientId: z.string(),
      clientSecret: z.string().exactOptional(),
      redirect: z.string().exactOptional(),
    })
    .exactOptional(),
});
export type StoredToken = z.infer<typeof StoredToken>;

/**
 * Tokens for protected resources, by resource, that a person gave for one host: what another host calls by the same name may
 * be anything (host.remote.sign-in). They are in the editor's secret storage and nowhere else.
 */
export class Tokens {
  readonly #secrets: Pick<SecretStorage, 'keys' | 'get' | 'store' | 'delete' | 'onDidChange'>;
  readonly #prefix: string;

  /** @param host empty for the host of this machine, otherwise its address */
  constructor(secrets: Pick<SecretStorage, 'keys' | 'get' | 'store' | 'delete' | 'onDidChange'>, host = '') {
    this.#secrets = secrets;
    this.#prefix = host === '' ? PREFIX : `${FAR_PREFIX}${host} `;
  }

  async resources(): Promise<readonly string[]> {
    const keys = await this.#secrets.keys();
    return keys.filter((it) => it.startsWith(this.#prefix)).map((it) => it.slice(this.#prefix.length));
  }

  /** What cannot be read is as good as none: the person signs in again. */
  async get(resource: string): Promise<StoredToken | undefined> {
    const text = await this.#secrets.get(this.#prefix + resource);
    try {
      return text === undefined ? undefined : StoredToken.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  }

  async set(resource: string, token: StoredToken): Promise<void> {
    await this.#secrets.store(this.#prefix + resource, JSON.stringify(token));
  }

  async remove(resource: string): Promise<void> {
    await this.#secrets.delete(this.#prefix + resource);
  }

  /** Called with the resource whose token was put, renewed or removed, in whichever window. */
  onDidChange(listener: (resource: string) => void): { dispose(): void } {
    return this.#secrets.onDidChange(({ key }) => {
      if (key.startsWith(this.#prefix)) listener(key.slice(this.#prefix.length));
    });
  }
}
