import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { exitCodes, LaunchFailure, reasonOf } from '../failure.ts';
import type { CommandContext } from './command.ts';

/**
 * Writes a file that only its owner can read.
 * @param replaces whether an existing file is replaced; otherwise it stays, and this fails
 * @throws {LaunchFailure} `badFolder`
 */
export function writeOwnFile(path: string, content: string, { replaces = false } = {}): void {
  try {
    writeFileSync(path, content, { mode: 0o600, flag: replaces ? 'w' : 'wx' });
  } catch (thrown) {
    const reason = existsSync(path) && !replaces ? 'it already exists' : reasonOf(thrown);
    throw new LaunchFailure(exitCodes.badFolder, `${path} cannot be written: ${reason}.`, thrown);
  }
}

/** A secret from a file, or from standard input for `-`, so that none is on a command line. @throws {LaunchFailure} `badFolder` */
export async function readSecretFile(path: string, { process }: Pick<CommandContext, 'process'>): Promise<string> {
  const source = path === '-' ? 'Standard input' : path;
  let content: string;
  try {
    content = path === '-' ? await text(process.stdin) : readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new LaunchFailure(exitCodes.badFolder, `${source} cannot be read: ${reasonOf(thrown)}.`, thrown);
  }
  const secret = content.trim();
  if (secret === '') throw new LaunchFailure(exitCodes.badFolder, `${source} is empty, but it must contain a secret.`);
  return secret;
}
