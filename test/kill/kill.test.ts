import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { after, before, describe, it } from 'mocha';
import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import { say } from '../support/say.ts';
import { type Phase, type Plan, phases, type Script, seeded } from './plan.ts';
import { StubbornClient } from './stubbornClient.ts';

const KILLS = Number(process.env['SWITCHBOARD_KILLS'] ?? 500);
const SEED = 20_260_101;
/** Side by side; the machines that run this have two cores. */
const LANES = 2;
const STUCK_MS = 20_000;
/** Turns pile up: after so many kills a session is checked for the last time. */
const KILLS_PER_SESSION = 12;

describe('hosts that are killed', () => {
  let root = '';
  before(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-kill-')));
    await build({
      entryPoints: [join(import.meta.dirname, 'doomedHost.ts')],
      outdir: root,
      outExtension: { '.js': '.mjs' },
      splitting: true,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'error',
      mainFields: ['module', 'main'],
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it(`lose nothing that they acknowledged and apply nothing twice, ${KILLS} times`, async () => {
    const done = new Map<Phase, number>(phases.map((it) => [it, 0]));
    const lanes = Array.from({ length: LANES }, (_it, lane) => runLane(root, lane, Math.ceil(KILLS / LANES), done));
    const problems = (await Promise.all(lanes)).flat();
    say([...done].map(([phase, count]) => `${phase} ${count}`).join(', '));
    const lost = problems.filter((it) => it.startsWith('lost')).length;
    const twice = problems.filter((it) => it.startsWith('twice')).length;
    const differ = problems.length - lost - twice;
    say(
      `${lost} acknowledged operations lost, ${twice} applied twice, mirrors ${differ === 0 ? 'equal' : `differ ${differ} times`}`,
    );
    assert.deepEqual(problems, []);
    for (const [phase, count] of done)
      assert.ok(count >= Math.min(30, Math.floor(KILLS / 20)), `${phase}: only ${count} kills`);
  });
});

async function runLane(root: string, lane: number, kills: number, done: Map<Phase, number>): Promise<string[]> {
  const random = seeded(SEED + lane);
  const dataDir = join(root, `data-${lane}`);
  const client = new StubbornClient();
  for (let n = 0; n < kills; n += 1) {
    const phase = phases[n % phases.length]!;
    const plan: Plan = { phase, nth: 1 + Math.floor(random() * rangeOf[phase]) };
    const host = start(root, lane, n, dataDir, plan);
    const problems = client.problems.length;
    if (await host.listening) {
      const provoked = provoke(client, host.socket, plan, n, random).catch(async (thrown: unknown) => {
        if ((await host.ended) !== 'SIGKILL')
          throw new Error(`round ${n}, ${JSON.stringify(plan)}: ${host.stderr()}`, { cause: thrown }); // requests that were under way fail when it dies
      });
      await Promise.race([provoked, host.ended, stuck(host)]);
    }
    const signal = await host.ended;
    client.note();
    if (signal === 'SIGKILL') done.set(phase, done.get(phase)! + 1);
    else client.problems.push(`did not die: ${JSON.stringify(plan)} in round ${n}: ${host.stderr()}`);
    for (let at = problems; at < client.problems.length; at += 1)
      client.problems[at] += ` (lane ${lane}, round ${n}, ${JSON.stringify(plan)})`;
  }
  const last = start(root, lane, kills, dataDir, { phase: 'never', nth: 0 });
  await last.listening;
  await client
    .connect(last.socket)
    .then(() => rest(client))
    .then(() => client.compare())
    .catch(async (thrown: unknown) => {
      throw new Error(`${await last.ended}: ${last.stderr()}`, { cause: thrown });
    });
  client.peer.close();
  last.child.kill('SIGTERM');
  await last.ended;
  return client.problems;
}

/** How many places each phase has at most in one round; start-up has as many as there is to repair. */
const rangeOf: Readonly<Record<Phase, number>> = {
  'mid-delta': 40,
  written: 10,
  pending: 2,
  'tool running': 10,
  'turn end': 2,
  'start-up': 4,
};
const scriptOf: Readonly<Record<Phase, Script>> = {
  'mid-delta': { deltas: 40 },
  written: { deltas: 12 },
  pending: { deltas: 3, tool: 'confirm' },
  'tool running': { deltas: 3, tool: 'run' },
  'turn end': { deltas: 6 },
  'start-up': { deltas: 0 },
};

/** Does what leads to the phase, until the host is dead. */
async function provoke(
  client: StubbornClient,
  socket: string,
  { phase }: Plan,
  n: number,
  random: () => number,
): Promise<void> {
  await client.connect(socket);
  if (phase === 'start-up' || phase === ('never' as Phase)) return;
  if (client.chat === '' || n % KILLS_PER_SESSION === 0) {
    if (client.chat !== '') await rest(client).then(() => client.compare());
    await client.renew();
  }
  void confirmAlways(client);
  // Whatever was queued plays first; then this round's own turn, and some more while it runs.
  for (;;) {
    await client.peer.until(() => client.peer.chat(client.chat).activeTurn === undefined);
    client.send(client.chat, startTurn(scriptOf[phase as Phase]));
    const text = JSON.stringify(scriptOf[phase as Phase]);
    if (random() < 0.5)
      client.send(client.chat, {
        type: 'chat/pendingMessageSet',
        kind: 'queued',
        id: randomUUID(),
        message: { text, origin: { kind: 'user' } },
      } as AnyAction);
    client.send(client.session, { type: 'session/titleChanged', title: `t${n}` } as AnyAction);
    await client.answered();
    await client.peer.until(
      () =>
        client.peer.chat(client.chat).activeTurn === undefined &&
        client.peer.chat(client.chat).queuedMessages === undefined,
    );
  }
}

/** Settles when what waited in the queue when the last host died has been played: it goes on by itself. */
async function rest(client: StubbornClient): Promise<void> {
  void confirmAlways(client);
  const rests = () => {
    const { activeTurn, queuedMessages } = client.peer.chat(client.chat);
    return activeTurn === undefined && queuedMessages === undefined;
  };
  // A message leaves the queue one envelope before its turn begins: what was on its way is taken in before it counts.
  do {
    await client.peer.until(rests);
    await client.peer.request('ping', { channel: ROOT });
  } while (!rests());
}

/** Answers every question, also of turns that an earlier round queued. */
async function confirmAlways(client: StubbornClient): Promise<void> {
  const { peer, session, chat } = client;
  const answered = new Set<string>();
  for (;;) {
    const open = () => (peer.session(session).inputNeeded ?? []).find((it) => !answered.has(it.id));
    await peer.until(() => open() !== undefined);
    const request = open();
    if (request?.kind !== 'toolConfirmation') throw new Error('an unexpected question');
    answered.add(request.id);
    const { turnId, toolCall } = request;
    const { toolCallId } = toolCall;
    client.send(chat, {
      type: 'chat/toolCallConfirmed',
      turnId,
      toolCallId,
      approved: true,
      confirmed: 'user-action',
    } as AnyAction);
  }
}

/** Ends a host that lives on: a finding, not a hanging test. */
function stuck(host: DoomedHost): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      host.child.kill('SIGTERM');
      resolve();
    }, STUCK_MS);
    void host.ended.then(() => clearTimeout(timer));
  });
}

