import { ROOT } from '../../sidecar/protocol/uris.ts';
import type { Random } from './random.ts';

/** Names that messages are made of: real ones of this run, and some that are not there. */
export interface World {
  readonly sessions: { readonly uri: string; readonly chats: string[] }[];
  readonly turns: string[];
}

const MAX_SESSIONS = 20;
const MAX_CHATS = 5;
const words = ['hello', 'pause', 'ask', 'question', 'fail', '/tour', 'ü\u0000\ud800', '{"a":1}'];

export function anySession(random: Random, { sessions }: World): string {
  return sessions.length === 0 || random.chance(0.05) ? 'host-session:/none' : random.pick(sessions).uri;
}
export function anyChat(random: Random, { sessions }: World): string {
  const chats = sessions.flatMap((it) => it.chats);
  return chats.length === 0 || random.chance(0.05) ? 'host-chat:/none' : random.pick(chats);
}
const anyTurn = (random: Random, { turns }: World) => (turns.length === 0 ? 'none' : random.pick(turns));
const someText = (random: Random) => Array.from({ length: random.below(6) }, () => random.pick(words)).join(' ');
const message = (random: Random) => ({ text: someText(random), origin: { kind: 'user' } });

/**
 * One good request: its method and params. What it makes is entered into the world.
 * @param isRuined it will be damaged: what it ends may go on, and is not forgotten
 */
export function request(
  random: Random,
  world: World,
  isRuined = false,
): { readonly method: string; readonly params: object } {
  switch (random.below(14)) {
    case 0:
      return world.sessions.length < MAX_SESSIONS ? createSession(random, world) : dispose(random, world, isRuined);
    case 1:
      return createChat(random, world);
    case 2:
      return { method: 'disposeChat', params: { channel: anyChat(random, world) } };
    case 3:
    case 4:
      return {
        method: 'subscribe',
        params: {
          channel: random.chance(0.5) ? anyChat(random, world) : anySession(random, world),
          view: { turns: random.below(5) },
        },
      };
    case 5:
      return {
        method: 'fetchTurns',
        params: { channel: anyChat(random, world), ...(random.chance(0.5) && { cursor: `t${random.below(50)}` }) },
      };
    case 6:
      return {
        method: 'completions',
        params: { channel: anyChat(random, world), kind: 'userMessage', text: '@a', offset: random.below(3) },
      };
    case 7:
      return { method: 'resolveSessionConfig', params: { channel: ROOT, config: { [random.id()]: 1 } } };
    case 8:
      return {
        method: 'sessionConfigCompletions',
        params: { channel: ROOT, property: random.pick(['mode', '__proto__', '']) },
      };
    case 9:
      return { method: 'authenticate', params: { channel: ROOT, resource: 'https://x.test', token: random.id() } };
    case 10:
      return {
        method: 'resourceRead',
        params: { channel: ROOT, uri: random.pick(['file:///etc/passwd', 'host-content:/00/a', 'x', 'file:///%']) },
      };
    case 11:
      return {
        method: 'invokeChangesetOperation',
        params: { channel: `${anySession(random, world)}/x`, operationId: 'keep' },
      };
    case 12:
      return {
        method: random.pick(['listSessions', 'root/listSessions']),
        params: { channel: ROOT, limit: 1 + random.below(5) },
      };
    default:
      return { method: 'ping', params: { channel: ROOT } };
  }
}

function createSession(random: Random, world: World): { method: string; params: object } {
  const uri = `host-session:/${random.id()}`;
  world.sessions.push({ uri, chats: [] });
  return { method: 'createSession', params: { channel: uri, ...(random.chance(0.2) && { progressToken: 'p' }) } };
}
function dispose(random: Random, { sessions }: World, isRuined: boolean): { method: string; params: object } {
  const session = random.pick(sessions);
  if (!isRuined) sessions.splice(sessions.indexOf(session), 1);
  return { method: 'disposeSession', params: { channel: session.uri } };
}
function createChat(random: Random, world: World): { method: string; params: object } {
  const session = world.sessions.length > 0 ? random.pick(world.sessions) : undefined;
  const chat = `host-chat:/${random.id()}`;
  if (session && session.chats.length < MAX_CHATS) session.chats.push(chat);
  const source = {
    kind: random.pick(['fork', 'sideChat']),
    chat: anyChat(random, world),
    turnId: anyTurn(random, world),
  };
  return {
    method: 'createChat',
    params: {
      channel: session?.uri ?? 'host-session:/none',
      chat: session && session.chats.length < MAX_CHATS ? chat : (session?.chats[0] ?? chat),
      ...(random.chance(0.3) && { source }),
      ...(random.chance(0.3) && { initialMessage: message(random) }),
    },
  };
}

/** One good action for a chat or a session. */
export function dispatch(random: Random, world: World): { readonly channel: string; readonly action: object } {
  const chat = anyChat(random, world);
  const turnId = anyTurn(random, world);
  switch (random.below(11)) {
    case 0:
    case 1: {
      const id = random.id();
      world.turns.push(id);
      if (world.turns.length > 50) world.turns.shift();
      return { channel: chat, action: { type: 'chat/turnStarted', turnId: id, message: message(random) } };
    }
    case 2:
      return { channel: chat, action: { type: 'chat/turnCancelled', turnId, duration: random.below(100) } };
    case 3: {
      const call = { turnId, toolCallId: `k${random.below(5)}` };
      return {
        channel: chat,
        action: { type: 'chat/toolCallConfirmed', ...call, approved: true, confirmed: 'user-action' },
      };
    }
    case 4:
      return {
        channel: chat,
        action: { type: 'chat/inputCompleted', requestId: `r${random.below(5)}`, response: 'cancel' },
      };
    case 5:
      return { channel: chat, action: { type: 'chat/truncated', ...(random.chance(0.8) && { turnId }) } };
    case 6: {
      const kind = random.pick(['queued', 'steering']);
      return {
        channel: chat,
        action: { type: 'chat/pendingMessageSet', kind, id: `m${random.below(9)}`, message: message(random) },
      };
    }
    case 7:
      return {
        channel: chat,
        action: { type: 'chat/draftChanged', ...(random.chance(0.7) && { draft: message(random) }) },
      };
    case 8:
      return { channel: anySession(random, world), action: { type: 'session/titleChanged', title: random.id() } };
    case 9:
      return {
        channel: anySession(random, world),
        action: { type: 'session/isArchivedChanged', isArchived: random.chance(0.5) },
      };
    default:
      return { channel: ROOT, action: { type: 'root/configChanged', config: { a: random.below(9) } } };
  }
}
