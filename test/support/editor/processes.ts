import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

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
      .map((it) => ({ pid: Number(it), command: readCommandLine(it) }));
  }
  if (process.platform === 'win32') {
    const script = 'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.CommandLine)" }';
    return parseList(execFileSync('powershell', ['-NoProfile', '-Command', script], { encoding: 'utf8' }));
  }
  return parseList(execFileSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8' }));
}

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
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
