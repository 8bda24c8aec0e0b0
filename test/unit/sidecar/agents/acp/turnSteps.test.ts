import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { AgentConnection } from '../../../../../sidecar/agents/acp/connection.ts';
import { LiveTurn } from '../../../../../sidecar/agents/acp/turn.ts';
import type { SessionUpdate } from '../../../../../sidecar/agents/acp/wire.ts';
import type { ToolDecision, TurnEvent, TurnHost } from '../../../../../sidecar/agents/provider.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { type Later, later } from '../../../../support/later.ts';

const moments = async () => {
  for (let n = 0; n < 4; n += 1) await new Promise((resolve) => void setImmediate(resolve));
};
const done = { stopReason: 'end_turn' };
const permission = (toolCallId: string) =>
  ({
    sessionId: 's',
    toolCall: { sessionUpdate: 'tool_call_update', toolCallId, title: `Edit ${toolCallId}`, kind: 'edit' },
    options: [
      { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
      { optionId: 'no', name: 'Deny', kind: 'reject_once' },
    ],
  }) as never;
const says = (text: string, kind: 'message' | 'thought' = 'message') =>
  ({ sessionUpdate: `agent_${kind}_chunk`, content: { type: 'text', text } }) as SessionUpdate;
const called = (toolCallId: string, more: object = {}) =>
  ({ sessionUpdate: 'tool_call', toolCallId, title: toolCallId, kind: 'read', ...more }) as SessionUpdate;
const plan = (content: string) =>
  ({ sessionUpdate: 'plan', entries: [{ content, status: 'pending' }] }) as SessionUpdate;
const noPlan = { sessionUpdate: 'plan', entries: [] } as SessionUpdate;

describe('the steps of a turn of an agent that speaks ACP', () => {
  /** What the agent was sent, in order, each with its answer. */
  let sent: {
    readonly method: string;
    readonly text: string;
    readonly limitMs?: number;
    readonly answer: Later<unknown>;
  }[];
  let events: TurnEvent[];
  let decide: () => Promise<ToolDecision>;
  let abort: AbortController;
  let untold: boolean;
  beforeEach(() => {
    [sent, events, abort, untold] = [[], [], new AbortController(), false];
    decide = async () => ({ allow: true });
  });
  function start(canSteer = false) {
    const connection: AgentConnection = {
      request: (method, params, limitMs) => {
        const { prompt } = params as { prompt: { text: string }[] };
        const text = prompt.map((it) => it.text).join(' ');
        const it = { method, text, ...(limitMs !== undefined && { limitMs }), answer: later<unknown>() };
        sent.push(it);
        return it.answer.promise;
      },
      notify: async (method) => {
        if (untold) throw new Fault('unavailable', 'A is not running.');
        sent.push({ method, text: '', answer: later<unknown>() });
      },
      meta: undefined,
      modelsThrough: 'own',
      needless: [],
      ended: new Promise(() => {}),
      clean: (text) => text,
      lastWords: () => undefined,
      close: async () => undefined,
    };
    const turn = new LiveTurn({
      agent: { id: 'a', displayName: 'A', command: 'a', args: [], env: [] },
      connection,
      sessionId: 's',
      cwd: '/ws',
      files: {} as never,
      abilities: { image: false, embeddedContext: false },
      authMethods: [],
      canSteer,
      timers: systemTimers,
      cancelMs: 5_000,
      request: { turnId: 't', text: 'go', attachments: [] },
      host: { confirm: () => decide() } as Partial<TurnHost> as TurnHost,
      signal: abort.signal,
    });
    const over = (async () => {
      for await (const it of turn.events()) events.push(it);
    })();
    over.catch(() => undefined); // seen by the test
    return { turn, over };
  }
  const prompts = () => sent.filter((it) => it.method === 'session/prompt').map((it) => it.text);
  const methods = () => sent.map((it) => it.method);
  const kinds = () => events.map((it) => it.kind);
  const deny = (reason: string) => {
    decide = async () => ({ allow: false, reason });
  };

  it('are new parts of the answer after each thought, call, plan and question, and one part in between', async () => {
    const { turn, over } = start();
    await moments();
    for (const it of [says('a'), says('b'), says('c', 'thought'), says('d'), called('r'), says('e')]) turn.update(it);
    for (const it of [plan('x'), says('f'), plan('x'), says('g'), says(''), noPlan, plan('y'), says('h')])
      turn.update(it);
    await turn.permission(permission('w'));
    turn.update(says('i'));
    sent[0]!.answer.resolve(done);
    await over;
    const parts = events.flatMap((it) => ('partId' in it ? [`${it.text} ${it.kind} ${it.partId}`] : []));
    assert.deepEqual(parts, [
      ...['a text t-1', 'b text t-1', 'c reasoning t-2', 'd text t-3', 'e text t-4', 'f text t-5', 'g text t-5'],
      ...['h text t-6', 'i text t-7'],
    ]);
    assert.equal(kinds().filter((it) => it === 'notice').length, 2);
  });

  it('are a prompt of the reason where a denial has one, after all calls of the first are over', async () => {
    deny('not there');
    const { turn, over } = start();
    await moments();
    turn.update(called('open', { status: 'in_progress' }));
    assert.deepEqual(await turn.permission(permission('w')), { outcome: { outcome: 'selected', optionId: 'no' } });
    assert.deepEqual(prompts(), ['go']);
    sent[0]!.answer.resolve(done);
    await moments();
    assert.deepEqual(prompts(), ['go', 'I denied "Edit w": not there']);
    assert.deepEqual(
      events.flatMap((it) => (it.kind === 'toolEnded' ? [`${it.toolCallId} ${it.success}`] : [])),
      ['open false', 'w false'],
    );
    sent[1]!.answer.resolve(done);
    await over;
    assert.equal(kinds().filter((it) => it === 'toolEnded').length, 2, 'none ends twice');
  });

  for (const { outcome, isTaken } of [
    { outcome: 'injected', isTaken: true },
    { outcome: 'promptRequired', isTaken: false },
  ]) {
    it(`are steered behind the answer of a denial, and end with ${isTaken ? 'one prompt' : 'another prompt'} where that is ${outcome}`, async () => {
      deny('not there');
      const { turn, over } = start(true);
      await moments();
      await turn.permission(permission('w'));
      assert.deepEqual(methods(), ['session/prompt'], 'the answer goes first');
      await moments();
      assert.deepEqual(methods(), ['session/prompt', '_session/steering']);
      sent[0]!.answer.resolve(done);
      await moments();
      assert.equal(sent.length, 2, 'it waits for what the agent says to it');
      sent[1]!.answer.resolve({ outcome });
      await moments();
      assert.deepEqual(prompts().length, isTaken ? 1 : 2);
      sent[2]?.answer.resolve(done);
      await over;
    });
  }

  it('are one prompt of all reasons where several calls were denied, and each is told once', async () => {
    const { turn, over } = start();
    await moments();
    for (const name of ['v', 'w']) {
      deny(`no ${name}`);
      await turn.permission(permission(name));
    }
    sent[0]!.answer.resolve(done);
    await moments();
    assert.deepEqual(prompts(), ['go', 'I denied "Edit v": no v\nI denied "Edit w": no w']);
    sent[1]!.answer.resolve(done);
    await over;
    assert.equal(prompts().length, 2);
  });

  it('wait for an agent that is steered no longer than for one that is cancelled, and for a prompt without limit', async () => {
    deny('not there');
    const { turn, over } = start(true);
    await moments();
    await turn.permission(permission('w'));
    await moments();
    assert.deepEqual(
      sent.map((it) => [it.method, it.limitMs]),
      [
        ['session/prompt', undefined],
        ['_session/steering', 5_000],
      ],
    );
    sent[1]!.answer.reject(new Fault('unavailable', 'A did not respond within 5 s.'));
    sent[0]!.answer.resolve(done);
    await moments();
    assert.equal(prompts().length, 2, 'the reason goes as a prompt');
    sent[2]!.answer.resolve(done);
    await over;
  });

  it('end without a failure where a question is given up because the turn was cancelled', async () => {
    const question = later<ToolDecision>();
    decide = () => question.promise;
    const { turn, over } = start();
    await moments();
    const asked = turn.permission(permission('w'));
    await moments();
    abort.abort();
    question.reject(new Error('the turn was aborted'));
    assert.deepEqual(await asked, { outcome: { outcome: 'cancelled' } });
    sent[0]!.answer.resolve({ stopReason: 'cancelled' });
    await over;
  });

  it('are no further prompt where the turn was cancelled meanwhile', async () => {
    deny('not there');
    const { turn, over } = start();
    await moments();
    await turn.permission(permission('w'));
    abort.abort();
    sent[0]!.answer.resolve({ stopReason: 'cancelled' });
    await over;
    assert.deepEqual(methods(), ['session/prompt', 'session/cancel']);
  });

  it('end without a failure where the agent fails because it was cancelled', async () => {
    const { over } = start();
    await moments();
    abort.abort();
    sent[0]!.answer.reject(new Error('cancelled'));
    await over;
  });

  it('end without a failure where the agent cannot be told any more that it is cancelled', async () => {
    const { over } = start();
    await moments();
    const unhandled: unknown[] = [];
    const note = (thrown: unknown) => void unhandled.push(thrown);
    process.on('unhandledRejection', note);
    untold = true;
    abort.abort();
    await moments();
    sent[0]!.answer.reject(new Fault('unavailable', 'A stopped unexpectedly.'));
    await over;
    process.off('unhandledRejection', note);
    assert.deepEqual(unhandled, []);
  });

  it('are cancelled as soon as there is a prompt where that came first, and never after their end', async () => {
    abort.abort();
    const first = start();
    await moments();
    assert.deepEqual(methods().sort(), ['session/cancel', 'session/prompt']);
    sent.find((it) => it.method === 'session/prompt')!.answer.resolve({ stopReason: 'cancelled' });
    await first.over;
    [sent, abort] = [[], new AbortController()];
    const second = start();
    await moments();
    sent[0]!.answer.resolve(done);
    await second.over;
    abort.abort();
    await moments();
    assert.deepEqual(methods(), ['session/prompt']);
  });

  it('fail with what the host cannot decide, and the agent is answered that it was cancelled', async () => {
    decide = () => Promise.reject(new Fault('unavailable', 'the disk is full'));
    const { turn, over } = start();
    await moments();
    assert.deepEqual(await turn.permission(permission('w')), { outcome: { outcome: 'cancelled' } });
    await assert.rejects(over, { message: 'the disk is full' });
  });

  it('fail for want of a sign-in as such, and with the first line of anything else', async () => {
    for (const { thrown, code, message } of [
      {
        thrown: Object.assign(new Error('no'), { code: -32000 }),
        code: 'auth_required',
        message: /needs you to sign in/,
      },
      { thrown: new Error('first\nsecond'), code: 'unavailable', message: /^A reported an error: first$/ },
    ]) {
      [sent, events] = [[], []];
      const { turn, over } = start();
      await moments();
      turn.update(called('open'));
      sent[0]!.answer.reject(thrown);
      await assert.rejects(over, { code, message });
      assert.deepEqual(kinds(), ['toolStarted', 'toolEnded'], 'what was open ended first');
    }
  });

  it('know a call as running once it was allowed: its content is shown, and haste while it is asked about is not', async () => {
    const answer = later<ToolDecision>();
    decide = () => answer.promise;
    const { turn, over } = start();
    await moments();
    const content = (text: string) => ({ content: [{ type: 'content', content: { type: 'text', text } }] });
    const asked = turn.permission(permission('w'));
    await moments();
    turn.update(called('w', { sessionUpdate: 'tool_call_update', status: 'in_progress', ...content('hasty') }));
    answer.resolve({ allow: true });
    await asked;
    turn.update(called('w', { sessionUpdate: 'tool_call_update', ...content('shown') }));
    turn.update(called('w', { sessionUpdate: 'tool_call_update', status: 'completed' }));
    turn.update(called('w', { sessionUpdate: 'tool_call_update', status: 'failed', ...content('late') }));
    await turn.permission(permission('w'));
    turn.update(called('w', { sessionUpdate: 'tool_call_update', status: 'failed' }));
    sent[0]!.answer.resolve(done);
    await over;
    assert.deepEqual(kinds(), ['toolStarted', 'toolContent', 'toolEnded']);
  });
});
