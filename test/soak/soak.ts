import assert from 'node:assert/strict';
import type { ChatState } from '../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';
import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import { Random } from '../fuzz/random.ts';
import { type SocketHost, startSocketHost } from '../support/host/socketHost.ts';
import { SoakClient } from './soakClient.ts';

export interface SoakOptions {
  readonly seed: number;
  /** Asked before each step. */
  readonly goesOn: (step: number) => boolean;
  readonly dataDir: string;
  /** Holds the sockets. */
  readonly folder: string;
}
export interface SoakResult {
  readonly steps: number;
  readonly kills: number;
  readonly drops: number;
  readonly accepted: number;
  readonly returns: { readonly replay: number; readonly snapshot: number; readonly initialize: number };
}

const CLIENTS = 5;
const SESSION = 'host-session:/soak';
const SIDE = 'host-chat:/soak-side';
const user = (text: string) => ({ text, origin: { kind: 'user' } });

/**
 * Five clients dispatch what is good and what is not, break off, come back and lose their host.
 * @throws when a mirror differs from the host in the end, or something that was acknowledged is missing or there twice
 */
export async function soak({ seed, goesOn, dataDir, folder }: SoakOptions): Promise<SoakResult> {
  const random = new Random(seed);
  const clients = Array.from({ length: CLIENTS }, (_it, n) => new SoakClient(`soak-${n}`));
  let host = await startSocketHost(dataDir, folder);
  let kills = 0;
  let drops = 0;
  const first = clients[0]!;
  await first.connect(await host.connect(), [ROOT]);
  await first.request('createSession', { channel: SESSION });
  await first.request('createChat', { channel: SESSION, chat: SIDE });
  const { snapshot } = (await first.request('subscribe', { channel: SESSION })) as {
    snapshot: { state: SessionState };
  };
  const chats = [snapshot.state.defaultChat!, SIDE];
  const channels = [ROOT, SESSION, ...chats];
  first.drop();

  let step = 0;
  for (; goesOn(step); step += 1) {
    const client = random.pick(clients);
    if (random.chance(0.004)) {
      kills += 1;
      await host.kill();
      host = await startSocketHost(dataDir, folder);
    } else if (!client.isConnected) await comeBack(client, host, channels);
    else if (random.chance(0.02)) {
      drops += 1;
      client.drop();
    } else act(random, client, chats);
    await new Promise((resolve) => void setImmediate(resolve));
  }
  try {
    await rest(clients, host, chats, channels);
    await compare(clients, host, channels);
    checkKept(clients, chats);
  } finally {
    for (const it of clients) it.drop();
    await host.kill();
  }
  const sum = (kind: keyof SoakResult['returns']) => clients.reduce((all, it) => all + it.returns[kind], 0);
  const returns = { replay: sum('replay'), snapshot: sum('snapshot'), initialize: sum('initialize') };
  return { steps: step, kills, drops, accepted: clients.reduce((all, it) => all + it.accepted.size, 0), returns };
}

async function comeBack(client: SoakClient, host: SocketHost, channels: readonly string[]): Promise<void> {
  await client.connect(await host.connect(), channels);
}

function act(random: Random, client: SoakClient, chats: readonly string[]): void {
  const chat = random.pick(chats);
  const turn = (client.states.get(chat) as ChatState).activeTurn;
  const words = ['hello', 'pause pause', 'ask', 'question', 'fail'];
  const send = (channel: string, action: object) => client.dispatch(channel, action as AnyAction);
  switch (random.below(10)) {
    case 0:
      return send(chat, { type: 'chat/turnStarted', turnId: random.id(), message: user(random.pick(words)) });
    case 1:
      return send(chat, {
        type: 'chat/pendingMessageSet',
        kind: 'queued',
        id: random.id(),
        message: user(random.pick(words)),
      });
    case 2:
      return send(chat, { type: 'chat/draftChanged', ...(random.chance(0.7) && { draft: user(random.id()) }) });
    case 3:
      return send(SESSION, { type: 'session/titleChanged', title: random.id() });
    case 4:
      return send(SESSION, { type: 'session/isReadChanged', isRead: random.chance(0.5) });
    case 5:
    case 6: {
      for (const part of turn?.responseParts ?? []) {
        if (part.kind === 'toolCall' && part.toolCall.status === 'pending-confirmation') {
          const call = { turnId: turn!.id, toolCallId: part.toolCall.toolCallId };
          return send(chat, { type: 'chat/toolCallConfirmed', ...call, approved: true, confirmed: 'user-action' });
        }
        if (part.kind === 'inputRequest' && part.response === undefined)
          return send(chat, { type: 'chat/inputCompleted', requestId: part.request.id, response: 'decline' });
      }
      return send(chat, { type: 'chat/turnCancelled', turnId: turn?.id ?? 'none', duration: 1 });
    }
    case 7:
      return send(chat, {
        type: 'chat/toolCallConfirmed',
        turnId: 'none',
        toolCallId: 'k',
        approved: true,
        confirmed: 'user-action',
      });
    case 8:
      return send(SESSION, { type: 'session/activeClientSet', activeClient: { clientId: 'somebody', tools: [] } });
    default:
      return send(chat, { type: random.pick(['chat/delta', 'chat/nonsense', 'root/agentsChanged']) });
  }
}

