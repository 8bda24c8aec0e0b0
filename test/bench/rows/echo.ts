import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildEchoSidecar } from '../../support/echoHost/build.ts';
import { openSidecarPlace } from '../../support/sidecar.ts';
import { openBenchHost } from '../benchHost.ts';
import { Dispatcher, drafts } from '../dispatcher.ts';
import { alternate, median, type Row, ratioRow } from '../measure.ts';

const BURST = 5_000;
const SINGLE = 2_000;

/** Dispatch to echo over stdio, on disk first, against the bare library's echo that keeps nothing, on the same road. */
export async function echo(): Promise<readonly Row[]> {
  const host = openBenchHost();
  const bare = await openBareEcho();
  try {
    const client = await host.connect();
    const { chat } = await client.newSession();
    const bursts = await alternate(
      () => client.dispatcher.burst(chat, drafts(BURST)),
      () => bare.dispatcher.burst(chat, drafts(BURST)),
    );
    const singles = await alternate(
      async () => median(await client.dispatcher.oneByOne(chat, drafts(SINGLE))),
      async () => median(await bare.dispatcher.oneByOne(chat, drafts(SINGLE))),
    );
    return [
      ratioRow(`dispatch to echo, ${BURST} at once, durable against bare`, bursts, 1.2),
      ratioRow('dispatch to echo, one at a time, durable against bare', singles, 1.2),
    ];
  } finally {
    await bare.end();
    await host.close();
  }
}

async function openBareEcho(): Promise<{ dispatcher: Dispatcher; end: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bare-'));
  const main = join(import.meta.dirname, '../bareEcho.child.ts');
  const place = openSidecarPlace(await buildEchoSidecar(folder, { version: '0.1.0', builtAtMs: 1 }, main));
  return {
    dispatcher: new Dispatcher(place.start().peer, 'bench'),
    async end() {
      await place.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
