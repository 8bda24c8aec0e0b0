import { CallMeta } from '../../../sidecar/protocol/channels/chat/callMeta.ts';
import { HeldMeta } from '../../../sidecar/protocol/channels/chat/heldMeta.ts';
import type { ChatState } from '../../../sidecar/protocol/channels/chat/schema.ts';
import { SubAgentMeta } from '../../../sidecar/protocol/channels/chat/subAgentMeta.ts';
import type { ToolCallState, ToolResultContent } from '../../../sidecar/protocol/channels/chat/toolCalls.ts';
import { allowedBy, offeredRules, ruleWords } from '../../../sidecar/protocol/rules.ts';
import type { FileEdit, StringOrMarkdown } from '../../../sidecar/protocol/shared.ts';
import { toolHints } from '../../../sidecar/protocol/toolHints.ts';
import { unescapeMarkdown, visibleText } from '../../../sidecar/protocol/visibleText.ts';
import { fileName } from '../../client/texts.ts';
import type { FileLine, ToolAsk, ToolOutput, ToolRow, ToolRowState } from '../contract/chatModel.ts';
import { folderName, pathLabel } from './pathLabel.ts';

const maxLines = 200;
const maxCharacters = 64 * 1024;

/**
 * A tool call as the page shows it. What stands in `_meta` came from outside and is read with care.
 * @param rowOf the id of the row of another call that the turn had before
 */
export function toToolRow(
  id: string,
  turnId: string,
  call: ToolCallState,
  folders: readonly string[],
  rowOf: (toolCallId: string) => string | undefined,
): ToolRow {
  const meta = call._meta ?? {};
  const { durationMs, parentToolCallId } = CallMeta.safeParse(meta).data ?? {};
  const parent = parentToolCallId === undefined ? undefined : rowOf(parentToolCallId);
  const command = textOf(meta['command']);
  const cwd = textOf(meta['cwd']);
  const where = cwd === undefined ? '' : pathLabel(cwd, folders) || folderName(cwd);
  const input = call.status === 'streaming' ? call.partialInput : 'toolInput' in call ? call.toolInput : undefined;
  const output = toOutput(fullOutputOf(call));
  const terminal = terminalOf(call);
  const exitCode = exitCodeOf(call);
  const error = call.status === 'completed' && !call.success ? call.error?.message : undefined;
  const reason = call.status === 'cancelled' ? plain(call.reasonMessage) : undefined;
  const ask = askOf(call);
  const through = allowedBy(meta);
  const words = call.status === 'pending-confirmation' ? firstLine(plain(call.invocationMessage)) : undefined;
  const files = editsOf(call).map((it) => toFileLine(it, folders));
  return {
    kind: 'tool',
    id,
    turnId,
    toolCallId: call.toolCallId,
    state: stateOf(call),
    toolKind: textOf(meta['toolKind']) ?? 'other',
    title: titleOf(call),
    files,
    paths: pathsOf(call, folders, files),
    ...(words && !isSaid(words, [call.displayName, command, ...files.map((it) => it.label)]) && { words }),
    ...(call.intention && { intention: visibleText(call.intention) }),
    ...(where && { where }),
    ...(command && { command: visibleText(command) }),
    ...(input && !command && files.length === 0 && { input: visibleText(input) }),
    ...(output && { output }),
    ...(terminal && { terminal: { resource: terminal.resource, place: 'gone' } }),
    ...(exitCode !== undefined && { exitCode }),
    ...(durationMs !== undefined && isOver(call) && { durationMs }),
    ...(parent !== undefined && { parentId: parent }),
    ...(error && { error }),
    ...(reason && { reason }),
    ...usageOfSubAgent(call),
    ...(through && { allowedBy: through }),
    ...(ask && { ask }),
  };
}

/** The files that a call wants to change, or changed: the order of {@link ToolRow.files}. */
export function editsOf(call: ToolCallState): readonly FileEdit[] {
  if (call.status === 'pending-confirmation') return call.edits?.items ?? [];
  return contentOf(call).flatMap((it) => (it.type === 'fileEdit' ? [it] : []));
}

/** What the sub-agent of a call used, if the call says so. */
function usageOfSubAgent(call: ToolCallState): Pick<ToolRow, 'subAgentUsage'> {
  const meta = contentOf(call).find((it) => it.type === 'subagent')?._meta;
  if (!meta) return {};
  const { inputTokens, outputTokens, cost } = SubAgentMeta.parse(meta);
  const isCounted = inputTokens !== undefined && outputTokens !== undefined;
  return {
    subAgentUsage: { ...(isCounted && { tokens: { inputTokens, outputTokens } }), ...(cost && { cost }) },
  };
}

/** Where the command of a call runs, or ran. */
export function terminalOf(call: ToolCallState): Extract<ToolResultContent, { type: 'terminal' }> | undefined {
  return contentOf(call).find((it) => it.type === 'terminal');
}

/** Everything the call put out, without a limit: for the editor, not for the page. */
export function fullOutputOf(call: ToolCallState): string {
  return contentOf(call)
    .flatMap((it) => {
      if (it.type === 'text') return [it.text];
      if (it.type === 'terminal') return it.result?.preview === undefined ? [] : [it.result.preview];
      return [];
    })
    .join('\n');
}

