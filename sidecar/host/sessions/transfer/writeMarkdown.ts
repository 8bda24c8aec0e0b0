import type { ResponsePart, Turn } from '../../../protocol/channels/chat/schema.ts';
import type { ToolCallState, ToolResultContent } from '../../../protocol/channels/chat/toolCalls.ts';
import type { RecordOf, SessionHead, SessionRecord } from '../../../protocol/channels/session/sessionFile.ts';
import type { Message, StringOrMarkdown } from '../../../protocol/shared.ts';
import { parseContentUri } from '../../../protocol/uris.ts';

/** Contents that are kept for what refers to them next, such as the whole output of a tool. */
const MAX_CONTENTS = 50;

/** A session for people: what was said and done, one chat after the other, then what changed. */
export async function* writeMarkdown(head: SessionHead, records: AsyncIterable<SessionRecord>): AsyncGenerator<string> {
  const { title, provider, createdAt, folders } = head.session;
  const facts = [`- Agent: ${provider}`, `- Started: ${createdAt}`, ...folders.map((it) => `- Folder: ${it}`)];
  yield `# ${oneLine(title) || 'Session'}\n\n${facts.join('\n')}\n\n> ${head.notice}\n`;
  const contents = new Map<string, string>();
  let hasChanges = false;
  for await (const record of records) {
    switch (record.kind) {
      case 'content':
        if (record.encoding === 'utf-8') contents.set(record.sha256, record.data);
        if (contents.size > MAX_CONTENTS) contents.delete(contents.keys().next().value!);
        break;
      case 'chat':
        yield `\n## Chat: ${oneLine(record.title) || 'New chat'}\n`;
        break;
      case 'turn':
        yield turnText(record.turn, contents);
        break;
      case 'change':
        if (record.turn !== undefined) break; // the changes of all turns together are those of the session
        if (!hasChanges) yield '\n## Changes\n';
        hasChanges = true;
        yield changeText(record);
        break;
      case 'comment':
        yield `\n## Comment on ${record.comment.resource}\n\n${record.comment.entries.map((it) => plain(it.text)).join('\n\n')}\n`;
    }
  }
}

function turnText(turn: Turn, contents: ReadonlyMap<string, string>): string {
  const { message, responseParts, startedAt, state, error } = turn;
  const at = startedAt === undefined ? '' : ` (${startedAt})`;
  const parts = responseParts.map((it) => partText(it, contents)).filter((it) => it !== '');
  const end = error ? [`**Error:** ${error.message}`] : state === 'cancelled' ? ['**Stopped.**'] : [];
  return `\n### Prompt${at}\n\n${messageText(message)}\n\n### Response\n\n${[...parts, ...end].join('\n\n')}\n`;
}

function messageText({ text, attachments }: Message): string {
  const attached = (attachments ?? []).map(
    (it) => `- Attached: ${oneLine(it.label)}${'uri' in it ? ` (${it.uri})` : ''}`,
  );
  return attached.length === 0 ? text : `${text}\n\n${attached.join('\n')}`;
}

function partText(part: ResponsePart, contents: ReadonlyMap<string, string>): string {
  switch (part.kind) {
    case 'markdown':
      return part.content;
    case 'reasoning':
      return `> **Thinking**\n>\n${part.content.replaceAll(/^/gm, '> ')}`;
    case 'contentRef':
      return `Attached: ${part.uri}`;
    case 'systemNotification':
      return `> ${plain(part.content)}`;
    case 'toolCall':
      return callText(part.toolCall, contents);
    case 'inputRequest':
      return `**Question:** ${part.request.message ?? ''}${part.response ? `\n\n**Answer:** ${JSON.stringify(part.response)}` : ''}`;
    default:
      return '';
  }
}

function callText(call: ToolCallState, contents: ReadonlyMap<string, string>): string {
  const done = 'pastTenseMessage' in call ? call.pastTenseMessage : undefined;
  const asked = 'invocationMessage' in call ? call.invocationMessage : undefined;
  const lines = [`**Tool: ${oneLine(call.displayName)}** ${plain(done ?? asked ?? '')}`];
  if ('toolInput' in call && call.toolInput !== undefined) lines.push(fenced(call.toolInput, 'json'));
  if ('content' in call) for (const it of call.content ?? []) lines.push(outputText(it, contents));
  if ('error' in call && call.error) lines.push(`**Error:** ${call.error.message}`);
  if (call.status === 'cancelled')
    lines.push(`**Not run** (${call.reason})${call.reasonMessage ? `: ${plain(call.reasonMessage)}` : ''}`);
  return lines.filter((it) => it !== '').join('\n\n');
}

function outputText(content: ToolResultContent, contents: ReadonlyMap<string, string>): string {
  switch (content.type) {
    case 'text':
      return fenced(content.text);
    case 'resource': {
      const kept = contents.get(parseContentUri(content.uri)?.sha256 ?? '');
      return kept === undefined ? `Output: ${content.uri}` : fenced(kept);
    }
    case 'fileEdit': {
      const { before, after, diff } = content;
      return `Edited ${after?.uri ?? before?.uri ?? ''} (+${diff?.added ?? 0} −${diff?.removed ?? 0})`;
    }
    case 'terminal':
      return fenced(content.result?.preview ?? '');
    case 'embeddedResource':
      return `Output of type ${content.contentType}`;
    case 'subagent':
      return `Worker: ${oneLine(content.title)}`;
    default:
      return '';
  }
}

function changeText({ file, patch }: RecordOf<'change'>): string {
  const { before, after } = file.edit;
  const what = !before ? ' (new)' : !after ? ' (deleted)' : '';
  return `\n### ${after?.uri ?? before?.uri ?? file.id}${what}\n\n${patch === undefined ? 'No text to compare.' : fenced(patch, 'diff')}\n`;
}

/** In a fence that is longer than any in the text. */
function fenced(text: string, language = ''): string {
  if (text === '') return '';
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((it) => it.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function plain(words: StringOrMarkdown): string {
  return typeof words === 'string' ? words : words.markdown;
}
