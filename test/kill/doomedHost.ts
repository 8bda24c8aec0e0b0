import { createServer } from 'node:net';
import type { TurnEvent, TurnHost, TurnRequest } from '../../sidecar/agents/provider.ts';
import { openHost } from '../../sidecar/host/host.ts';
import type { HostStorage } from '../../sidecar/host/storage/hostStorage.ts';
import { openLog } from '../../sidecar/platform/logger.ts';
import { systemRuntime } from '../../sidecar/platform/runtime.ts';
import { scriptedProvider } from '../support/scriptedProvider.ts';
import { type Phase, type Plan, type Script, textOf } from './plan.ts';

/** A host that kills itself, as `kill -9` does, at the place that its plan names. Started by the harness. */
const [dataDir, socket, planText] = process.argv.slice(2) as [string, string, string];
const plan = JSON.parse(planText) as Plan;
let count = 0;
let isOpen = false;
let isAsking = false;
let hasTurnEnded = false;

/** Counts the places of a phase, and dies at the one that was chosen. */
function at(phase: Phase): void {
  if (plan.phase !== phase) return;
  count += 1;
  if (count === plan.nth) die();
}
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;); // the signal comes before the next instruction that anyone could see
}

function watch(storage: HostStorage): void {
  const rows = storage as {
    transaction: HostStorage['transaction'];
    chats: { insertTurn: HostStorage['chats']['insertTurn'] };
    journal: { append: HostStorage['journal']['append']; clear: HostStorage['journal']['clear'] };
  };
  const { transaction } = storage;
  const { append, clear } = storage.journal;
  const { insertTurn } = storage.chats;
  rows.chats.insertTurn = (...all) => {
    insertTurn(...all);
    hasTurnEnded = true;
    if (isOpen && plan.nth % 2 === 1) at('turn end'); // before its transaction is committed
  };
  rows.journal.append = (...all) => {
    const chain = append(...all);
    at('written');
    return chain;
  };
  rows.journal.clear = () => {
    at('written'); // rows and journal both have it
    clear();
  };
  rows.transaction = (work) => {
    const result = transaction(work);
    if (!isOpen) at('start-up');
    else at('written');
    if (isAsking) at('pending');
    if (hasTurnEnded && isOpen && plan.nth % 2 === 0) at('turn end'); // on disk, and nobody was told
    hasTurnEnded = false;
    return result;
  };
}

async function* play(turn: TurnRequest, host: TurnHost): AsyncIterable<TurnEvent> {
  const script = JSON.parse(turn.text) as Script;
  for (let n = 0; n < script.deltas; n += 1) {
    yield { kind: 'text', partId: 'a', text: textOf(n) };
    at('mid-delta');
    if (n % 3 === 2) await new Promise((resolve) => void setTimeout(resolve, 1));
  }
  if (script.tool === undefined) return;
  const facts = {
    toolCallId: 'k',
    kind: 'shell',
    invocationMessage: 'Make',
    command: 'make',
    toolInput: 'make',
    paths: [],
  } as const;
  yield { kind: 'toolStarted', toolCallId: 'k', toolName: 'shell', displayName: 'Run' };
  if (script.tool === 'confirm') {
    isAsking = true;
    await host.confirm(facts);
    isAsking = false;
  } else yield { kind: 'toolRunning', facts };
  for (let n = 0; n < 12; n += 1) {
    yield { kind: 'toolContent', toolCallId: 'k', content: [{ kind: 'text', text: `line ${n}` }] };
    await new Promise((resolve) => void setTimeout(resolve, 1));
    at('tool running');
  }
  yield { kind: 'toolEnded', toolCallId: 'k', success: true, pastTenseMessage: 'Made', content: [] };
}

const host = await openHost({
  dataDir,
  build: { version: '0.1.0', builtAtMs: 1 },
  runtime: systemRuntime(openLog({ level: 'warn' })),
  onStopRequested: () => undefined,
  providers: () => [scriptedProvider(play)],
  onStorage: watch,
});
if (plan.phase === 'start-up') die(); // it had fewer transactions to make than the plan thought
isOpen = true;
const server = createServer((stream) => host.attach(stream, { build: { version: '0.1.0', builtAtMs: 1 } }));
server.listen(socket, () => process.stdout.write('listening\n'));
process.on('SIGTERM', () => {
  server.close();
  void host.close().then(() => process.exit(0));
});
