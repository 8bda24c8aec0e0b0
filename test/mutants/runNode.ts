import { type ChildProcess, spawn } from 'node:child_process';

/** What came of a run of tests. */
export type Outcome =
  | { readonly status: 'green' }
  /** `by`: the first test that failed, and why. */
  | { readonly status: 'red'; readonly by: string }
  /** It did not end in its time. */
  | { readonly status: 'hung' }
  /** No test ran: a file cannot be read, or there is no bundle. */
  | { readonly status: 'broken' };

/** Runs Node with whatever it starts; what is left of that when it ends, or when its time is up, is ended. */
export function runNode(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  limitMs: number,
): Promise<{ readonly status: 'ended' | 'hung' }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: 'ignore',
      detached: process.platform !== 'win32',
    });
    let isHung = false;
    const timer = setTimeout(() => {
      isHung = true;
      endGroup(child);
    }, limitMs);
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      endGroup(child);
      resolve({ status: isHung ? 'hung' : 'ended' });
    });
  });
}

function endGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
