import { execFile } from 'node:child_process';
import { fromBytes, toBytes } from '../../files/rawPath.ts';

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * Runs git, away from the repository's own settings where the arguments say so. A code of -1: git could not be run or
 * took longer than two minutes.
 */
export type Git = (
  args: readonly string[],
  more?: { readonly cwd?: string; readonly input?: string | Buffer; readonly env?: Readonly<Record<string, string>> },
) => Promise<GitResult>;

/** @param env the host's environment, of which git's own variables are left out */
export function openGit(env: Readonly<Record<string, string | undefined>>): Git {
  const clean = Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(?:GIT_|ELECTRON_RUN_AS_NODE$|NODE_OPTIONS$)/.test(name)),
  );
  const base = { ...clean, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' };
  return (args, { cwd, input, env: own } = {}) =>
    new Promise((resolve) => {
      const options = {
        encoding: 'buffer' as const,
        env: { ...base, ...own },
        maxBuffer: 1024 * 1024 * 1024,
        timeout: 120_000,
        windowsHide: true,
        ...(cwd !== undefined && { cwd }),
      };
      const child = execFile('git', [...args], options, (error, stdout, stderr) => {
        const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
        resolve({ code, stdout, stderr: stderr.toString('utf8') });
      });
      // Git may close its input early (a wrong argument); its exit code reports it.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(typeof input === 'string' ? toBytes(input) : input);
    });
}

/** The fields of output in a `-z` format, names by our spelling of bytes. */
export function zFields(output: Buffer): string[] {
  const text = fromBytes(output);
  return text === '' ? [] : text.replace(/\0$/, '').split('\0');
}
