import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { OfferedResult } from '../../../../../sidecar/agents/provider.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { activityOf, status } from '../../../../../sidecar/protocol/status.ts';
import { approve, entryOf, offer, onlyCall, textResult, toolUser } from '../../../../support/host/clientTools.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('tools of clients', () => {
  let place: HostPlace;
  afterEach(() => place.close());
  const results: OfferedResult[] = [];
  const names: string[][] = [];
  async function open() {
    results.length = 0;
    names.length = 0;
    place = await openHostPlace([toolUser(results, names)]);
    const peer = await place.connect();
    return { peer, ...(await peer.newSession()) };
  }
  const complete = (turnId: string, toolCallId: string, more: object = {}) =>
    ({ type: 'chat/toolCallComplete', turnId, toolCallId, result: textResult('42'), ...more }) as AnyAction;

  it('are run by their client once a person allowed it, and what it answers goes to the agent', async () => {
    verifies(
      'host.input.execution-answer',
      'host.input.execution-stream',
      'host.move.client-completed',
      'host.move.client-content',
      'host.dispatch.complete',
      'host.dispatch.content',
      'host.session.input-needed-status',
    );
    const { peer, session, chat } = await open();
    await offer(peer, session, [{ name: 'count', title: 'Count things', annotations: { readOnlyHint: true } }]);
    const turnId = await peer.prompt(chat, 'count');
    const toolCallId = await approve(peer, session, chat, turnId);
    const entry = await entryOf(peer, session, 'toolClientExecution');
    assert.ok(entry.kind === 'toolClientExecution' && entry.clientId === 'c1' && entry.turnId === turnId);
    assert.equal(entry.chat, chat);
    assert.deepEqual(entry.toolCall, onlyCall(peer, chat));
    const call = onlyCall(peer, chat);
    assert.deepEqual(
      [call.toolName, call.displayName, call.status, call.contributor],
      ['count', 'Use tool', 'running', { kind: 'client', clientId: 'c1' }],
    );
    assert.equal('toolInput' in call && call.toolInput, '{"n":1}');
    assert.equal(activityOf(peer.session(session).status), status.InputNeeded);
    const content = [{ type: 'text', text: 'counting' }];
    await peer.act(chat, { type: 'chat/toolCallContentChanged', turnId, toolCallId, content } as AnyAction);
    await peer.act(chat, complete(turnId, toolCallId));
    await peer.ended(chat, turnId);
    assert.deepEqual(results, [{ success: true, content: [{ kind: 'text', text: '42' }] }]);
    assert.equal(onlyCall(peer, chat).status, 'completed');
    assert.equal(peer.session(session).inputNeeded, undefined);
  });

  it('are asked about whatever they say of themselves, and what they say is shown', async () => {
    verifies('host.tool.advisory');
    const { peer, session, chat } = await open();
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    await offer(peer, session, [{ name: 'count', annotations }]);
    const turnId = await peer.prompt(chat, 'count');
    const entry = await entryOf(peer, session, 'toolConfirmation');
    assert.ok(entry.kind === 'toolConfirmation' && entry.toolCall.status === 'pending-confirmation');
    assert.deepEqual(entry.toolCall._meta?.['annotations'], annotations);
    const deny = { approved: false, reason: 'denied', reasonMessage: 'not now' };
    const { toolCallId } = entry.toolCall;
    await peer.act(chat, { type: 'chat/toolCallConfirmed', turnId, toolCallId, ...deny } as AnyAction);
    await peer.ended(chat, turnId);
    assert.deepEqual(results, [{ success: false, content: [], error: 'not now' }]);
    assert.equal(onlyCall(peer, chat).status, 'cancelled');
    assert.ok(!peer.envelopes.some((it) => JSON.stringify(it.action).includes('toolClientExecution')));
  });

  it('are never shown to their client as running when a rule denies them', async () => {
    const { peer, session, chat } = await open();
    const rule = { id: 'r', effect: 'deny', target: 'tool', pattern: 'client:count', source: 'user' } as const;
    const strict = await place.connect('c2', { rules: [rule] });
    await strict.subscribe(session);
    await strict.subscribe(chat);
    await offer(peer, session, [{ name: 'count' }]);
    await strict.ended(chat, await strict.prompt(chat, 'count'));
    assert.match(results[0]?.error ?? '', /A rule denies this:/);
    assert.equal(onlyCall(strict, chat).contributor, undefined);
    assert.ok(!strict.envelopes.some((it) => it.action.type === 'session/inputNeededSet'));
  });

  it('are completed by their client alone, and only while they run', async () => {
    verifies('host.move.client-mismatch');
    const { peer, session, chat } = await open();
    await offer(peer, session, [{ name: 'count' }]);
    const other = await place.connect('c2');
    await other.subscribe(chat);
    const turnId = await peer.prompt(chat, 'count');
    await entryOf(peer, session, 'toolConfirmation');
    const early = await peer.act(chat, complete(turnId, onlyCall(peer, chat).toolCallId));
    assert.equal(early.rejectionReason, 'this tool call is not running');
    const toolCallId = await approve(peer, session, chat, turnId);
    for (const it of [
      complete(turnId, toolCallId),
      { ...complete(turnId, toolCallId), type: 'chat/toolCallContentChanged', content: [] },
    ]) {
      assert.equal((await other.act(chat, it)).rejectionReason, 'this tool call belongs to another client');
    }
    await peer.act(chat, complete(turnId, toolCallId));
    assert.notEqual((await peer.act(chat, complete(turnId, toolCallId))).rejectionReason, undefined);
    await peer.ended(chat, turnId);
  });

  for (const { approved, state, expected } of [
    { approved: true, state: 'completed', expected: { success: true, content: [{ kind: 'text', text: '42' }] } },
    {
      approved: false,
      state: 'cancelled',
      expected: { success: false, content: [], error: 'The user withheld the result of this call.' },
    },
  ] as const) {
    it(`whose result has to be confirmed end ${state} when the person says ${approved ? 'yes' : 'no'}`, async () => {
      verifies(
        'host.input.result-answer',
        'host.input.unsubscribed',
        'host.move.result-confirmed',
        'host.dispatch.result-confirmed',
      );
      const { peer, session, chat } = await open();
      await offer(peer, session, [{ name: 'count' }]);
      const turnId = await peer.prompt(chat, 'count');
      const toolCallId = await approve(peer, session, chat, turnId);
      const early = { type: 'chat/toolCallResultConfirmed', turnId, toolCallId, approved } as AnyAction;
      assert.match((await peer.act(chat, early)).rejectionReason ?? '', /is not waiting/);
      await peer.act(chat, complete(turnId, toolCallId, { requiresResultConfirmation: true }));
      const entry = await entryOf(peer, session, 'toolConfirmation');
      assert.ok(entry.kind === 'toolConfirmation' && entry.toolCall.status === 'pending-result-confirmation');
      assert.deepEqual(results, []);
      const someone = await place.connect('c2'); // whoever sees the entry may answer, without the chat
      await someone.subscribe(session);
      assert.equal((await someone.act(chat, early)).rejectionReason, undefined);
      await peer.ended(chat, turnId);
      assert.deepEqual(results, [expected]);
      const call = onlyCall(peer, chat);
      assert.deepEqual([call.status, 'reason' in call && call.reason], [state, approved ? false : 'result-denied']);
      assert.equal(peer.session(session).inputNeeded, undefined);
    });
  }

  it('of one name belong to the client that started the turn', async () => {
    verifies('host.client.several', 'host.client.duplicates');
    const { peer, session, chat } = await open();
    await offer(peer, session, [{ name: 'count' }, { name: 'mine' }]);
    const other = await place.connect('c2');
    await other.subscribe(session);
    await other.subscribe(chat);
    await offer(other, session, [{ name: 'count' }, { name: 'theirs' }]);
    for (const starter of [other, peer]) {
      const turnId = await starter.prompt(chat, 'count');
      await starter.until(() => starter.session(session).inputNeeded !== undefined);
      assert.deepEqual(onlyCall(starter, chat).contributor, { kind: 'client', clientId: starter.clientId });
      const toolCallId = await approve(starter, session, chat, turnId);
      await starter.act(chat, complete(turnId, toolCallId));
      await starter.ended(chat, turnId);
    }
    assert.deepEqual(names, [
      ['count', 'theirs', 'mine'],
      ['count', 'mine', 'theirs'],
    ]);
  });

  it('that nobody offers fail the turn of an agent that uses them', async () => {
    const { peer, chat } = await open();
    const turn = await peer.ended(chat, await peer.prompt(chat, 'count'));
    assert.match(turn.error?.message ?? '', /the tool count was not found in this session/);
  });
});
