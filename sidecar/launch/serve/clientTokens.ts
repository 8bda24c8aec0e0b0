import { createHash, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { Runtime } from '../../platform/runtime.ts';
import { exitCodes, LaunchFailure, reasonOf } from '../failure.ts';

/** One client that was given a token of its own. The token itself is kept nowhere: only its hash. */
const ClientToken = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  createdAt: z.string(),
});
export type ClientToken = z.infer<typeof ClientToken>;
const Stored = z.strictObject({ tokens: z.array(ClientToken) });

const MAX_TOKENS = 1_000;

/** `--token-file` holds the one that clients share. */
export const SHARED = 'shared';

export function clientTokensFile(dataDir: string): string {
  return join(dataDir, 'serve-tokens.json');
}

/** @throws {LaunchFailure} `badFolder` for a file that cannot be used: nobody is let in by what cannot be read */
export function readClientTokens(path: string): readonly ClientToken[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return [];
    throw unusable(reasonOf(thrown), thrown);
  }
  try {
    return Stored.parse(JSON.parse(text)).tokens;
  } catch (thrown) {
    throw unusable('it is damaged', thrown);
  }
}

/**
 * Makes a token, and keeps its hash.
 * @returns the token, which nobody can read again
 * @throws {LaunchFailure} `usage` for a name that is taken, or too many
 */
export function createClientToken(
  path: string,
  name: string,
  { clock, newId, random }: Pick<Runtime, 'clock' | 'newId' | 'random'>,
): string {
  const tokens = readClientTokens(path);
  if (tokens.some((it) => it.name === name)) throw usage(`A token named "${name}" already exists.`);
  if (tokens.length >= MAX_TOKENS) throw usage(`There are already ${MAX_TOKENS} tokens. Revoke one first.`);
  const token = Buffer.from(random(32)).toString('base64url');
  const made = { id: newId(), name, hash: hashOf(token).toString('hex'), createdAt: clock.now() };
  write(path, [...tokens, made], newId);
  return token;
}

/** @throws {LaunchFailure} `usage` where there is none of that name or id */
export function revokeClientToken(path: string, which: string, { newId }: Pick<Runtime, 'newId'>): void {
  const tokens = readClientTokens(path);
  const left = tokens.filter((it) => it.name !== which && it.id !== which);
  if (left.length === tokens.length) throw usage(`No token has the name or ID "${which}".`);
  write(path, left, newId);
}

/**
 * Whose token was given, `undefined` for nobody's. All are compared, each in the same time.
 * @param sharedHash of the token that clients share: SHA-256, in hex
 */
export function credentialOf(given: string, sharedHash: string, tokens: readonly ClientToken[]): string | undefined {
  const hash = hashOf(given);
  let found = timingSafeEqual(hash, Buffer.from(sharedHash, 'hex')) ? SHARED : undefined;
  for (const it of tokens) if (timingSafeEqual(hash, Buffer.from(it.hash, 'hex'))) found = it.id;
  return found;
}

/** Reads the file again when it changed. */
export class ClientTokens {
  readonly #path: string;
  #seen = '';
  #tokens: readonly ClientToken[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  /** As they are now. A file that cannot be read lets nobody in. */
  current(): readonly ClientToken[] {
    const seen = this.#look();
    if (seen === this.#seen) return this.#tokens;
    try {
      this.#tokens = readClientTokens(this.#path);
    } catch {
      this.#tokens = [];
    }
    this.#seen = seen;
    return this.#tokens;
  }

  #look(): string {
    const found = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    return found ? `${found.ino} ${found.mtimeNs} ${found.size}` : '';
  }
}

/** As a whole or not at all, so that a server never reads half a list. */
function write(path: string, tokens: readonly ClientToken[], newId: () => string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${newId()}`;
  writeFileSync(temporary, `${JSON.stringify({ tokens }, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, path);
}

export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
const usage = (message: string) => new LaunchFailure(exitCodes.usage, message);
const unusable = (why: string, cause: unknown) =>
  new LaunchFailure(exitCodes.badFolder, `The token list in the data directory cannot be used: ${why}.`, cause);
