import { openBenchHost } from '../benchHost.ts';
import { drafts } from '../dispatcher.ts';
import { alternate, medianOf, percentile, type Row, ratioRow } from '../measure.ts';
import { seedTurns } from '../seed.ts';

/** Enough for a hundred beyond the 99th in a hundred: of 1,000 the ten slowest are a matter of chance. */
const DISPATCHES = 10_000;
const TURNS = 15;
const LONG = 2_000;
const SHORT = 20;
const TURN_BYTES = 10_000;

/** A chat of 2,000 turns and 20 MB against one of 20 turns of the same size, in the same host. */
export async function history(): Promise<readonly Row[]> {
  const host = openBenchHost();
  host.addRunbook('words', `# Words\n\n${'Some words to be said. '.repeat(20)}\n`);
  try {
    const before = await host.connect();
    const [long, short] = [await before.newSession(), await before.newSession()];
    for (const { chat } of [long, short]) await before.turn(chat, '/words');
    before.sidecar.endInput();
    await host.place.killHost();
    await seedTurns(host.place.dataDir, long.chat, LONG, TURN_BYTES);
    await seedTurns(host.place.dataDir, short.chat, SHORT, TURN_BYTES);

    const { dispatcher, peer, turn } = await host.connect();
    for (const { chat } of [long, short]) await peer.sendRequest('subscribe', { channel: chat, view: { turns: 20 } });
    const p99 = async (chat: string) => percentile(await dispatcher.oneByOne(chat, drafts(DISPATCHES)), 0.99);
    const turnEnd = (chat: string) => medianOf(TURNS, () => turn(chat, '/words'));
    for (const { chat } of [long, short]) await p99(chat); // what compiles and fills caches is no matter of turns
    const dispatches = await alternate(
      () => p99(long.chat),
      () => p99(short.chat),
    );
    const turns = await alternate(
      () => turnEnd(long.chat),
      () => turnEnd(short.chat),
    );
    return [
      ratioRow(`dispatch p99 at ${LONG} turns and 20 MB against ${SHORT} turns`, dispatches, 1.2),
      ratioRow(`a whole turn at ${LONG} turns and 20 MB against ${SHORT} turns`, turns, 1.2),
    ];
  } finally {
    await host.close();
  }
}
