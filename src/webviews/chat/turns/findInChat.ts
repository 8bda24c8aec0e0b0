import type { ChatMatch } from '../../contract/chat.ts';
import type { Row } from '../../contract/chatModel.ts';
import { RowBuilder } from '../chatRows.ts';
import type { OpenChat } from '../openChat.ts';
import type { ChatTurnsDeps, FindInChat } from './chatTurnsModule.ts';

/** More places than these nobody goes through; the page says that there are more. */
const MOST_MATCHES = 2_000;

/** Finds words in all turns of a chat, also in those that no page shows: what is still with the host only is fetched. */
export async function findInChat({ chat, post }: ChatTurnsDeps, { requestId, text }: FindInChat): Promise<void> {
  if (text !== '') await loadAll(chat);
  const rows = chat.chat && text !== '' ? new RowBuilder(chat.folders).rows(chat.chat, 0, () => undefined) : [];
  const matches = matchesIn(rows, text);
  post({ type: 'matches', requestId, matches: matches.slice(0, MOST_MATCHES), isMore: matches.length > MOST_MATCHES });
}

async function loadAll(chat: OpenChat): Promise<void> {
  let asked: string | undefined;
  for (;;) {
    const { chatUri: channel, chat: state } = chat;
    const cursor = state?.turnsNextCursor;
    if (channel === undefined || cursor === undefined || cursor === asked) return;
    asked = cursor;
    await chat.deps.port.request('fetchTurns', { channel, cursor });
  }
}

/** Where the words are, oldest first: in which row, and which of its places that is. */
export function matchesIn(rows: readonly Row[], text: string): ChatMatch[] {
  const wanted = text.toLowerCase();
  if (wanted === '') return [];
  return rows.flatMap((row) => {
    const words = wordsOf(row).toLowerCase();
    const found: ChatMatch[] = [];
    for (let at = words.indexOf(wanted); at >= 0; at = words.indexOf(wanted, at + wanted.length))
      found.push({ rowId: row.id, turnId: row.turnId, nth: found.length });
    return found;
  });
}

/** What a row says when all of it is unfolded. */
function wordsOf(row: Row): string {
  switch (row.kind) {
    case 'prompt':
      return row.text;
    case 'markdown':
    case 'reasoning':
      return readable(row.text);
    case 'notice':
      return row.isMarkdown ? readable(row.text) : row.text;
    case 'tool': {
      const { title, words, command, input, output, error, reason, files } = row;
      const all = [title, words, command, input, ...files.map((it) => it.label), output?.text, error, reason];
      return all.filter((it) => it !== undefined).join('\n');
    }
    case 'error':
      return row.message;
    case 'question':
    case 'end':
      return '';
  }
}

/** Markdown without the marks that nobody sees. Code keeps all of its characters. */
function readable(markdown: string): string {
  return markdown
    .split(/(^```[^\n]*\n[\s\S]*?^```[^\n]*$)/m)
    .map((part, n) => (n % 2 === 1 ? part.replace(/^```.*$/gm, '') : withoutMarks(part)))
    .join('');
}

function withoutMarks(text: string): string {
  return text
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/(\*\*|__|~~|`)/g, '')
    .replace(/(^|\W)[*_](?=\S)([^*_\n]*\S)[*_](?=\W|$)/g, '$1$2')
    .replace(/^ {0,3}(?:#{1,6}|>) /gm, '');
}
