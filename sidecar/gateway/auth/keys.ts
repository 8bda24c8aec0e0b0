import { hash } from 'node:crypto';
import { Fault } from '../../platform/faults.ts';

const PREFIX = 'sk-';
const MIN_CHARACTERS = 16;
const RANDOM_BYTES = 32;

/** A new virtual key: 256 random bits. It is shown once and kept as its hash. */
export function newKey(randomBytes: (count: number) => Uint8Array): string {
  return PREFIX + Buffer.from(randomBytes(RANDOM_BYTES)).toString('base64url');
}

/** @throws {Fault} `invalid_params` naming the field, for one that a person chose and that is too easy to guess */
export function checkChosenKey(key: string, field = 'key'): void {
  const isGood = key.startsWith(PREFIX) && key.length >= MIN_CHARACTERS && /^[\x21-\x7e]+$/.test(key);
  if (isGood) return;
  throw new Fault(
    'invalid_params',
    `A virtual key must begin with ${PREFIX}, have at least ${MIN_CHARACTERS} characters, and contain no spaces.`,
    { data: { field } },
  );
}

/** The hash that is stored and looked up. Keys are long and random, so a slow hash would only cost time. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** For people: `sk-...` and the last four characters. */
export function keyName(key: string): string {
  return `${PREFIX}...${key.slice(-4)}`;
}
