import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ProcessInfo } from '../../sidecar/protocol/hostInfo.ts';
import { HostPeer } from '../support/host/hostPeer.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import { type SocketHost, startSocketHost } from '../support/host/socketHost.ts';
import { say } from '../support/say.ts';
import { fuzz } from './fuzz.ts';

/** `npm run fuzz -- --messages N --seed S`: exit code 1 for a crash, a hang, a bug, or memory that grows. */
const BASELINE = 100_000;
const MAX_GROWTH = 1.1;

const { values } = parseArgs({
  options: { messages: { type: 'string', default: '1000000' }, seed: { type: 'string' } },
});
const messages = Number(values.messages);
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
if (!Number.isSafeInteger(messages) || messages < 1 || !Number.isSafeInteger(seed))
  throw new Error('--messages and --seed are whole numbers');
say(`fuzz: ${messages} messages, seed ${seed}`);

const folder = mkdtempSync(join(tmpdir(), 'switchboard-fuzz-'));
const host = await startSocketHost(join(folder, 'data'), folder);
let baseline: number | undefined;
try {
  const startedMs = performance.now();
  const result = await fuzz({
    messages,
    seed,
    connect: () => host.connect(),
    async onProgress(sent) {
      const bytes = await residentBytes(host);
      if (baseline === undefined && sent >= BASELINE) baseline = bytes;
      say(`fuzz: ${sent} sent, ${megabytes(bytes)} resident`);
    },
  });
  const bytes = await residentBytes(host);
  const growth = baseline === undefined ? undefined : bytes / baseline;
  say(
    `fuzz: ${JSON.stringify({ ...result, bugs: result.bugs.length })} in ${Math.round(performance.now() - startedMs)} ms`,
  );
  say(
    `fuzz: ${megabytes(bytes)} resident at the end${growth === undefined ? '' : `, ${growth.toFixed(3)} of that after ${BASELINE}`}`,
  );
  if (result.bugs.length > 0) say(`fuzz: ${result.bugs[0]}\n${host.stderr()}`);
  if (result.bugs.length > 0 || (growth !== undefined && growth > MAX_GROWTH)) process.exitCode = 1;
} catch (thrown) {
  const ended = await Promise.race([
    host.ended.then((why) => `the host ended (${why})`),
    Promise.resolve('the host runs'),
  ]);
  say(`fuzz: seed ${seed}: ${String(thrown)}; ${ended}\n${host.stderr()}`);
  process.exitCode = 1;
} finally {
  await host.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function residentBytes(running: SocketHost): Promise<number> {
  const peer = new HostPeer(await running.connect());
  await peer.initialize('looking', testWindow, []);
  const { items } = await peer.request('x-switchboard/processes', {});
  peer.close();
  const bytes = items.find((it: ProcessInfo) => it.role === 'host')?.memoryBytes;
  if (bytes === undefined) throw new Error('the host does not say how much memory it has');
  return bytes;
}
function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