export function toFileLine(edit: FileEdit, folders: readonly string[]): FileLine {
  const uri = edit.after?.uri ?? edit.before?.uri ?? '';
  return {
    label: visibleText(pathLabel(uri, folders)),
    change: changeOf(edit),
    ...(edit.diff?.added !== undefined && { added: edit.diff.added }),
    ...(edit.diff?.removed !== undefined && { removed: edit.diff.removed }),
  };
}

/** Markdown of one line as plain words: titles are set as text. */
export function plain(value: StringOrMarkdown | undefined): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  return unescapeMarkdown(
    value.markdown.replace(/(?<!\\)\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/(?<!\\)(?:`|\*\*)/g, ''),
  );
}

/** Files that a waiting call names, and no preview shows. */
function pathsOf(call: ToolCallState, folders: readonly string[], files: readonly FileLine[]): readonly string[] {
  const paths = call.status === 'pending-confirmation' ? call._meta?.['paths'] : undefined;
  if (!Array.isArray(paths)) return [];
  const labels = paths.filter((it) => typeof it === 'string').map((it) => visibleText(pathLabel(it, folders)));
  return labels.filter((it) => !files.some(({ label }) => label === it));
}

/** Whether the words only name what is shown anyway: by itself, or after a verb. */
function isSaid(words: string, shown: readonly (string | undefined)[]): boolean {
  return shown.some((it) => it !== undefined && words.endsWith(it) && /^(?:\S+ )?$/.test(words.slice(0, -it.length)));
}

function isOver({ status }: ToolCallState): boolean {
  return status === 'completed' || status === 'pending-result-confirmation';
}

function firstLine(text: string | undefined): string | undefined {
  return text?.split('\n')[0];
}

function changeOf({ before, after }: FileEdit): FileLine['change'] {
  if (!before) return 'created';
  if (!after) return 'deleted';
  return before.uri === after.uri ? 'edited' : 'moved';
}

function contentOf(call: ToolCallState): readonly ToolResultContent[] {
  return 'content' in call ? (call.content ?? []) : [];
}

function titleOf(call: ToolCallState): string {
  const words = {
    past: 'pastTenseMessage' in call ? plain(call.pastTenseMessage) : undefined,
    asked: call.status === 'pending-confirmation' ? plain(call.confirmationTitle) : undefined,
    present: 'invocationMessage' in call ? firstLine(plain(call.invocationMessage)) : undefined,
  };
  // The command itself says more than the name of its kind.
  const present =
    words.present === call.displayName ? (textOf(call._meta?.['command']) ?? words.present) : words.present;
  const [title] = [words.past, words.asked, present, call.displayName].filter(Boolean);
  return visibleText(firstLine(title)!);
}

function stateOf(call: ToolCallState): ToolRowState {
  switch (call.status) {
    case 'streaming':
      return 'preparing';
    case 'pending-confirmation':
    case 'pending-result-confirmation':
      return 'pending';
    case 'auth-required':
      return 'signIn';
    case 'completed':
      return call.success ? 'done' : 'failed';
    case 'cancelled':
      return call.reason === 'skipped' ? 'skipped' : 'denied';
    default:
      return 'running';
  }
}

function askOf(call: ToolCallState): ToolAsk | undefined {
  if (call.status === 'pending-result-confirmation') {
    const options = [
      { id: 'allow-once', label: 'Allow once', approves: true },
      { id: 'deny', label: 'Deny', approves: false },
    ];
    return { options, oneClick: true };
  }
  if (call.status !== 'pending-confirmation') return undefined;
  const pattern = textOf(call._meta?.['rule']);
  const rule = pattern && ruleWords(textOf(call._meta?.['ruleTarget']), pattern);
  const offers = offeredRules(call._meta);
  const times = call._meta?.['timesAllowed'];
  const because = reasons.find((it) => it === call._meta?.['because']);
  const hints = toolHints(call._meta?.['annotations']);
  const held = HeldMeta.safeParse(call._meta).data?.heldBy;
  return {
    options: (call.options ?? []).map((it) => ({ id: it.id, label: it.label, approves: it.kind === 'approve' })),
    oneClick: call._meta?.['oneClick'] === true,
    ...(rule && { rule }),
    ...(typeof times === 'number' && { timesAllowed: times }),
    ...(offers.length > 0 && { offers }),
    ...(because && { because }),
    ...(hints && { hints }),
    ...(held && { heldBy: held.map(({ title, files }) => ({ title, files: files.map(fileName) })) }),
  };
}
const reasons = ['destructive', 'outside', 'protected', 'unclear'] as const;

/** The end of an output; `undefined` if there is none. */
export function toOutput(whole: string): ToolOutput | undefined {
  const text = whole.replace(/\n+$/, '');
  if (!text) return undefined;
  const lines = text.split('\n');
  const kept = lines.slice(-maxLines).join('\n').slice(-maxCharacters);
  return { text: kept, lines: lines.length, isCut: kept.length < text.length };
}

function exitCodeOf(call: ToolCallState): number | undefined {
  return contentOf(call)
    .flatMap((it) => (it.type === 'terminal' && it.result ? [it.result.exitCode] : []))
    .at(-1);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A call of a turn that runs or is shown. */
export function callIn(chat: ChatState | undefined, turnId: string, toolCallId: string): ToolCallState | undefined {
  const turn = chat?.activeTurn?.id === turnId ? chat.activeTurn : chat?.turns.find((it) => it.id === turnId);
  for (const part of turn?.responseParts ?? [])
    if (part.kind === 'toolCall' && part.toolCall.toolCallId === toolCallId) return part.toolCall;
  return undefined;
}
