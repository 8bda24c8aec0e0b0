import type { Children, LeashedChild } from '../../platform/children/children.ts';
import { findShell } from '../../platform/children/findShell.ts';
import { Fault } from '../../platform/faults.ts';
import type { Timers } from '../../platform/timers.ts';
import { type ReadAnswer, readAnswer } from './hookAnswer.ts';
import type { Hook } from './hookFile.ts';

export interface RunHookDeps {
  readonly children: Pick<Children, 'spawn'>;
  readonly session: string;
  /** The environment of the window that asks. */
  readonly env: Readonly<Record<string, string>>;
  readonly timers: Pick<Timers, 'after'>;
}

/** A hook that writes more is ended: answers are short. */
const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * Runs one hook. Its payload goes to its standard input, as JSON, and into no command line.
 * Rejects only when `signal` aborts; then the process has ended.
 */
export async function runHook(
  hook: Hook,
  payload: object,
  { children, session, env: own, timers }: RunHookDeps,
  signal: AbortSignal,
): Promise<ReadAnswer> {
  const env = { ...own, ...hook.env };
  let child: LeashedChild;
  try {
    const command = commandLine(hook, env);
    const confined = { variables: Object.keys(hook.env) };
    child = await children.spawn({
      ...command,
      cwd: hook.cwd,
      env,
      role: 'tool',
      title: hook.label,
      session,
      confined,
    });
  } catch (thrown) {
    if (thrown instanceof Fault) return { failure: thrown.message };
    throw thrown;
  }
  let ended: string | undefined;
  const end = (why: string) => {
    ended ??= why;
    void child.stop();
  };
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout.on('data', (data: Buffer) => {
    size += data.length;
    if (size <= MAX_OUTPUT_BYTES) chunks.push(data);
    else end(`it wrote more than ${MAX_OUTPUT_BYTES / 1024} KB of output`);
  });
  const onAbort = () => end('the turn was stopped');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const stopTimer = timers.after(hook.timeoutMs, () =>
    end(`it did not finish within ${hook.timeoutMs / 1000} seconds`),
  );
  try {
    child.stdin.end(`${JSON.stringify(payload)}\n`);
    const { code, signal: name } = await child.exited;
    signal.throwIfAborted();
    if (ended !== undefined) return { failure: ended };
    if (code === null) return { failure: `it was terminated by ${name}` };
    return readAnswer(hook, { code, stdout: Buffer.concat(chunks).toString('utf8'), stderr: child.stderrTail() });
  } finally {
    stopTimer();
    signal.removeEventListener('abort', onAbort);
    await child.stop(); // with whatever it started
  }
}

function commandLine({ run }: Hook, env: Readonly<Record<string, string>>): { command: string; args: string[] } {
  switch (run.kind) {
    case 'program':
      return { command: filled(run.command, env), args: run.args.map((it) => filled(it, env)) };
    case 'powershell':
      return { command: 'powershell.exe', args: ['-NoProfile', '-NonInteractive', '-Command', run.text] };
    case 'shell':
      return { command: findShell(env), args: ['-c', run.text] };
  }
}

/** The two folders, where no shell would put them in. */
function filled(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT)\}/g, (whole, name: string) => env[name] ?? whole);
}
