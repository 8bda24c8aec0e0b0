import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../../platform/faults.ts';

const BYTES = 32;

/**
 * The sealing secret in a file of its own, which only its owner may read; made when there is none. For a gateway without an
 * editor: replicas are given the same file.
 *
 * @throws {Fault} `unavailable` where the file cannot be used
 */
export function readSealingSecret(path: string, random: (bytes: number) => Uint8Array): Uint8Array {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Of two that start together, one makes it and the other reads it.
    writeNewSecret(path, random);
  } catch (thrown) {
    if (!(thrown instanceof Error) || !('code' in thrown) || thrown.code !== 'EEXIST') throw unusable(thrown);
  }
  return decoded(readFileSync(path, 'utf8'));
}

/** Reads the secret from an existing file. @throws {Fault} `not_found`, and `unavailable` where it cannot be used */
export function readExistingSecret(path: string): Uint8Array {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    const isMissing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
    if (!isMissing) throw unusable(thrown);
    throw new Fault('not_found', 'The file that contains the sealing secret does not exist. Check --secret-file.', {
      cause: thrown,
    });
  }
  return decoded(text);
}

function decoded(text: string): Uint8Array {
  const secret = Buffer.from(text.trim(), 'base64');
  if (secret.byteLength < BYTES) throw unusable(undefined);
  return secret;
}

/** The file of a gateway that names none. */
export const ownSecretFile = (dataDir: string): string => join(dataDir, 'gateway.secret');

/** Makes a secret and writes it to a file that only its owner may read. @throws {Error} `EEXIST` where one is there */
export function writeNewSecret(path: string, random: (bytes: number) => Uint8Array): Uint8Array {
  const secret = random(BYTES);
  const file = openSync(path, 'wx', 0o600);
  writeSync(file, `${Buffer.from(secret).toString('base64')}\n`);
  fsyncSync(file);
  closeSync(file);
  return secret;
}

const unusable = (cause: unknown) =>
  new Fault('unavailable', "The file that contains the gateway's sealing secret cannot be used.", { cause });
