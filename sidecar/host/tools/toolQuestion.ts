import type { ToolFacts, ToolKind } from '../../agents/provider.ts';
import { toolNames } from '../../agents/toolNames.ts';
import type { StringOrMarkdown } from '../../protocol/shared.ts';
import { codeLines, codeSpan, escapeMarkdown, hidesCharacters, visibleText } from '../../protocol/visibleText.ts';
import { toFileUri } from '../context/paths.ts';

/** The question by the kind of the call. */
const titles: Readonly<Record<ToolKind, string>> = {
  shell: 'Run this command?',
  edit: 'Edit files?',
  read: 'Read files?',
  delete: 'Delete files?',
  move: 'Move files?',
  search: 'Search?',
  fetch: 'Fetch from the network?',
  think: 'Think?',
  other: 'Use this tool?',
};

/** The question where the call names one file. */
const titlesOfOne: Partial<typeof titles> = {
  edit: 'Edit file?',
  read: 'Read file?',
  delete: 'Delete file?',
};

export interface ToolQuestion {
  readonly confirmationTitle: string;
  readonly invocationMessage: StringOrMarkdown;
  readonly riskAssessment?: { readonly status: 'complete'; readonly reason: StringOrMarkdown; readonly safety: number };
}

/**
 * The words of a question about a tool call. The title is ours; what the agent wrote is shown literally, as Markdown in
 * which nothing of it is markup; files and characters that nobody sees are named.
 * @param creates whether none of the files is there, of a call that edits
 */
export function toolQuestion(facts: ToolFacts, creates = false): ToolQuestion {
  const exact = [facts.invocationMessage, facts.toolInput ?? '', facts.command ?? '', ...facts.paths];
  const isHiding = exact.some(hidesCharacters);
  const title = titleOf(facts, creates);
  return {
    confirmationTitle: isHiding ? `${title} It contains hidden characters.` : title,
    invocationMessage: {
      markdown: [escapeMarkdown(wordsOf(facts)), ...exactly(facts)].join('\n\n'),
    },
    ...(isHiding && {
      riskAssessment: {
        status: 'complete',
        reason: {
          markdown: `With the hidden characters shown: ${codeSpan(visibleText(facts.command ?? facts.toolInput ?? facts.invocationMessage))}`,
        },
        safety: 0,
      },
    }),
  };
}

function titleOf(facts: ToolFacts, creates: boolean): string {
  const isOne = filesOf(facts).length === 1;
  if (creates) return isOne ? 'Create file?' : 'Create files?';
  return (isOne ? titlesOfOne[facts.kind] : undefined) ?? titles[facts.kind];
}

export function filesOf({ paths, preview = [] }: ToolFacts): readonly string[] {
  return [...new Set([...paths, ...preview.map((it) => it.path)])];
}

/** The agent's words for it, unless they are the command over again, by itself or after a verb. */
function wordsOf({ kind, invocationMessage, command }: ToolFacts): string {
  const bare = invocationMessage.replaceAll('`', '').replace(/^Run /, '').replace(/…$/, '').trim();
  return command?.replaceAll('`', '').trim().startsWith(bare) ? toolNames[kind] : visibleText(invocationMessage);
}

/** The whole command, and files that no preview names. */
function exactly({ kind, command, paths, preview = [] }: ToolFacts): readonly string[] {
  if (command !== undefined) return [codeLines(visibleText(command))];
  if (kind === 'shell') return [];
  const shown = new Set(preview.map((it) => it.path));
  return paths.filter((it) => !shown.has(it)).map((it) => codeSpan(visibleText(it)));
}

/** Facts of a tool that the agent runs by itself: kept for review, and shown as what they are. */
export function toolMeta(facts: ToolFacts): Record<string, unknown> {
  return {
    toolKind: facts.kind,
    ...(facts.command !== undefined && { command: facts.command }),
    ...(facts.cwd !== undefined && { cwd: facts.cwd }),
    paths: facts.paths.map((it) => toFileUri(it)),
    ...(facts.annotations && { annotations: facts.annotations }),
  };
}
