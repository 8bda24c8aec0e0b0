import { readFileSync, statSync, writeFileSync } from 'node:fs';
import type { Runtime } from '../../platform/runtime.ts';
import { exitCodes, LaunchFailure, reasonOf } from '../failure.ts';

const MIN_CHARACTERS = 16;

/**
 * The token that clients have to know, from a file that nobody else can read. A file that is not there is made, with 256
 * random bits: so a program that starts us reads the token from the file that it named.
 * @throws {LaunchFailure} `badFolder` when it cannot be read or made, or is open to others; `usage` for a short token
 */
export function readTokenFile(path: string, platform: string, { random }: Pick<Runtime, 'random'>): string {
  try {
    return makeToken(path, random);
  } catch (thrown) {
    if (!isThere(thrown)) throw unusable(path, reasonOf(thrown), thrown);
  }
  let token: string;
  let mode: number;
  try {
    token = readFileSync(path, 'utf8').trim();
    ({ mode } = statSync(path));
  } catch (thrown) {
    throw unusable(path, reasonOf(thrown), thrown);
  }
  if (platform !== 'win32' && (mode & 0o077) !== 0)
    throw unusable(path, 'other users can read it. Its mode must be 0600');
  if (!/^\S+$/.test(token) || token.length < MIN_CHARACTERS) {
    const message = `The token in ${path} must have at least ${MIN_CHARACTERS} characters and no spaces.`;
    throw new LaunchFailure(exitCodes.usage, message);
  }
  return token;
}

/** @throws what the file system says, `EEXIST` among it */
function makeToken(path: string, random: Runtime['random']): string {
  const token = Buffer.from(random(32)).toString('base64url');
  writeFileSync(path, `${token}\n`, { mode: 0o600, flag: 'wx' });
  return token;
}
const isThere = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST';

function unusable(path: string, why: string, cause?: unknown): LaunchFailure {
  return new LaunchFailure(exitCodes.badFolder, `The token file ${path} cannot be used: ${why}.`, cause);
}
