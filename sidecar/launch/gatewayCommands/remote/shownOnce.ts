import { rmSync } from 'node:fs';
import type { CommandResult } from '../command.ts';
import { writeOwnFile } from '../files.ts';
import type { AskedCommand } from '../readCommand.ts';

interface Made {
  /** What the gateway shows only now, with its name in the result. */
  readonly secret: string;
  readonly facts: object;
}

/**
 * A secret that the gateway makes: printed, or with `--out` written to a file that only its owner can read.
 *
 * @param member its name in the result, as `key`; the file is `key_file`
 * @param make asks the gateway
 * @throws {LaunchFailure} before anything is made, for a file that cannot be written
 */
export async function shownOnce(
  asked: AskedCommand,
  member: string,
  make: () => Promise<Made>,
): Promise<CommandResult> {
  const out = asked.one('out');
  // First, because nobody can read a secret again that was made but could not be written.
  if (out !== undefined) writeOwnFile(out, '');
  const { secret, facts } = await make().catch((thrown: unknown) => {
    if (out !== undefined) rmSync(out, { force: true });
    throw thrown;
  });
  if (out === undefined) return { text: `${secret}\n`, data: { [member]: secret, ...facts } };
  writeOwnFile(out, `${secret}\n`, { replaces: true });
  return { text: `Created ${out}, which contains the ${member}.\n`, data: { [`${member}_file`]: out, ...facts } };
}
