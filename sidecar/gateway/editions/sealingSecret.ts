import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
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
    const file = openSync(path, 'wx', 0o600);
    writeSync(file, `${Buffer.from(random(BYTES)).toString('base64')}\n`);
    fsyncSync(file);
    closeSync(file);
  } catch (thrown) {
    if (!(thrown instanceof Error) || !('code' in thrown) || thrown.code !== 'EEXIST') throw unusable(thrown);
  }
  const secret = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  if (secret.byteLength < BYTES) throw unusable(undefined);
  return secret;
}

const unusable = (cause: unknown) =>
  new Fault('unavailable', "The file that contains the gateway's sealing secret cannot be used.", { cause });
