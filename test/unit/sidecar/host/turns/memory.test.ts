import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, it } from 'mocha';
import type { AgentSession, TurnHost, TurnRequest } from '../../../../../sidecar/agents/provider.ts';
import type { Turn } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { chatUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';

const forgets = (turn: Turn) => turn.responseParts.some((it) => JSON.stringify(it).includes('no longer remembers'));
const problem = (peer: HostPeer, session: string) =>
  (peer.session(session)._meta?.['problem'] as { kind?: string } | undefined)?.kind;

describe('what an agent remembers of its chat', () => {
  let place: HostPlace;
  afterEach(() => place.close());

  /** An agent whose memory has a name, a new one whenever it is opened without one. */
  async function open(
    nameOf: (own: string) => string | undefined = (own) => own,
    more: (resumeId: string | undefined) => Partial<AgentSession> = () => ({}),
  ) {
    const opened: (string | undefined)[] = [];
    const heard: TurnRequest[] = [];
    const script = async function* (turn: TurnRequest, _host: TurnHost, signal: AbortSignal) {
      heard.push(turn);
      yield { kind: 'text', partId: 'a', text: turn.text } as const;
      if (turn.text !== 'wait') return;
      await new Promise<void>((resolve) => void signal.addEventListener('abort', () => resolve(), { once: true }));
    };
    const provider = scriptedProvider(script);
    place = await openHostPlace([
      {
        ...provider,
        capabilities: { multipleChats: { fork: true } },
        open: async (context, signal) => {
          opened.push(context.resumeId);
          const own = context.resumeId ?? `memory ${opened.length}`;
          const agent = await scriptedProvider(script, more(context.resumeId)).open(context, signal);
          return Object.defineProperty(agent, 'resumeId', { get: () => nameOf(own) });
        },
      },
    ]);
    const peer = await place.connect();
    const made = await peer.newSession();
    const say = async (text: string) => peer.ended(made.chat, await peer.prompt(made.chat, text));
    const cut = (turnId?: string) =>
      peer.act(made.chat, { type: 'chat/truncated', ...(turnId !== undefined && { turnId }) } as AnyAction);
    return { peer, ...made, opened, heard, say, cut };
  }

  it('is asked for by its name in the next host, also when only its last turn gave it that name', async () => {
    let name: string | undefined;
    const { opened, say, chat } = await open((own) => name ?? own);
    await say('first');
    name = 'renamed';
    await say('second');
    await place.restart();
    const peer = await place.connect('c2');
    await peer.subscribe(chat);
    await peer.ended(chat, await peer.prompt(chat, 'third'));
    assert.equal(opened.at(-1), 'renamed');
  });

  it('begins anew where turns were cut off, which is said once, in the chat and as a problem until the next turn', async () => {
    const { peer, session, opened, say, cut } = await open();
    const first = await say('first');
    await say('second');
    await cut(first.id);
    const third = await say('third');
    assert.equal(opened.at(-1), undefined, 'a memory that holds more is not gone on with');
    assert.deepEqual([forgets(third), problem(peer, session)], [true, 'forgotEarlierTurns']);
    assert.equal(forgets(await say('fourth')), false);
    assert.equal(problem(peer, session), undefined);
    assert.equal(opened.length, 2);
  });

  it('begins anew without a word where all turns were cut off: there is nothing to remember', async () => {
    const { peer, session, opened, say, cut } = await open();
    await say('first');
    await cut();
    assert.deepEqual([forgets(await say('second')), problem(peer, session)], [false, undefined]);
    assert.deepEqual(opened, [undefined, undefined]);
  });

  it('stays where there is none between turns: its agent goes on in a chat that was cut', async () => {
    const { opened, say, cut } = await open(() => undefined);
    const first = await say('first');
    await say('second');
    await cut(first.id);
    assert.equal(forgets(await say('third')), false);
    assert.equal(opened.length, 1);
  });

  it('is missed by an agent that forgot it, which is said with the first turn only', async () => {
    const { peer, session, chat, say } = await open(undefined, (resumeId) => ({
      forgotEarlierTurns: resumeId !== undefined,
    }));
    await say('first');
    await place.restart();
    const later = await place.connect('c2');
    await later.subscribe(session);
    await later.subscribe(chat);
    const turns: boolean[] = [];
    for (const text of ['second', 'third'])
      turns.push(forgets(await later.ended(chat, await later.prompt(chat, text))));
    assert.deepEqual(turns, [true, false]);
    assert.equal(problem(later, session), undefined);
    peer.close();
  });

  it('is told again to the agent of a fork that was cut, which misses nothing then', async () => {
    const { peer, session, chat, heard, say } = await open();
    const first = await say('first');
    const copy = chatUri(randomUUID());
    const source = { kind: 'fork', chat, turnId: first.id } as const;
    await peer.request('createChat', { channel: session, chat: copy, source });
    await peer.subscribe(copy);
    const inCopy = async (text: string) => peer.ended(copy, await peer.prompt(copy, text));
    const second = await inCopy('second');
    await inCopy('third');
    await peer.act(copy, { type: 'chat/truncated', turnId: second.id } as AnyAction);
    const turns = [await inCopy('fourth'), await inCopy('fifth')];
    const told = heard.slice(-2).map(({ attachments }) => attachments.length);
    assert.deepEqual(
      [turns.map(forgets), told],
      [
        [false, false],
        [1, 0],
      ],
    );
  });

  it('has its name as soon as it is opened, so that a host that goes in the middle of a turn loses nothing', async () => {
    const { peer, chat, opened } = await open();
    await peer.prompt(chat, 'wait');
    await peer.until(() => peer.chat(chat).activeTurn?.responseParts.length === 1);
    await place.restart();
    const later = await place.connect('c2');
    await later.subscribe(chat);
    await later.ended(chat, await later.prompt(chat, 'second'));
    assert.deepEqual(opened, [undefined, 'memory 1']);
  });
});
