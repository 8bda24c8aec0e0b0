import type { ChatActionOf } from '../../sidecar/protocol/channels/chat/actions.ts';
import type { SessionInputRequest } from '../../sidecar/protocol/channels/session/schema.ts';
import { type OfferedRule, offeredRules, ruleWords } from '../../sidecar/protocol/rules.ts';
import type { StringOrMarkdown } from '../../sidecar/protocol/shared.ts';
import { unescapeMarkdown, visibleText } from '../../sidecar/protocol/visibleText.ts';
import { countLines, fileName } from './texts.ts';

type ToolConfirmation = Extract<SessionInputRequest, { kind: 'toolConfirmation' }>;

/** The ids that host, page and notifications share. What is wider than once is absent where it must not be offered. */
export type OptionId = 'allow-once' | 'allow-when-free' | 'allow-take-over' | WiderOption | 'deny' | 'deny-with-reason';
export type WiderOption = `allow-${OfferedRule['scope']}` | `allow-${OfferedRule['scope']}:${number}`;

/** What a person needs to know to answer a confirmation, read from a call whose `_meta` came from outside. */
export interface ConfirmationFacts {
  readonly toolKind: string;
  /** The whole command, the files, or the tool's own words: what is at stake, on one line. */
  readonly subject: string;
  /** As the agent wrote it, with its lines. */
  readonly fullSubject: string;
  readonly cwd: string | undefined;
  readonly paths: readonly string[];
  /** What a wider answer would save, in words. */
  readonly rule: string | undefined;
  /** Every wider answer, with the rule that it saves. */
  readonly offers: readonly OfferedRule[];
  /** False for what is destructive or leaves the workspace: no allow without a second look. */
  readonly isOneClick: boolean;
  readonly options: ReadonlySet<string>;
  readonly added: number;
  readonly removed: number;
  /** The tool ran already; what waits is whether the agent may see its result. */
  readonly isResult: boolean;
}

export function confirmationFacts({ toolCall }: ToolConfirmation): ConfirmationFacts {
  const meta = toolCall._meta ?? {};
  const command = text(meta['command']);
  const rule = text(meta['rule']);
  const paths = Array.isArray(meta['paths']) ? meta['paths'].filter((it) => typeof it === 'string') : [];
  const edits = toolCall.status === 'pending-confirmation' ? (toolCall.edits?.items ?? []) : [];
  const options = toolCall.status === 'pending-confirmation' ? (toolCall.options ?? []) : [];
  const fullSubject = visibleText(
    command ?? subjectOf(plainText(toolCall.invocationMessage), paths) ?? toolCall.displayName,
  );
  return {
    toolKind: text(meta['toolKind']) ?? 'other',
    subject: fullSubject.replace(/\s*\n\s*/g, ' ⏎ ').trim() || toolCall.displayName,
    fullSubject,
    cwd: text(meta['cwd']),
    paths,
    rule: rule === undefined ? undefined : ruleWords(text(meta['ruleTarget']), rule),
    offers: offeredRules(meta).filter(({ option }) => options.some((it) => it.id === option)),
    isOneClick: meta['oneClick'] === true,
    options: new Set(options.map((it) => it.id)),
    ...countLines(edits),
    isResult: toolCall.status === 'pending-result-confirmation',
  };
}

/** The names of the files that the call would change, for people: `a.ts, b.ts`. */
export function fileNames({ paths }: ConfirmationFacts): string {
  return visibleText(paths.map(fileName).join(', '));
}

/** The whole path of a file of the call, for people. */
export function pathOf(uri: string): string {
  const path = uri.replace(/^file:\/\//, '');
  try {
    return visibleText(decodeURIComponent(path));
  } catch {
    return path; // a lone `%` in a name that was never encoded
  }
}

export interface Decision {
  readonly option: OptionId;
  /** For `deny-with-reason`: reaches the agent. */
  readonly reason?: string;
}

/** The action that answers a confirmation. It goes to the request's chat. */
export function decide(
  { turnId, toolCall }: ToolConfirmation,
  { option, reason }: Decision,
): ChatActionOf<'chat/toolCallConfirmed' | 'chat/toolCallResultConfirmed'> {
  const isAllowed = option.startsWith('allow');
  const about = { turnId, toolCallId: toolCall.toolCallId };
  if (toolCall.status === 'pending-result-confirmation') {
    return { type: 'chat/toolCallResultConfirmed', ...about, approved: isAllowed };
  }
  const known = toolCall.options?.some((it) => it.id === option) ?? false;
  const selected = known ? { selectedOptionId: option } : {};
  return isAllowed
    ? { type: 'chat/toolCallConfirmed', ...about, approved: true, confirmed: 'user-action', ...selected }
    : {
        type: 'chat/toolCallConfirmed',
        ...about,
        approved: false,
        reason: 'denied',
        ...(reason ? { reasonMessage: reason } : {}),
        ...selected,
      };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Without the list of files that follows the words: those stand in `_meta.paths`. */
function plainText(value: StringOrMarkdown | undefined): string | undefined {
  const words = typeof value === 'object' ? unescapeMarkdown(value.markdown.split('\n\n')[0]!) : value;
  return words || undefined;
}

/** The agent's words, and the names of files that they leave out. */
function subjectOf(words: string | undefined, paths: readonly string[]): string | undefined {
  const missing = paths.map(fileName).filter((it) => !words?.includes(it));
  return missing.length === 0 ? words : [words, missing.join(', ')].filter(Boolean).join(': ');
}

export function isOption(id: string): id is OptionId {
  return /^(?:allow-(?:once|when-free|take-over)|allow-(?:session|workspace|always)(?::\d+)?|deny|deny-with-reason)$/.test(
    id,
  );
}
