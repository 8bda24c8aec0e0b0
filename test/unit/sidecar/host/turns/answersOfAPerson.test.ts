import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { QuestionAnswers, QuestionSet } from '../../../../../sidecar/agents/provider.ts';
import type { ChatInputAnswers } from '../../../../../sidecar/protocol/channels/chat/inputRequests.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';

const options = ['a', 'b'].map((id) => ({ id, label: id.toUpperCase() }));
const questions: QuestionSet = {
  id: 'q',
  message: 'Before I go on',
  questions: [
    { id: 'text', kind: 'text', message: 'Text?' },
    { id: 'count', kind: 'number', message: 'How many?' },
    { id: 'sure', kind: 'boolean', message: 'Sure?' },
    { id: 'one', kind: 'single-select', message: 'Which?', options, allowFreeformInput: true },
    { id: 'many', kind: 'multi-select', message: 'Which ones?', options, allowFreeformInput: true },
  ],
};
const submitted = (kind: string, value: unknown, more = {}) => ({
  state: 'submitted',
  value: { kind, value, ...more },
});
const choice = (value: string, ...freeformValues: string[]) =>
  submitted('selected', value, freeformValues.length > 0 ? { freeformValues } : {});

describe('what a person answers', () => {
  let place: HostPlace;
  afterEach(() => place.close());
  async function open() {
    const given = new Map<string, QuestionAnswers>();
    place = await openHostPlace([
      scriptedProvider(async function* ({ text }, host) {
        given.set(text, await host.ask(questions));
      }),
    ]);
    return { given, peer: await place.connect() };
  }
  async function ask(peer: HostPeer, text: string) {
    const { session, chat } = await peer.newSession();
    const turnId = await peer.prompt(chat, text);
    await peer.until(() => (peer.session(session).inputNeeded ?? []).length === 1, 'the person is asked');
    const complete = (response: string, answers?: object) =>
      peer.act(chat, {
        type: 'chat/inputCompleted',
        requestId: 'q',
        response,
        ...(answers && { answers }),
      } as AnyAction);
    return { session, chat, turnId, complete };
  }

  for (const { answers, reach } of [
    {
      answers: 'that are false, none and empty',
      reach: {
        given: { text: submitted('text', ''), count: submitted('number', 0), sure: submitted('boolean', false) },
        values: { text: '', count: 0, sure: false },
      },
    },
    {
      answers: 'among choices',
      reach: {
        given: { one: choice('b'), many: submitted('selected-many', ['a', 'b']) },
        values: { one: 'b', many: ['a', 'b'] },
      },
    },
    {
      answers: 'in words of the own beside choices',
      reach: {
        given: { one: choice('', 'neither'), many: submitted('selected-many', ['a'], { freeformValues: ['c'] }) },
        values: { one: 'neither', many: ['a', 'c'] },
      },
    },
    {
      answers: 'that skip a question, with a word about it or without',
      reach: {
        given: { one: { state: 'skipped', freeformValues: ['later'] }, text: { state: 'skipped' } },
        values: { one: 'later' },
      },
    },
  ] as { answers: string; reach: { given: ChatInputAnswers; values: object } }[])
    it(`reaches the agent as it is for answers ${answers}`, async () => {
      const { given, peer } = await open();
      const { chat, turnId, complete } = await ask(peer, 'go');
      assert.equal((await complete('accept', reach.given)).rejectionReason, undefined);
      await peer.ended(chat, turnId);
      assert.deepEqual(given.get('go'), { response: 'accept', values: reach.values });
    });

  it('counts at the end before what was there meanwhile, which counts where the end says nothing', async () => {
    const { given, peer } = await open();
    const { chat, turnId, complete } = await ask(peer, 'go');
    const change = (questionId: string, answer: object) =>
      peer.act(chat, { type: 'chat/inputAnswerChanged', requestId: 'q', questionId, answer } as AnyAction);
    await change('text', { state: 'draft', value: { kind: 'text', value: 'first' } });
    await change('count', { state: 'draft', value: { kind: 'number', value: 7 } });
    await complete('accept', { text: submitted('text', 'last') });
    await peer.ended(chat, turnId);
    assert.deepEqual(given.get('go'), { response: 'accept', values: { text: 'last', count: 7 } });
  });

  it('is for the chat that asked, also where another one asks under the same name', async () => {
    const { given, peer } = await open();
    const [one, two] = [await ask(peer, 'one'), await ask(peer, 'two')];
    await two.complete('decline');
    await peer.ended(two.chat, two.turnId);
    assert.deepEqual([...given], [['two', { response: 'decline', values: {} }]]);
    assert.equal(peer.session(one.session).inputNeeded?.length, 1);
    await one.complete('accept', { text: submitted('text', 'mine') });
    await peer.ended(one.chat, one.turnId);
    assert.deepEqual(given.get('one'), { response: 'accept', values: { text: 'mine' } });
  });

  it('is asked for with the words of the agent', async () => {
    const { peer } = await open();
    const { session } = await ask(peer, 'go');
    const [entry] = peer.session(session).inputNeeded ?? [];
    assert.equal(entry?.kind === 'chatInput' && entry.request.message, 'Before I go on');
  });
});
