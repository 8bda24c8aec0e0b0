import { Fault } from '../faults.ts';
import { findCommand } from './findCommand.ts';

/**
 * The shell for text that somebody wrote. On Windows it is the one that Git brings along: no other shell there reads the
 * same language.
 *
 * @throws {Fault} `command_missing`
 */
export function findShell(env: Readonly<Record<string, string>>, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'win32') return '/bin/sh';
  const git = findCommand('git', env, platform);
  const beside = git ? findCommand(git.replace(/\\cmd\\git\.exe$/i, '\\bin\\bash.exe'), env, platform) : undefined;
  const shell = beside ?? findCommand('sh', env, platform);
  if (shell) return shell;
  throw new Fault(
    'command_missing',
    '`sh` blocks and hooks require a POSIX shell. Install Git for Windows, which includes one, and try again.',
  );
}
