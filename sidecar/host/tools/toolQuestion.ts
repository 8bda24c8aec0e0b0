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

export interface ToolQuestion {
  readonly confirmationTitle: string;
  readonly invocationMessage: StringOrMarkdown;
  readonly riskAssessment?: { readonly status: 'complete'; readonly reason: StringOrMarkdown; readonly safety: number };
}

/**
 * The words of a question about a tool call. The title is ours; what the agent wrote is shown literally, as Markdown in
 * which nothing of it is markup; files and characters that nobody sees are named.
 */
export function toolQuestion(facts: ToolFacts): ToolQuestion {
  const exact = [facts.invocationMessage, facts.toolInput ?? '', facts.command ?? '', ...facts.paths];
  const isHiding = exact.some(hidesCharacters);
  const title = titles[facts.kind];
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

/** The agent's words for it, unless they are the command over again. */
function wordsOf({ kind, invocationMessage, command }: ToolFacts): string {
  const bare = invocationMessage.replaceAll('`', '').replace(/…$/, '').trim();
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
