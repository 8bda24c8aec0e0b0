/** Characters of one piece of text that is looked up and read as a whole. */
const CHUNK_LENGTH = 4_096;
/** What two pieces of a longer line share: no query is longer, so no term is lost between them. */
const SHARED_LENGTH = 256;
/** More of a turn is not searched. */
const TURN_LENGTH = 1024 * 1024;
const INPUT_LENGTH = 4_096;
/** Outputs are long and say little; a short one is searched. */
const OUTPUT_LENGTH = 2_000;

/** What is read of a stored turn. It was judged before it was written. */
interface StoredTurn {
  readonly startedAt?: string;
  readonly message: { readonly text: string };
  readonly responseParts: readonly {
    readonly kind: string;
    readonly content?: string;
    readonly toolCall?: StoredCall;
  }[];
}
interface StoredCall {
  readonly displayName?: string;
  readonly invocationMessage?: Words;
  readonly pastTenseMessage?: Words;
  readonly toolInput?: string;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
}
type Words = string | { readonly markdown?: string };

/** When a turn began, in milliseconds, and what is searched of it: the prompt, the answer, and the tools with their commands. */
export function indexedText(body: string): { readonly atMs: number; readonly chunks: readonly string[] } {
  const { startedAt, message, responseParts } = JSON.parse(body) as StoredTurn;
  const parts = responseParts.map((it) => {
    if (it.kind === 'markdown') return it.content ?? '';
    return it.toolCall ? callText(it.toolCall) : '';
  });
  const text = [message.text, ...parts].filter((it) => it !== '').join('\n');
  return { atMs: Date.parse(startedAt ?? '') || 0, chunks: chunksOf(text.slice(0, TURN_LENGTH)) };
}

function callText({ displayName, invocationMessage, pastTenseMessage, toolInput, content }: StoredCall): string {
  const output = (content ?? []).map((it) => (it.type === 'text' ? (it.text ?? '') : '')).join('\n');
  const lines = [
    displayName ?? '',
    plain(pastTenseMessage ?? invocationMessage),
    (toolInput ?? '').slice(0, INPUT_LENGTH),
    output.length <= OUTPUT_LENGTH ? output : '',
  ];
  return lines.filter((it) => it !== '').join('\n');
}

function plain(words: Words | undefined): string {
  return typeof words === 'string' ? words : (words?.markdown ?? '');
}

/** Whole lines, as many as fit. Only a line that is longer than a piece is in several. */
function chunksOf(text: string): string[] {
  const chunks: string[] = [];
  let held = '';
  const flush = () => {
    if (held.trim() !== '') chunks.push(held);
    held = '';
  };
  for (const line of text.split('\n')) {
    if (held.length + line.length >= CHUNK_LENGTH) flush();
    if (line.length < CHUNK_LENGTH) held += held === '' ? line : `\n${line}`;
    else
      for (let at = 0; at < line.length; at += CHUNK_LENGTH - SHARED_LENGTH)
        chunks.push(line.slice(at, at + CHUNK_LENGTH));
  }
  flush();
  return chunks;
}
