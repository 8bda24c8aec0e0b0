import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Pids of all processes whose command line mentions `words`, this one left out. */
export function processesMentioning(words: string): number[] {
  return commandLines()
    .filter(({ pid, command }) => pid !== process.pid && command.includes(words))
    .map(({ pid }) => pid);
}

/** Ends every process that mentions `folder`: what a suite left behind, the detached host included. */
export function endProcessesMentioning(folder: string): void {
  for (const pid of processesMentioning(folder)) endProcess(pid);
}

/** Ends a process group (its leader's pid, negative on POSIX) or one process. One that is gone already is fine. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
  }
}

function commandLines(): { pid: number; command: string }[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((it) => /^\d+$/.test(it))
      .map((it) => ({ pid: Number(it), command: readProcess(it, 'cmdline') }));
  }
  if (process.platform === 'win32') {
    const script = 'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.CommandLine)" }';
    return parseList(execFileSync('powershell', ['-NoProfile', '-Command', script], { encoding: 'utf8' }));
  }
  return parseList(execFileSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8' }));
}

/** The processes that a process started. Read from `/proc` where there is one: a bare machine has no `pgrep`. */
export function childrenOf(pid: number): number[] {
  if (!existsSync('/proc/self/stat')) {
    const found = spawnSync('pgrep', ['-P', `${pid}`], { encoding: 'utf8' }).stdout;
    return found.split('\n').filter(Boolean).map(Number);
  }
  return readdirSync('/proc')
    .filter((it) => /^\d+$/.test(it) && Number(/\) \S (\d+) /.exec(readProcess(it, 'stat'))?.[1]) === pid)
    .map(Number);
}

function readProcess(pid: string, file: 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // it ended while we looked
  }
}

function parseList(text: string): { pid: number; command: string }[] {
  return text.split('\n').flatMap((line) => {
    const found = /^\s*(\d+)\s+(.*)$/.exec(line);
    return found ? [{ pid: Number(found[1]), command: found[2] ?? '' }] : [];
  });
}
