import { type BenchClient, type BenchHost, openBenchHost } from '../benchHost.ts';
import { threadsMs } from '../gateway/processFigures.ts';
import { alternate, type Row, RUNS, ratioRow } from '../measure.ts';
import { seedTurns } from '../seed.ts';

const LONG = 2_000;
const SHORT = 20;
const TURN_BYTES = 1_000;
/** Few, so that the short chat stays short. */
const TURNS = 30;
const WARM_UP = 3;

/**
 * What a short turn costs the host in processor time, however many turns there were: one that only begins and ends, and one
 * in which the agent says ten words. Each run has chats of its own, so that neither grows under it.
 */
export async function shortTurns(): Promise<readonly Row[]> {
  const host = openBenchHost();
  host.addRunbook('nothing', '---\ntitle: Nothing\n---\n');
  host.addRunbook('ten', 'one two three four five six seven eight nine ten');
  try {
    const chats = await openChats(host);
    const client = await host.connect();
    const pid = host.place.host()?.pid ?? 0;
    const rows: Row[] = [];
    for (const [what, prompt] of [
      ['that begins and ends', '/nothing'],
      ['of 10 deltas', '/ten'],
    ] as const) {
      const figures = await alternate(
        () => turnMs(client, pid, chats.long, prompt),
        () => turnMs(client, pid, chats.short, prompt),
      );
      rows.push(ratioRow(`processor time of a turn ${what} at ${LONG} turns against ${SHORT}`, figures, 1.2));
    }
    return rows;
  } finally {
    await host.close();
  }
}

type Chat = Awaited<ReturnType<BenchClient['newSession']>>;

/** Two of each length for every run and the first pair, which is not counted. */
async function openChats(host: BenchHost): Promise<{ long: Chat[]; short: Chat[] }> {
  const client = await host.connect();
  const chats = { long: [] as Chat[], short: [] as Chat[] };
  for (const list of [chats.long, chats.short]) {
    for (let n = 0; n < 2 * (RUNS + 1); n += 1) {
      const made = await client.newSession();
      await client.turn(made.chat, '/nothing');
      list.push(made);
    }
  }
  client.sidecar.endInput();
  await host.place.killHost();
  for (const { chat } of chats.long) await seedTurns(host.place.dataDir, chat, LONG, TURN_BYTES);
  for (const { chat } of chats.short) await seedTurns(host.place.dataDir, chat, SHORT, TURN_BYTES);
  return chats;
}

/** @returns milliseconds of the processor a turn, all threads of the host together */
async function turnMs({ peer, turn }: BenchClient, pid: number, left: Chat[], prompt: string): Promise<number> {
  const next = left.shift();
  if (!next) throw new Error('all chats were used');
  for (const channel of [next.session, next.chat])
    await peer.sendRequest('subscribe', { channel, view: { turns: 20 } });
  for (let n = 0; n < WARM_UP; n += 1) await turn(next.chat, prompt);
  const before = threadsMs(pid);
  for (let n = 0; n < TURNS; n += 1) await turn(next.chat, prompt);
  const spent = threadsMs(pid) - before;
  for (const channel of [next.session, next.chat]) peer.sendNotification('unsubscribe', { channel });
  return spent / TURNS;
}
