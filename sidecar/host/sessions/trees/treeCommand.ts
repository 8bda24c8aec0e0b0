import { constants } from 'node:os';
import { relative } from 'node:path';
import { Fault } from '../../../platform/faults.ts';
import type { SessionState } from '../../../protocol/channels/session/schema.ts';
import type { EffectDeps } from '../../context/effectDeps.ts';
import { pathOf } from '../../context/paths.ts';

const OUTPUT_BYTES = 20_000;
const OUTPUT_LINES = 20;
/** What a shell returns for a command that was stopped (POSIX, 2.8.2). */
const stopped: ReadonlySet<number> = new Set(
  (['SIGHUP', 'SIGINT', 'SIGKILL', 'SIGTERM'] as const).map((it) => 128 + constants.signals[it]),
);

/** A person's command in the worktree of a session. */
export interface TreeCommand {
  readonly session: string;
  readonly state: SessionState;
  /** The worktree. Absolute. */
  readonly tree: string;
  /** For a POSIX shell. */
  readonly command: string;
  /** The environment of the person's window. */
  readonly env: Readonly<Record<string, string>>;
  /** It makes the worktree ready, before an agent works there. */
  readonly isSetUp?: true;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

export interface TreeCommandResult {
  /** `interrupted`: a person stopped it, or the host is closing. */
  readonly state: 'passed' | 'failed' | 'interrupted';
  readonly exitCode?: number;
  /** The last lines that it printed, or why it could not start. */
  readonly output?: string;
}

/** Runs it in a terminal of its own, in the session's folder. A failure to start it is a result, too. */
export async function runInTree(
  { commands, newId, report }: Pick<EffectDeps, 'commands' | 'newId' | 'report'>,
  { session, state, tree, command, env: window, isSetUp, signal }: TreeCommand,
): Promise<TreeCommandResult> {
  const id = newId();
  const folder = pathOf(state.workingDirectories?.[0] ?? '');
  const cwd = folder === undefined || relative(tree, folder).startsWith('..') ? tree : folder;
  const where = { session, turnId: id, toolCallId: id, cwd, env: {}, window, ...(isSetUp && { isSetUp }) };
  try {
    const terminal = await commands.run({ ...where, command, outputBytes: OUTPUT_BYTES });
    const stop = () => void terminal.release();
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
    const { exitCode } = await terminal.waitForExit();
    const output = terminal.output().text.trimEnd().split('\n').slice(-OUTPUT_LINES).join('\n');
    await terminal.release();
    if (exitCode === null || stopped.has(exitCode)) return { state: 'interrupted', output };
    return { state: exitCode === 0 ? 'passed' : 'failed', exitCode, output };
  } catch (thrown) {
    report(id, thrown);
    return { state: 'failed', ...(thrown instanceof Fault && { output: thrown.message }) };
  }
}
