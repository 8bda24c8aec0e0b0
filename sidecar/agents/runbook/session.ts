import type { Completion, CompletionContext } from '../completion.ts';
import type { SessionOptions } from '../options.ts';
import type { AgentSession, SessionContext, TurnEvent } from '../provider.ts';
import { type FoundRunbook, findRunbooks } from './find.ts';
import { looksLikeRunbook, type ParsedRunbook, parseRunbook } from './parse.ts';
import type { Progress, RunDeps } from './progress.ts';
import type { RunbookDeps } from './provider.ts';
import { runRunbook } from './run.ts';
import { fileOf, type RunbookSource } from './source.ts';

/** @see runbookProvider */
export async function openRunbookSession(deps: RunbookDeps, context: SessionContext): Promise<AgentSession> {
  const atStart = await findRunbooks(context.folders, deps.userFolder);
  let progress: Progress | undefined;
  const options: SessionOptions = {
    models: [],
    properties: [],
    commands: atStart.map((it) => ({ name: it.name, description: describe(it) })),
  };
  return {
    options,
    async *run(turn, host, signal) {
      if (signal.aborted) return;
      const { children, timers } = deps;
      const run: RunDeps = { children, timers, context, host, turnId: turn.turnId, signal };
      const chosen = await choose(turn.text, deps, context, progress);
      if (chosen.kind === 'answer') return void (yield answer(turn.turnId, chosen.markdown));
      progress = chosen.progress;
      yield* runRunbook(progress, run);
    },
    onOptions: () => () => undefined, // the runbooks of a session are read again at every `/`
    onGone: () => () => undefined, // it has no process of its own that could go
    close: async () => undefined, // a running step ends with its turn
  };
}

/** The runbooks whose name begins as the text before the cursor does. */
export async function completeRunbookName(
  { userFolder }: RunbookDeps,
  { folders, text, offset }: CompletionContext,
): Promise<readonly Completion[]> {
  const typed = /^\/([A-Za-z0-9_.-]*)$/.exec(text.slice(0, offset))?.[1];
  if (typed === undefined) return [];
  const rangeEnd = offset + /^[A-Za-z0-9_.-]*/.exec(text.slice(offset))![0].length;
  const found = await findRunbooks(folders, userFolder);
  return found
    .filter((it) => it.name.startsWith(typed))
    .map((it) => ({
      insertText: `/${it.name} `,
      label: `/${it.name}`,
      description: describe(it),
      rangeStart: 0,
      rangeEnd,
    }));
}

type Choice =
  | { readonly kind: 'answer'; readonly markdown: string }
  | { readonly kind: 'perform'; readonly progress: Progress };

async function choose(
  text: string,
  deps: RunbookDeps,
  context: SessionContext,
  earlier: Progress | undefined,
): Promise<Choice> {
  const word = text.trim();
  if (word === 'continue' || word === 'retry') return resume(word, earlier);
  const runbooks = await findRunbooks(context.folders, deps.userFolder);
  const name = /^\/(\S+)/.exec(word)?.[1];
  const found = runbooks.find((it) => it.name === name);
  if (found) return begin(parseRunbook(found.source, found.name), found);
  if (name === undefined && looksLikeRunbook(text)) return begin(parseRunbook(text, 'Runbook'), undefined);
  const intro = name === undefined ? '' : `No runbook named \`${name}\` was found.\n\n`;
  return { kind: 'answer', markdown: intro + listed(runbooks) };
}

function resume(word: 'continue' | 'retry', earlier: Progress | undefined): Choice {
  if (!earlier || earlier.next >= earlier.runbook.steps.length) {
    return {
      kind: 'answer',
      markdown: 'There is nothing to continue. To start a runbook, send `/` followed by its name, for example `/tour`.',
    };
  }
  if (word === 'continue') earlier.next += earlier.failedSteps;
  earlier.failedSteps = 0;
  return earlier.next < earlier.runbook.steps.length
    ? { kind: 'perform', progress: earlier }
    : { kind: 'answer', markdown: 'That was the last step in the runbook.' };
}

function begin(parsed: ParsedRunbook, source: RunbookSource): Choice {
  if (parsed.ok)
    return { kind: 'perform', progress: { runbook: parsed.runbook, source, next: 0, failedSteps: 0, answers: {} } };
  const file = fileOf(source);
  const lines = parsed.problems.map((it) => {
    const where = file === undefined ? `line ${it.line}` : `\`${file}:${it.line}\``;
    return `- ${where}: ${it.message}`;
  });
  return {
    kind: 'answer',
    markdown: `I did not start ${source?.name ?? 'this prompt'}, because it contains errors:\n\n${lines.join('\n')}\n`,
  };
}

function listed(runbooks: readonly FoundRunbook[]): string {
  const rows = runbooks.map((it) => `- \`/${it.name}\`: ${describe(it)}`);
  return [
    'I run runbooks. Send one of these:',
    '',
    ...rows,
    '',
    'To add your own, save Markdown files with `sh`, `diff`, `write <path>`, `ask`, and `tool <name>` blocks in `.switchboard/runbooks/`.',
    '',
  ].join('\n');
}

function describe(runbook: FoundRunbook): string {
  return runbook.description === '' ? runbook.title : `${runbook.title}. ${runbook.description}`;
}

function answer(turnId: string, text: string): TurnEvent {
  return { kind: 'text', partId: `${turnId}-answer`, text };
}
