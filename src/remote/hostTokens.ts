import type { SecretStorage } from 'vscode';
import type { Tokens } from '../config/tokens.ts';

const PREFIX = 'switchboard.hostToken:';

/** The tokens that a person signed in for at one host. The window has what reads them, so this bundle does not. */
export type SignedInTo = (address: string) => Pick<Tokens, 'resources' | 'remove'>;

/** The tokens of hosts elsewhere, by address. They are in the editor's secret storage and nowhere else. */
export class HostTokens {
  readonly #secrets: Pick<SecretStorage, 'keys' | 'get' | 'store' | 'delete' | 'onDidChange'>;

  readonly #signedInTo: SignedInTo;

  constructor(
    secrets: Pick<SecretStorage, 'keys' | 'get' | 'store' | 'delete' | 'onDidChange'>,
    signedInTo: SignedInTo,
  ) {
    this.#secrets = secrets;
    this.#signedInTo = signedInTo;
  }

  async get(address: string): Promise<string | undefined> {
    return this.#secrets.get(PREFIX + address);
  }

  async set(address: string, token: string): Promise<void> {
    await this.#secrets.store(PREFIX + address, token);
  }

  /** With what was signed in to for that host. */
  async forget(address: string): Promise<void> {
    await this.remove(address);
    const signedIn = this.#signedInTo(address);
    for (const it of await signedIn.resources()) await signedIn.remove(it);
  }

  async remove(address: string): Promise<void> {
    await this.#secrets.delete(PREFIX + address);
  }

  /** Called with the address whose token was put or removed, in whichever window. */
  onDidChange(listener: (address: string) => void): { dispose(): void } {
    return this.#secrets.onDidChange(({ key }) => {
      if (key.startsWith(PREFIX)) listener(key.slice(PREFIX.length));
    });
  }
}
