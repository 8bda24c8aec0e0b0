import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { PeerConnection } from '../../../sidecar/transport/peer.ts';
import { openBenchHost } from '../benchHost.ts';
import { Dispatcher, drafts } from '../dispatcher.ts';
import { alternate, median, type Row, ratioRow } from '../measure.ts';

const BURST = 5_000;
const SINGLE = 400;

/** Dispatch to echo over stdio, on disk first, against the bare library's echo that keeps nothing. */
export async function echo(): Promise<readonly Row[]> {
  const host = openBenchHost();
  const bare = openBareEcho();
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
    bare.end();
    await host.close();
  }
}

function openBareEcho(): { dispatcher: Dispatcher; end: () => void } {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../bareEcho.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const peer = new PeerConnection(Duplex.from({ readable: child.stdout, writable: child.stdin }), {
    toError: (thrown) => ({ code: -32603, message: String(thrown) }),
  });
  const dispatcher = new Dispatcher(peer, 'bench');
  peer.listen();
  return { dispatcher, end: () => void child.kill('SIGKILL') };
}
