import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cached } from '../cache.ts';
import { unpackDebian } from '../changes/git.ts';
import { say } from '../say.ts';

/**
 * Where strace is: on PATH, else Debian's package in the cache.
 *
 * @throws {Error} with apt's own words, where there is no apt either or it reaches no mirror
 */
export async function straceProgram(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  if (!spawnSync('strace', ['-V'], { env, stdio: 'ignore' }).error) return 'strace';
  const folder = await cached('strace', async (partial) => {
    say("strace: unpacking Debian's package, because there is none here (2 MB, once)");
    await unpackDebian('strace', partial, env);
  });
  return join(folder, 'usr', 'bin', 'strace');
}

/** The calls that change files, names, or what of them is durable; and what a program prints. */
export const tracedCalls = [
  ...['openat', 'open', 'creat', 'write', 'pwrite64', 'writev', 'pwritev', 'pwritev2', 'ftruncate', 'truncate'],
  ...['rename', 'renameat', 'renameat2', 'link', 'linkat', 'unlink', 'unlinkat', 'mkdir', 'mkdirat', 'fallocate'],
  ...['fsync', 'fdatasync', 'sync_file_range', 'msync', 'copy_file_range', 'close'],
];

/** One call as it ended. */
export interface Call {
  readonly name: string;
  /** Text of the arguments, with strings as strace prints them. */
  readonly args: string;
  readonly result: number;
  /** Seconds. */
  readonly at: number;
  /** How many calls had ended when it began: a sync covers what ended before it. */
  readonly began: number;
}

const line = /^(\d+) +(\d+\.\d+) (.*)$/;
const whole = /^(\w+)\((.*)\) += (-?\d+)/s;

/** The calls of a trace of `-f -xx -y -ttt`, in the order in which they ended. Calls that never ended are left out. */
export function parseTrace(text: string): Call[] {
  const calls: Call[] = [];
  const begun = new Map<string, { text: string; began: number }>();
  for (const it of text.split('\n')) {
    const [, thread = '', at = '0', rest = ''] = line.exec(it) ?? [];
    if (rest.endsWith('<unfinished ...>')) {
      begun.set(thread, { text: rest.slice(0, -'<unfinished ...>'.length).trimEnd(), began: calls.length });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>/.exec(rest);
    const first = resumed ? begun.get(thread) : undefined;
    if (resumed && !first) throw new Error(`a call ended that never began: ${rest.slice(0, 100)}`);
    const found = whole.exec(first ? first.text + rest.slice(resumed![0].length) : rest);
    if (!found) continue;
    const [, name = '', args = '', result = ''] = found;
    if (Number(result) >= 0)
      calls.push({ name, args, result: Number(result), at: Number(at), began: first?.began ?? calls.length });
  }
  return calls;
}

/** The strings among the arguments; not those in angle brackets, which say what a descriptor is. */
export function stringsIn(args: string): Buffer[] {
  return [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?/g)].map(([, hex = '', cut]) => {
    if (cut) throw new Error('strace cut a string short');
    return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
  });
}