/** Everybody is back and answered, nothing waits and no turn runs. */
async function rest(
  clients: SoakClient[],
  host: SocketHost,
  chats: readonly string[],
  channels: readonly string[],
): Promise<void> {
  for (const it of clients) if (!it.isConnected) await comeBack(it, host, channels);
  for (const it of clients) await it.until(() => it.unanswered === 0);
  const [first] = clients as [SoakClient];
  for (const chat of chats) {
    const state = () => first.states.get(chat) as ChatState;
    while (state().activeTurn || state().queuedMessages) {
      const turn = state().activeTurn;
      // What waited when a turn was stopped or a host was killed waits until it is sent.
      const next = state().queuedMessages?.[0];
      const sent = { message: next?.message, queuedMessageId: next?.id };
      const nudge = { type: 'chat/turnStarted', turnId: `from-${next?.id}`, ...sent };
      const stop = { type: 'chat/turnCancelled', turnId: turn?.id, duration: 1 };
      first.dispatch(chat, (turn ? stop : nudge) as AnyAction);
      await first.until(() => state().activeTurn?.id !== turn?.id || state().queuedMessages === undefined);
      await first.until(() => first.unanswered === 0);
    }
  }
}

/** A client that never was here gets states: everybody else has to have the same. */
async function compare(clients: SoakClient[], host: SocketHost, channels: readonly string[]): Promise<void> {
  // The host settles what follows a turn in later ticks: the same state twice in a row is the last.
  for (let before = ''; ; ) {
    const fresh = new SoakClient('fresh');
    await fresh.connect(await host.connect(), channels);
    fresh.drop();
    for (const it of clients) await it.request('ping', { channel: ROOT });
    const now = JSON.stringify([...fresh.states]);
    const isSame = now === before;
    before = now;
    if (!isSame) continue;
    for (const client of clients) {
      for (const channel of channels)
        assert.deepEqual(client.states.get(channel), fresh.states.get(channel), `${client.clientId}: ${channel}`);
    }
    return;
  }
}

/** Each accepted turn and message is there once; of what replaces itself the last one is. */
function checkKept(clients: SoakClient[], chats: readonly string[]): void {
  const accepted = clients.flatMap((it) => [...it.accepted]).sort(([a], [b]) => a - b);
  const [{ states }] = clients as [SoakClient];
  for (const chat of chats) {
    const turns = (states.get(chat) as ChatState).turns.map((it) => it.id);
    assert.equal(new Set(turns).size, turns.length, 'a turn is there twice');
    for (const [, { channel, action }] of accepted) {
      if (channel !== chat) continue;
      const { type, turnId, id } = action as { type: string; turnId?: string; id?: string };
      if (type === 'chat/turnStarted')
        assert.ok(turns.includes(turnId!), `turn ${turnId} was acknowledged and is lost`);
      if (type === 'chat/pendingMessageSet') assert.ok(turns.includes(`from-${id}`), `message ${id} is lost`);
    }
  }
  const titles = accepted.filter(([, it]) => it.action.type === 'session/titleChanged');
  const last = titles.at(-1)?.[1].action as { title: string } | undefined;
  if (last) assert.equal((states.get(SESSION) as SessionState).title, last.title);
}
