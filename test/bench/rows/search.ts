import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../../sidecar/host/storage/hostStorage.ts';
import { TranscriptIndex } from '../../../sidecar/host/storage/search/transcriptIndex.ts';
import { median, percentile, type Row } from '../measure.ts';

const SMALL_BYTES = 10_000_000;
/** `SWITCHBOARD_BENCH_SEARCH_MB` asks for a smaller base, for a look in between. */
const LARGE_BYTES = Number(process.env['SWITCHBOARD_BENCH_SEARCH_MB'] ?? 1_000) * 1_000_000;
const TURN_BYTES = 8_000;
const TURNS_OF_CHAT = 500;
const SEARCHES = 100;
const MATCHES = 50;

/** The newest matches of words that are everywhere, here and there, and almost nowhere, in a small and in a large base. */
export async function search(): Promise<readonly Row[]> {
  const [small, large] = [await openBase(SMALL_BYTES), await openBase(LARGE_BYTES)];
  try {
    const kinds: readonly (readonly [says: string, query: (n: number) => string])[] = [
      ['common words', (n) => `${wordAt(n % 50)} ${wordAt((n + 7) % 50)}`],
      ['rare words', (n) => `"${wordAt(3_000 + n)} ${wordAt(1 + (n % 20))}"`],
      ['words that nobody said', (n) => `${wordAt(n % 50)}${wordAt(5_000 + n)}`],
    ];
    const rows: Row[] = [];
    for (const [says, query] of kinds) {
      const figures = { small: [] as number[], large: [] as number[] };
      for (let n = 0; n < SEARCHES; n += 1) {
        figures.small.push(msOf(small.index, query(n)));
        figures.large.push(msOf(large.index, query(n)));
      }
      const [a, b] = [median(figures.large), median(figures.small)];
      const tail = percentile(figures.large, 0.99).toFixed(2);
      const megabytes = (bytes: number) => `${bytes / 1e6} MB`;
      rows.push({
        name: `newest ${MATCHES} matches of ${says} in ${megabytes(LARGE_BYTES)} of text`,
        value: a,
        limit: 50,
        unit: 'ms',
        detail: `p99 ${tail} ms; ${b.toFixed(2)} ms in ${megabytes(SMALL_BYTES)}, a ratio of ${(a / b).toFixed(1)}`,
      });
    }
    return [...rows, { name: 'text that is indexed in a second', value: large.rate, unit: 'MB', detail: large.detail }];
  } finally {
    for (const it of [small, large]) await it.close();
  }
}

function msOf(index: TranscriptIndex, query: string): number {
  const started = performance.now();
  index.search({ query, limit: MATCHES });
  return performance.now() - started;
}

async function openBase(bytes: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-search-'));
  const storage = openStorage({
    dataDir,
    now: '2026-01-01T00:00:00.000Z',
    onDamage: () => undefined,
    warn: () => undefined,
  });
  const turns = Math.ceil(bytes / TURN_BYTES);
  for (let first = 0; first < turns; first += TURNS_OF_CHAT)
    storage.transaction(() => fillChat(storage, first, Math.min(turns, first + TURNS_OF_CHAT)));
  const index = new TranscriptIndex(dataDir);
  const started = performance.now();
  while (index.step().hasMore);
  const seconds = (performance.now() - started) / 1_000;
  return {
    index,
    rate: bytes / 1e6 / seconds,
    detail: `${bytes / 1e6} MB in ${seconds.toFixed(1)} s, in steps, by a thread of its own`,
    async close() {
      index.close();
      await storage.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function fillChat({ chats, sessions }: ReturnType<typeof openStorage>, first: number, end: number): void {
  const [chat, session] = [`chat-${first}`, `session-${first}`];
  const at = '2026-01-01T00:00:00.000Z';
  const summary = JSON.stringify({ title: `Session ${first}` });
  sessions.put({ uri: session, body: '{}', summary, createdAt: at, modifiedAt: at, listed: true, busy: false });
  chats.putHead(chat, session, '{}');
  for (let n = first; n < end; n += 1) {
    const startedAt = new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
    const responseParts = [{ kind: 'markdown', id: 'p', content: textOf(n) }];
    const turn = { id: `${n}`, startedAt, message: { text: `question ${n}` }, responseParts, state: 'complete' };
    chats.insertTurn(chat, n - first, turn.id, JSON.stringify(turn));
  }
}

/** Lines of words as in a language: the n-th most frequent is said a n-th as often. */
function textOf(seed: number): string {
  let state = (seed + 1) * 2_654_435_761;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  let text = '';
  while (text.length < TURN_BYTES) {
    for (let count = 0; count < 14; count += 1) text += `${wordAt(Math.floor(20_000 ** next()))} `;
    text += '\n';
  }
  return text;
}

const syllables = 'ba co di fu ge ha ji ko lu me na po qui ra se ti vu wa xe yo zu tra ste bli cro'.split(' ');
function wordAt(rank: number): string {
  let [word, rest] = ['', rank * 7_919 + 13];
  do {
    word += syllables[rest % syllables.length];
    rest = Math.floor(rest / syllables.length);
  } while (rest > 0);
  return word;
}
