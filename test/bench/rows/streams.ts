import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildEchoSidecar } from '../../support/echoHost/build.ts';
import { openSidecarPlace } from '../../support/sidecar.ts';
import { openBenchHost } from '../benchHost.ts';
import { type Follower, follow } from '../directClient.ts';
import { processorMs } from '../gateway/processFigures.ts';
import { alternate, median, type Row, RUNS, ratioRow } from '../measure.ts';

const DELTAS = 10_000;
const FEW = [1, 20] as const;
const MANY = 50;
const WORD = 'token ';

/**
 * One chat that streams, each word an envelope on disk before it leaves: to 1 and to 20 subscribers against the bare library,
 * which sends them notifications of the same bytes and keeps nothing; and what 50 subscribers cost the host against one.
 */
export async function streams(): Promise<readonly Row[]> {
  const host = openBenchHost();
  const bare = await openBareStream();
  try {
    host.addRunbook('words', `# Words\n\n${WORD.repeat(DELTAS)}\n`);
    const rows: Row[] = [];
    for (const count of FEW) {
      const ours = await openStream(host, count);
      const theirs = await bare.open(count);
      rows.push(
        ratioRow(`${DELTAS} deltas to ${count}, durable against bare`, await alternate(ours.stream, theirs.stream)),
      );
      ours.close();
      theirs.close();
    }
    rows.push(await processorRow(host));
    return rows;
  } finally {
    await bare.end();
    await host.close();
  }
}

type BenchHost = ReturnType<typeof openBenchHost>;
interface Stream {
  /** Milliseconds from the prompt until the last subscriber heard the last word. */
  stream(): Promise<number>;
  close(): void;
}

async function openStream(host: BenchHost, count: number): Promise<Stream> {
  const client = await host.connect();
  const { chat } = await client.newSession();
  const followers: Follower[] = [];
  for (let n = 0; n < count; n += 1) followers.push(await follow(host.place, chat));
  return {
    async stream() {
      const started = performance.now();
      const ended = followers.map((it) => it.heard('chat/turnComplete'));
      const words = followers.map((it) => it.heard('chat/delta', DELTAS - 1));
      await client.turn(chat, '/words');
      await Promise.all(ended);
      await Promise.all(words);
      return performance.now() - started;
    },
    close() {
      for (const it of followers) it.peer.close();
      client.sidecar.endInput();
    },
  };
}

/** The processor time of the host's process for the same turn, with many subscribers and with one. */
async function processorRow(host: BenchHost): Promise<Row> {
  const [many, one] = [await openStream(host, MANY), await openStream(host, 1)];
  const pid = host.place.host()?.pid ?? 0;
  const cost = async ({ stream }: Stream) => {
    const before = processorMs(pid);
    await stream();
    return processorMs(pid) - before;
  };
  const figures = await alternate(
    () => cost(many),
    () => cost(one),
  );
  const [a, b] = [median(figures.ours), median(figures.baseline)];
  many.close();
  one.close();
  return {
    name: `processor time of the host for ${DELTAS} deltas to ${MANY} against 1`,
    value: a / b,
    unit: 'ratio',
    detail: `${a.toFixed(0)} ms against ${b.toFixed(0)} ms, medians of ${RUNS}; one text an envelope, ${MANY} writes`,
  };
}

async function openBareStream() {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bare-'));
  const main = join(import.meta.dirname, '../bareEcho.child.ts');
  const place = openSidecarPlace(await buildEchoSidecar(folder, { version: '0.1.0', builtAtMs: 1 }, main));
  const first = place.start();
  await first.peer.sendRequest('ready', {});
  return {
    async open(count: number): Promise<Stream> {
      const followers: Follower[] = [];
      for (let n = 0; n < count; n += 1) followers.push(await follow(place));
      for (const it of followers) it.peer.sendNotification('follow', {});
      return {
        async stream() {
          const started = performance.now();
          const ended = followers.map((it) => it.heard('chat/delta', DELTAS));
          first.peer.sendNotification('stream', { count: DELTAS, content: WORD });
          await Promise.all(ended);
          return performance.now() - started;
        },
        close() {
          for (const it of followers) it.peer.close();
        },
      };
    },
    async end() {
      await place.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
