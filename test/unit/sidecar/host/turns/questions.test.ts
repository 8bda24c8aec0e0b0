import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { TurnHost } from '../../../../../sidecar/agents/provider.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { activityOf, status } from '../../../../../sidecar/protocol/status.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { type Script, scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const shell = (toolCallId: string, command: string) =>
  ({ toolCallId, kind: 'shell', invocationMessage: `Run ${command}`, toolInput: command, command, paths: [] }) as const;
const started = (toolCallId: string) =>
  ({ kind: 'toolStarted', toolCallId, toolName: 'shell', displayName: 'Run command' }) as const;
const ended = (toolCallId: string) =>
  ({ kind: 'toolEnded', toolCallId, success: true, pastTenseMessage: 'Ran it', content: [] }) as const;

describe('turns', () => {
  let place: HostPlace | undefined;
  afterEach(async () => {
    await place?.close();
    place = undefined;
  });
  async function open(script: Script): Promise<{ peer: HostPeer; session: string; chat: string }> {
    place = await openHostPlace([scriptedProvider(script)]);
    const peer = await place.connect();
    return { peer, ...(await peer.newSession({ workingDirectories: [`file://${place.dataDir}`] })) };
  }
  const asked = async (peer: HostPeer, session: string) => {
    await peer.until(() => (peer.session(session).inputNeeded ?? []).length > 0);
    return peer.session(session).inputNeeded![0]!;
  };

  it('ask before a tool runs, and go on when it was allowed', async () => {
    verifies(
      'host.input.confirmation-answer',
      'host.move.confirmed',
      'host.move.input-raised',
      'host.move.input-status',
      'host.move.input-resolved',
      'host.event.input-set',
      'host.event.input-removed',
      'host.dispatch.confirmed',
      'host.session.input-needed',
    );
    const decisions: unknown[] = [];
    const { peer, session, chat } = await open(async function* (_turn, host) {
      yield started('k1');
      decisions.push(await host.confirm(shell('k1', 'make')));
      yield ended('k1');
    });
    const turnId = await peer.prompt(chat, 'build it');
    const request = await asked(peer, session);
    assert.equal(activityOf(peer.session(session).status), status.InputNeeded);
    assert.equal(request.kind, 'toolConfirmation');
    await peer.act(chat, {
      type: 'chat/toolCallConfirmed',
      turnId,
      toolCallId: 'k1',
      approved: true,
      confirmed: 'user-action',
      selectedOptionId: 'allow-once',
    } as AnyAction);
    const turn = await peer.ended(chat, turnId);
    assert.deepEqual(decisions, [{ allow: true }]);
    const part = turn.responseParts[0];
    assert.equal(part?.kind === 'toolCall' && part.toolCall.status, 'completed');
    assert.equal(peer.session(session).inputNeeded, undefined);
    assert.equal(activityOf(peer.session(session).status), status.Idle);
  });

  it('give the agent the reason of a denial', async () => {
    verifies('host.move.confirmed');
    const decisions: unknown[] = [];
    const { peer, session, chat } = await open(async function* (_turn, host) {
      yield started('k1');
      decisions.push(await host.confirm(shell('k1', 'make')));
      yield ended('k1');
    });
    const turnId = await peer.prompt(chat, 'build it');
    await asked(peer, session);
    await peer.act(chat, {
      type: 'chat/toolCallConfirmed',
      turnId,
      toolCallId: 'k1',
      approved: false,
      reason: 'denied',
      reasonMessage: 'use ninja',
    } as AnyAction);
    const turn = await peer.ended(chat, turnId);
    assert.deepEqual(decisions, [{ allow: false, skipped: false, reason: 'use ninja' }]);
    const part = turn.responseParts[0];
    assert.equal(part?.kind === 'toolCall' && part.toolCall.status, 'cancelled');
  });

  it('ask once for what is always allowed, also in another session and after a restart', async () => {
    const { peer, session, chat } = await open(async function* (_turn, host) {
      yield started('k1');
      await host.confirm(shell('k1', 'npm test'));
      yield ended('k1');
    });
    const turnId = await peer.prompt(chat, 'test it');
    const request = (await asked(peer, session)) as unknown as { toolCall: { _meta: { rule: string } } };
    assert.equal(request.toolCall._meta.rule, 'npm test*');
    await peer.act(chat, {
      type: 'chat/toolCallConfirmed',
      turnId,
      toolCallId: 'k1',
      approved: true,
      confirmed: 'user-action',
      selectedOptionId: 'allow-always',
    } as AnyAction);
    await peer.ended(chat, turnId);
    const { items } = await peer.request('x-switchboard/rules', {});
    assert.deepEqual(
      items.map(({ id: _id, ...it }) => it),
      [{ effect: 'allow', target: 'shell', pattern: 'npm test*', source: 'granted' }],
    );
    await place!.restart();
    const later = await place!.connect('c2');
    const second = await later.newSession({ workingDirectories: [`file://${place!.dataDir}`] });
    await later.ended(second.chat, await later.prompt(second.chat, 'again'));
    assert.ok(!later.envelopes.some((it) => it.action.type === 'session/inputNeededSet'));
    await later.request('x-switchboard/ruleRemove', { id: items[0]!.id });
    assert.deepEqual((await later.request('x-switchboard/rules', {})).items, []);
  });

  it('offer no wider answer for what is destructive', async () => {
    const { peer, session, chat } = await open(async function* (_turn, host) {
      yield started('k1');
      await host.confirm(shell('k1', 'rm -rf build'));
    });
    await peer.prompt(chat, 'clean');
    const request = (await asked(peer, session)) as unknown as {
      toolCall: { options: { id: string }[]; _meta: { oneClick: boolean } };
    };
    assert.deepEqual(
      request.toolCall.options.map((it) => it.id),
      ['allow-once', 'deny', 'deny-with-reason'],
    );
    assert.equal(request.toolCall._meta.oneClick, false);
  });

  it('are denied by a rule of the window, without a question', async () => {
    place = await openHostPlace([
      scriptedProvider(async function* (_turn, host) {
        yield started('k1');
        const decision = await host.confirm(shell('k1', 'make'));
        yield { kind: 'text', partId: 'a', text: String(decision.allow) };
      }),
    ]);
    const rules = [{ id: 'r', effect: 'deny', target: 'shell', pattern: 'make*', source: 'user' }] as const;
    const peer = await place.connect('c1', { rules: [...rules] });
    const { chat } = await peer.newSession({ workingDirectories: [`file://${place.dataDir}`] });
    const turn = await peer.ended(chat, await peer.prompt(chat, 'go'));
    assert.ok(!peer.envelopes.some((it) => it.action.type === 'session/inputNeededSet'));
    const text = turn.responseParts.at(-1);
    assert.equal(text?.kind === 'markdown' && text.content, 'false');
  });

  it('stop when cancelled while a tool waits: it never runs, and late events are dropped', async () => {
    let hasRun = false;
    const { peer, session, chat } = await open(async function* (_turn, host) {
      yield started('k1');
      await host.confirm(shell('k1', 'make'));
      hasRun = true;
      yield ended('k1');
    });
    const turnId = await peer.prompt(chat, 'build');
    await asked(peer, session);
    await peer.act(chat, { type: 'chat/turnCancelled', turnId, duration: 1 } as AnyAction);
    await peer.until(() => peer.session(session).inputNeeded === undefined);
    assert.equal(peer.chat(chat).turns[0]?.state, 'cancelled');
    const late = await peer.act(chat, {
      type: 'chat/toolCallConfirmed',
      turnId,
      toolCallId: 'k1',
      approved: true,
      confirmed: 'user-action',
    } as AnyAction);
    assert.match(late.rejectionReason ?? '', /is no longer waiting/);
    assert.equal(hasRun, false);
  });

  it('ask questions, refuse what does not answer them, and hand over what does', async () => {
    verifies(
      'host.input.chat-input-answer',
      'host.input.chat-input-draft',
      'host.dispatch.input-completed',
      'host.dispatch.input-answer',
    );
    const answers: unknown[] = [];
    const questions = [
      { id: 'name', kind: 'text', message: 'Name?', required: true, min: 2 },
      { id: 'size', kind: 'single-select', message: 'Size?', options: [{ id: 's', label: 'S' }] },
    ] satisfies Parameters<TurnHost['ask']>[0]['questions'];
    const { peer, session, chat } = await open(async function* (_turn, host) {
      answers.push(await host.ask({ id: 'q1', questions }));
    });
    const turnId = await peer.prompt(chat, 'ask me');
    await asked(peer, session);
    const complete = (answer: object) =>
      peer.act(chat, {
        type: 'chat/inputCompleted',
        requestId: 'q1',
        response: 'accept',
        answers: answer,
      } as AnyAction);
    const text = (value: string) => ({ state: 'submitted', value: { kind: 'text', value } });
    assert.match((await complete({})).rejectionReason ?? '', /name: an answer is required/);
    assert.match((await complete({ name: text('x') })).rejectionReason ?? '', /at least 2/);
    assert.match((await complete({ size: text('s') })).rejectionReason ?? '', /must be of kind selected/);
    await peer.act(chat, {
      type: 'chat/inputAnswerChanged',
      requestId: 'q1',
      questionId: 'size',
      answer: { state: 'draft', value: { kind: 'selected', value: 's' } },
    } as AnyAction);
    assert.equal((await complete({ name: text('Ada') })).rejectionReason, undefined);
    await peer.ended(chat, turnId);
    assert.deepEqual(answers, [{ response: 'accept', values: { name: 'Ada', size: 's' } }]);
  });

  it('say how long an answer, how many choices and which number they take', async () => {
    verifies('host.dispatch.input-completed');
    const options = ['a', 'b', 'c'].map((id) => ({ id, label: id }));
    const questions = [
      { id: 'word', kind: 'text', message: 'Word?', min: 1, max: 3 },
      { id: 'picks', kind: 'multi-select', message: 'Which?', options, min: 1, max: 2 },
      { id: 'count', kind: 'integer', message: 'How many?', min: 2, max: 4 },
    ] satisfies Parameters<TurnHost['ask']>[0]['questions'];
    const { peer, session, chat } = await open(async function* (_turn, host) {
      await host.ask({ id: 'q1', questions });
    });
    await peer.prompt(chat, 'ask me');
    await asked(peer, session);
    for (const [id, value, refusal] of [
      ['word', { kind: 'text', value: '' }, 'answers.word: must have at least 1 character'],
      ['word', { kind: 'text', value: 'long' }, 'answers.word: must have at most 3 characters'],
      ['picks', { kind: 'selected-many', value: [] }, 'answers.picks: must have at least 1 choice'],
      ['picks', { kind: 'selected-many', value: ['a', 'b', 'c'] }, 'answers.picks: must have at most 2 choices'],
      ['count', { kind: 'number', value: 1 }, 'answers.count: must be at least 2'],
      ['count', { kind: 'number', value: 5 }, 'answers.count: must be at most 4'],
      ['count', { kind: 'number', value: 2.5 }, 'answers.count: must be a whole number'],
    ] as const) {
      const answers = { [id]: { state: 'submitted', value } };
      const refused = await peer.act(chat, {
        type: 'chat/inputCompleted',
        requestId: 'q1',
        response: 'accept',
        answers,
      } as AnyAction);
      assert.equal(refused.rejectionReason, refusal);
    }
  });

  it('end as errors that say so when the host ended, and their questions are void', async () => {
    const { peer, session, chat } = await open(async function* (_turn, host) {
      yield { kind: 'text', partId: 'a', text: 'Working.' };
      yield started('k1');
      await host.confirm(shell('k1', 'make'));
    });
    const turnId = await peer.prompt(chat, 'go');
    await asked(peer, session);
    await place!.restart();
    const later = await place!.connect('c2');
    const state = await later.subscribe<{ turns: { id: string; state: string; error: { errorType: string } }[] }>(chat);
    assert.equal(state.turns[0]?.id, turnId);
    assert.equal(state.turns[0]?.error.errorType, 'interrupted');
    const after = await later.subscribe<{ inputNeeded?: unknown; status: number }>(session);
    assert.equal(after.inputNeeded, undefined);
    assert.equal(activityOf(after.status), status.Error);
  });
});
