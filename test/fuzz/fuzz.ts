import type { Socket } from 'node:net';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import { toFrame } from '../support/host/toFrame.ts';
import { anyChat, dispatch, request, type World } from './generate.ts';
import { Lane } from './lane.ts';
import { brokenFrame, damage, monster, mutate } from './mutate.ts';
import { Random } from './random.ts';

export interface FuzzOptions {
  readonly messages: number;
  readonly seed: number;
  readonly connect: () => Promise<Socket>;
  /** Told now and then how many messages were sent. */
  readonly onProgress: (sent: number) => Promise<void>;
}
export interface FuzzResult {
  readonly sent: number;
  readonly answered: number;
  readonly broken: number;
  /** What the host called an internal error: a bug, though it went on. */
  readonly bugs: readonly string[];
}

const LANES = 4;
const BATCH = 100;

/**
 * Sends generated messages, good ones and ruined ones, over some connections.
 * @throws when a request stays unanswered, or a connection ends without a reason
 */
export async function fuzz({ messages, seed, connect, onProgress }: FuzzOptions): Promise<FuzzResult> {
  const random = new Random(seed);
  const world: World = { sessions: [], turns: [] };
  const lanes: (Lane | undefined)[] = Array.from({ length: LANES }, () => undefined);
  const bugs: string[] = [];
  let sent = 0;
  let answered = 0;
  let broken = 0;

  const open = async (n: number): Promise<Lane> => {
    const lane = new Lane(await connect(), ({ result }) => learn(world, result));
    const clientId = random.chance(0.02) ? random.id() : `fuzz-${n}`;
    const hello = { channel: ROOT, protocolVersions: ['0.7.0'], clientId, initialSubscriptions: [ROOT] };
    const back = {
      channel: ROOT,
      clientId,
      lastSeenServerSeq: random.below(1_000),
      subscriptions: [ROOT, anyChat(random, world)],
    };
    if (random.chance(0.2)) lane.ask('reconnect', back, (it) => (random.chance(0.5) ? mutate(random, it) : it));
    if (random.chance(0.2)) lane.ask('initialize', hello, (it) => mutate(random, it));
    lane.ask('initialize', hello);
    return lane;
  };
  const done = (lane: Lane): void => {
    if (lane.isClosed && !lane.isBroken) throw new Error('the host closed a connection for no reason');
    answered += lane.answers;
    lane.answers = 0;
    bugs.push(...lane.bugs.splice(0));
  };

  while (sent < messages) {
    const n = random.below(LANES);
    let lane = lanes[n];
    if (!lane || lane.isClosed) lane = await open(n);
    lanes[n] = lane;
    const count = Math.min(BATCH, messages - sent);
    for (let it = 0; it < count && !lane.isBroken; it += 1) {
      sent += 1;
      sendOne(lane, random, world);
    }
    if (lane.isBroken) broken += 1;
    lane.ask('ping', { channel: ROOT });
    await lane.settled();
    done(lane);
    if (random.chance(0.02)) {
      lane.close();
      lanes[n] = undefined;
    }
    if (Math.floor(sent / 10_000) > Math.floor((sent - count) / 10_000)) await onProgress(sent);
  }
  for (const it of lanes) it?.close();
  return { sent, answered, broken, bugs };
}

function sendOne(lane: Lane, random: Random, world: World): void {
  const kind = random.below(1_000);
  if (kind < 2) {
    lane.write(brokenFrame(random));
    lane.isBroken = true;
  } else if (kind < 4) lane.write(monster(random));
  else if (kind < 60) lane.write(damage(random, { jsonrpc: '2.0', id: 'damaged', ...request(random, world, true) }));
  else if (kind < 120)
    lane.write(damage(random, { jsonrpc: '2.0', method: 'dispatchAction', params: dispatch(random, world) }));
  else if (kind < 350) {
    const { method, params } = request(random, world);
    lane.ask(method, params);
  } else if (kind < 500) {
    const { method, params } = request(random, world, true);
    lane.ask(method, params, (it) => mutate(random, it));
  } else {
    const good = {
      jsonrpc: '2.0',
      method: 'dispatchAction',
      params: { clientSeq: random.below(5_000), ...dispatch(random, world) },
    };
    lane.write(toFrame(JSON.stringify(kind < 850 ? good : mutate(random, good))));
  }
}

/** Chats that the host named itself are fuzzed too. */
function learn({ sessions }: World, result: unknown): void {
  const { resource, state } =
    (result as { snapshot?: { resource: string; state: { defaultChat?: string } } } | null)?.snapshot ?? {};
  const session = sessions.find((it) => it.uri === resource);
  const chat = state?.defaultChat;
  if (session && chat !== undefined && !session.chats.includes(chat)) session.chats.push(chat);
}
