import type { SecretStorage } from 'vscode';

const PREFIX = 'token:';

/** Tokens for protected resources, by resource. They are in the editor's secret storage and nowhere else. */
export class Tokens {
  readonly #secrets: SecretStorage;

  constructor(secrets: SecretStorage) {
    this.#secrets = secrets;
  }

  async resources(): Promise<readonly string[]> {
    const keys = await this.#secrets.keys();
    return keys.filter((it) => it.startsWith(PREFIX)).map((it) => it.slice(PREFIX.length));
  }

  async get(resource: string): Promise<string | undefined> {
    return this.#secrets.get(PREFIX + resource);
  }

  async set(resource: string, token: string): Promise<void> {
    await this.#secrets.store(PREFIX + resource, token);
  }

  async remove(resource: string): Promise<void> {
    await this.#secrets.delete(PREFIX + resource);
  }
}
