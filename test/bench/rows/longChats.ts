import { type BenchClient, type BenchHost, openBenchHost } from '../benchHost.ts';
import { alternate, medianOf, type Row, RUNS, ratioRow } from '../measure.ts';
import { seedTurns } from '../seed.ts';

const LONGEST = 5_000;
const OUTPUT_BYTES = 4_080;
const LONG = 2_000;
const SHORT = 20;
const TURN_BYTES = 2_500;
const LOOKS = 20;

/**
 * What it costs to open a chat at its end, however long it is: 5,000 turns and 20 MB of tool output that is at hand, and 2,000
 * turns of a chat that nobody opened since the host started.
 */
export async function longChats(): Promise<readonly Row[]> {
  const host = openBenchHost();
  host.addRunbook('words', '# Words\n\nSome words.\n');
  try {
    const before = await host.connect();
    const chat = async () => {
      const made = await before.newSession();
      await before.turn(made.chat, '/words');
      return made;
    };
    const [longest, short] = [await chat(), await chat()];
    const unopened = { long: [] as Opened[], short: [] as Opened[] };
    // One more than there are runs: the first pair is not counted.
    for (let n = 0; n <= RUNS; n += 1) for (const list of [unopened.long, unopened.short]) list.push(await chat());
    before.sidecar.endInput();
    await host.place.killHost();
    const { dataDir } = host.place;
    await seedTurns(dataDir, longest.chat, LONGEST, OUTPUT_BYTES, 'output');
    await seedTurns(dataDir, short.chat, SHORT, OUTPUT_BYTES, 'output');
    for (const it of unopened.long) await seedTurns(dataDir, it.chat, LONG, TURN_BYTES);
    for (const it of unopened.short) await seedTurns(dataDir, it.chat, SHORT, TURN_BYTES);

    const client = await host.connect();
    const subscribed = await alternate(
      () => subscribeMs(client, longest.chat),
      () => subscribeMs(client, short.chat),
    );
    const opened = await alternate(
      () => openMs(client, unopened.long),
      () => openMs(client, unopened.short),
    );
    return [
      ratioRow(
        `subscribe to the last 20 of ${LONGEST} turns and 20 MB of output against ${SHORT} turns`,
        subscribed,
        1.5,
      ),
      ratioRow(`first opening of a chat of ${LONG} turns against ${SHORT} turns`, opened, 1.5),
    ];
  } finally {
    await host.close();
  }
}

type Opened = Awaited<ReturnType<Awaited<ReturnType<BenchHost['connect']>>['newSession']>>;

function subscribeMs({ peer }: BenchClient, chat: string): Promise<number> {
  return medianOf(LOOKS, async () => {
    const started = performance.now();
    await peer.sendRequest('subscribe', { channel: chat, view: { turns: 20 } });
    return performance.now() - started;
  });
}

/** A session and its chat, as a window opens them. */
async function openMs({ peer }: BenchClient, left: Opened[]): Promise<number> {
  const next = left.shift();
  if (!next) throw new Error('all chats were opened');
  const started = performance.now();
  await peer.sendRequest('subscribe', { channel: next.session });
  await peer.sendRequest('subscribe', { channel: next.chat, view: { turns: 20 } });
  return performance.now() - started;
}
