import { randomBytes } from 'node:crypto';
import type { SecretStorage } from 'vscode';
import * as z from 'zod';

/** With what a person's own gateway is started; made once, and the same for all windows. */
const OwnSecrets = z.object({
  /** Seals what the gateway keeps. Absent where the secret storage forgets: the gateway has one of its own then. */
  secret: z.base64().min(44).exactOptional(),
  adminKey: z.string().startsWith('sk-').min(16),
});
export type OwnSecrets = z.infer<typeof OwnSecrets>;

const OWN = 'gateway:own';
const EDITOR = 'gateway:editorKey';
const KEPT = 'gateway:key:';
const BYTES = 32;

/** What is secret about the gateway. It is in the editor's secret storage and nowhere else. */
export class GatewaySecrets {
  readonly #secrets: SecretStorage;
  readonly #isLasting: boolean;

  /** @param isLasting whether the storage outlives a window: the one of a browser may not */
  constructor(secrets: SecretStorage, isLasting: boolean) {
    this.#secrets = secrets;
    this.#isLasting = isLasting;
  }

  async own(): Promise<OwnSecrets> {
    const known = readOwn(await this.#secrets.get(OWN));
    if (known) return known;
    const adminKey = `sk-${randomBytes(BYTES).toString('base64url')}`;
    const made: OwnSecrets = {
      adminKey,
      ...(this.#isLasting && { secret: randomBytes(BYTES).toString('base64') }),
    };
    await this.#secrets.store(OWN, JSON.stringify(made));
    // Another window may have made its own in the same moment: what is kept counts for both.
    return readOwn(await this.#secrets.get(OWN)) ?? made;
  }

  /** The key of the editor's own MCP client. */
  async editorKey(): Promise<string | undefined> {
    return this.#secrets.get(EDITOR);
  }
  async keepEditorKey(key: string): Promise<void> {
    await this.#secrets.store(EDITOR, key);
  }

  /** Hashes of the keys that a person chose to keep here. */
  async kept(): Promise<ReadonlySet<string>> {
    const names = await this.#secrets.keys();
    return new Set(names.filter((it) => it.startsWith(KEPT)).map((it) => it.slice(KEPT.length)));
  }
  async key(token: string): Promise<string | undefined> {
    return this.#secrets.get(KEPT + token);
  }
  async keepKey(token: string, key: string): Promise<void> {
    await this.#secrets.store(KEPT + token, key);
  }
  async dropKey(token: string): Promise<void> {
    await this.#secrets.delete(KEPT + token);
  }
}

function readOwn(text: string | undefined): OwnSecrets | undefined {
  if (text === undefined) return undefined;
  try {
    return OwnSecrets.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // half of a write: made anew
  }
}
