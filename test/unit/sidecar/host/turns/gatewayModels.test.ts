import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { HostOptions } from '../../../../../sidecar/host/host.ts';
import type { RecordedCall } from '../../../../../sidecar/launch/gateway/gatewayContract.ts';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import { chatUri } from '../../../../../sidecar/protocol/uris.ts';
import { SessionUsage, UsageMeta } from '../../../../../sidecar/protocol/usageMeta.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';

const NOTICE = "The agent uses the gateway's models. Each chat of this session has its own key.";

describe('a turn whose calls to models go through the gateway', () => {
  let place: HostPlace | undefined;
  afterEach(async () => {
    await place?.close();
    place = undefined;
  });

  /** A gateway that records a call whenever the agent makes one. */
  async function openPlace(modelsThrough: 'gateway' | 'own') {
    const listeners = new Set<(call: RecordedCall) => void>();
    const gateway = {
      sessionTools: async () => undefined,
      sessionModels: async () => undefined,
      onAgents: () => () => undefined,
      onModels: () => () => undefined,
      gateCalls: () => undefined,
      onCall(it: (call: RecordedCall) => void) {
        listeners.add(it);
        return () => void listeners.delete(it);
      },
      sessionEnded: async () => undefined,
      close: async () => undefined,
    } as unknown as NonNullable<HostOptions['gateway']>;
    let session = '';
    let chat = '';
    const call = (cost: number) => {
      for (const it of listeners) it({ session, chat, model: 'big', inputTokens: 10, outputTokens: 2, cost });
    };
    const provider = scriptedProvider(
      async function* ({ text }) {
        for (const cost of text.split(' ')) call(Number(cost));
        yield { kind: 'usage', inputTokens: 1, context: { used: 5, size: 10 }, cost: { amount: 9, currency: 'USD' } };
      },
      { modelsThrough: () => modelsThrough },
    );
    place = await openHostPlace([provider], { gateway });
    const peer = await place.connect();
    const made = await peer.newSession();
    [session, chat] = [made.session, made.chat];
    const inList = async () => {
      const { items } = await (await place!.connect('another')).request('listSessions', {});
      return SessionUsage.parse(items[0]?._meta?.['usage']);
    };
    const play = async (text: string, inChat = chat): Promise<ChatState['turns'][number]> =>
      peer.ended(inChat, await peer.prompt(inChat, text));
    return { peer, session: made.session, play, call, inList };
  }
  const noticesOf = (turn: ChatState['turns'][number]) => JSON.stringify(turn).split(NOTICE).length - 1;

  it('shows its tokens and cost as recorded, those of calls between turns with the next, and says so once', async () => {
    const { play, call } = await openPlace('gateway');
    const first = await play('0.25 0.5');
    const meta = UsageMeta.parse(first.usage?._meta);
    assert.deepEqual([first.usage?.inputTokens, first.usage?.outputTokens], [20, 4]);
    assert.deepEqual(meta, {
      context: { used: 5, size: 10 },
      cost: { amount: 0.75, currency: 'USD' },
      counted: [{ model: 'big', calls: 2, inputTokens: 20, outputTokens: 4, cost: 0.75 }],
    });
    assert.equal(noticesOf(first), 1);
    call(0.125);
    const second = await play('1');
    const { cost, counted } = UsageMeta.parse(second.usage?._meta);
    assert.deepEqual([cost?.amount, counted?.map((it) => [it.calls, it.cost])], [1.875, [[2, 1.125]]]);
    assert.equal(noticesOf(second), 0);
  });

  it('does not say so again in another chat of its session, but says so in another session', async () => {
    const { peer, session, play } = await openPlace('gateway');
    assert.equal(noticesOf(await play('1')), 1);
    const another = chatUri('another');
    await peer.request('createChat', { channel: session, chat: another });
    await peer.subscribe(another);
    assert.equal(noticesOf(await play('1', another)), 0);
    assert.equal(noticesOf(await play('1', (await peer.newSession()).chat)), 1);
  });

  it('adds its usage to the total in the list of sessions, which survives a restart of the host', async () => {
    const { play, inList } = await openPlace('gateway');
    await play('0.25 0.5');
    await play('1');
    const cost = { amount: 1.75, currency: 'USD' };
    const expected = { recorded: [{ model: 'big', inputTokens: 30, outputTokens: 6, cost }], reported: [] };
    assert.deepEqual(await inList(), expected);
    await place!.restart();
    assert.deepEqual(await inList(), expected);
  });

  it("differs from a turn of an agent that uses its own keys, which shows the agent's own report", async () => {
    const { play } = await openPlace('own');
    const turn = await play('0.25');
    const { cost, counted } = UsageMeta.parse(turn.usage?._meta);
    assert.deepEqual([cost, counted, noticesOf(turn)], [{ amount: 9, currency: 'USD' }, undefined, 0]);
  });
});
