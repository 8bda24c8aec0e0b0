import type { ChatActionOf } from '../../sidecar/protocol/channels/chat/actions.ts';
import type { SessionInputRequest } from '../../sidecar/protocol/channels/session/schema.ts';
import type { StringOrMarkdown } from '../../sidecar/protocol/shared.ts';
import { countLines, fileName } from './texts.ts';

type ToolConfirmation = Extract<SessionInputRequest, { kind: 'toolConfirmation' }>;

/** The ids that host, page and notifications share. What is wider than once is absent where it must not be offered. */
export type OptionId = 'allow-once' | 'allow-session' | 'allow-always' | 'deny' | 'deny-with-reason';

/** What a person needs to know to answer a confirmation, read from a call whose `_meta` came from outside. */
export interface ConfirmationFacts {
  readonly toolKind: string;
  /** The whole command, the files, or the tool's own words: what is at stake, on one line. */
  readonly subject: string;
  /** As the agent wrote it, with its lines. */
  readonly fullSubject: string;
  readonly cwd: string | undefined;
  readonly paths: readonly string[];
  /** What "always" would save, for display. */
  readonly rule: string | undefined;
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
  const paths = Array.isArray(meta['paths']) ? meta['paths'].filter((it) => typeof it === 'string') : [];
  const edits = toolCall.status === 'pending-confirmation' ? (toolCall.edits?.items ?? []) : [];
  const options = toolCall.status === 'pending-confirmation' ? (toolCall.options ?? []) : [];
  const fullSubject = command ?? plainText(toolCall.invocationMessage) ?? toolCall.displayName;
  return {
    toolKind: text(meta['toolKind']) ?? 'other',
    subject: fullSubject.replace(/\s*\n\s*/g, ' ⏎ ').trim() || toolCall.displayName,
    fullSubject,
    cwd: text(meta['cwd']),
    paths,
    rule: text(meta['rule']),
    isOneClick: meta['oneClick'] === true,
    options: new Set(options.map((it) => it.id)),
    ...countLines(edits),
    isResult: toolCall.status === 'pending-result-confirmation',
  };
}

/** The names of the files that the call would change, for people: `a.ts, b.ts`. */
export function fileNames({ paths }: ConfirmationFacts): string {
  return paths.map(fileName).join(', ');
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

function plainText(value: StringOrMarkdown | undefined): string | undefined {
  return typeof value === 'object' ? value.markdown : value;
}