function startTurn(script: Script): AnyAction {
  const message = { text: JSON.stringify(script), origin: { kind: 'user' } };
  return {
    type: 'chat/turnStarted',
    turnId: randomUUID(),
    startedAt: '2026-01-01T00:00:00.000Z',
    message,
  } as AnyAction;
}

interface DoomedHost {
  readonly child: ChildProcess;
  readonly socket: string;
  /** False when it died before. */
  readonly listening: Promise<boolean>;
  readonly ended: Promise<NodeJS.Signals | null>;
  readonly stderr: () => string;
}

function start(root: string, lane: number, n: number, dataDir: string, plan: Plan): DoomedHost {
  const socket = join(root, `${lane}-${n}.sock`);
  const child = spawn(process.execPath, [join(root, 'doomedHost.mjs'), dataDir, socket, JSON.stringify(plan)], {
    stdio: 'pipe',
  });
  let stderr = '';
  child.stderr.on('data', (it) => (stderr += it));
  const ended = new Promise<NodeJS.Signals | null>(
    (resolve) => void child.once('close', (_code, signal) => resolve(signal)),
  );
  const listening = Promise.race([
    new Promise<boolean>((resolve) => void child.stdout.once('data', () => resolve(true))),
    ended.then(() => false),
  ]);
  return { child, socket, listening, ended, stderr: () => stderr.slice(-2_000) };
}
