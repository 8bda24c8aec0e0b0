import type { ExitStatus, LeashedChild } from '../../platform/children/children.ts';
import { findShell } from '../../platform/children/findShell.ts';
import { Fault } from '../../platform/faults.ts';
import { folderNeeded } from '../folderNeeded.ts';
import type { ToolContent, TurnEvent } from '../provider.ts';
import { toolNames } from '../toolNames.ts';
import { BoundedOutput } from './output.ts';
import { denied, done, type Progress, type RunDeps, type StepEnd, toolCallId } from './progress.ts';

const coalesceMs = 50;

/**
 * One shell tool call: asks with the exact command, then runs it and streams what it writes.
 *
 * @throws {Fault} `folder_needed`
 */
export async function* runShell(
  command: string,
  progress: Progress,
  deps: RunDeps,
): AsyncGenerator<TurnEvent, StepEnd> {
  const { context, host } = deps;
  const id = toolCallId(progress, deps);
  const cwd = context.folders[0];
  if (cwd === undefined) throw folderNeeded();
  yield { kind: 'toolStarted', toolCallId: id, toolName: 'shell', displayName: toolNames.shell };
  const decision = await host.confirm({
    toolCallId: id,
    kind: 'shell',
    invocationMessage: `Run ${firstLineOf(command)}`,
    toolInput: command,
    command,
    paths: [],
    cwd,
  });
  if (!decision.allow) return yield* denied(id, decision, progress, deps);
  const output = new BoundedOutput();
  const ran = decision.editedInput ?? command;
  const how = yield* perform(id, ran, cwd, output, deps);
  const success = how === undefined;
  yield {
    kind: 'toolEnded',
    toolCallId: id,
    success,
    pastTenseMessage: `Ran ${firstLineOf(ran)}`,
    content: toContent(output),
    ...(!success && { error: how }),
  };
  return success ? done : { kind: 'failed', why: 'The command failed.' };
}

/**
 * Runs with `sh -e`, so that a block stops at its first failing line. Yields the whole output so far, at most every
 * 50 ms. Whatever the command started ends with it.
 *
 * @returns what went wrong; `undefined` for exit code 0
 */
async function* perform(
  toolCallId: string,
  command: string,
  cwd: string,
  output: BoundedOutput,
  { children, context, signal, timers }: RunDeps,
): AsyncGenerator<TurnEvent, string | undefined> {
  let child: LeashedChild;
  try {
    child = await children.spawn({
      command: findShell(context.env),
      args: ['-e', '-c', command],
      env: context.env,
      role: 'tool',
      title: firstLineOf(command).slice(0, 80),
      session: context.sessionId,
      stderr: 'merged',
      cwd,
      confined: { variables: [] },
    });
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.message.replace(/\.$/, '');
    throw thrown;
  }
  let hasNews = false;
  let exit: ExitStatus | undefined;
  let wake = () => {};
  child.stdin.end();
  child.stdout.on('data', (data: Buffer) => {
    output.add(data);
    hasNews = true;
    wake();
  });
  void child.exited.then((status) => {
    exit = status;
    wake();
  });
  const stop = () => void child.stop();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    while (!exit) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (hasNews || exit) resolve();
      });
      if (exit) break;
      await Promise.race([timers.wait(coalesceMs), child.exited]);
      hasNews = false;
      if (!exit) yield { kind: 'toolContent', toolCallId, content: toContent(output) };
    }
  } finally {
    signal.removeEventListener('abort', stop);
    await child.stop();
  }
  const { code, signal: name } = await child.exited;
  if (code === 0) return undefined;
  return code === null ? `it was terminated by ${name}` : `exit code ${code}`;
}

function firstLineOf(command: string): string {
  return command.split('\n')[0]!;
}

function toContent(output: BoundedOutput): readonly ToolContent[] {
  return output.text === '' ? [] : [{ kind: 'text', text: output.text }];
}
