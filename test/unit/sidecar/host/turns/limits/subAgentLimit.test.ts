import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { ToolFacts } from '../../../../../../sidecar/agents/provider.ts';
import type { HostOptions } from '../../../../../../sidecar/host/host.ts';
import { ANSWER_LIMIT_MS } from '../../../../../../sidecar/host/turns/budgets/asking.ts';
import type { CallGate } from '../../../../../../sidecar/launch/gateway/gatewayContract.ts';
import type { ChatAction } from '../../../../../../sidecar/protocol/channels/chat/actions.ts';
import type { InputRequestPart } from '../../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { HostPeer } from '../../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../../support/host/hostPlace.ts';
import { ManualTimers } from '../../../../../support/manualTimers.ts';
import { scriptedProvider } from '../../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../../support/verifies.ts';

describe('a limit on sub-agents', () => {
  let place: HostPlace;
  let timers: ManualTimers;
  let gate: CallGate;
  let peer: HostPeer;
  let session: string;
  let chat: string;
  /** What was decided about each step, in order. */
  let outcomes: string[];

  afterEach(async () => {
    timers.close();
    await place.close();
  });

  async function call(subAgent: string, signal = new AbortController().signal): Promise<string> {
    const asked = { session, chat, model: 'big', dollars: 0, signal, cheaper: async () => [] };
    try {
      const { end } = await gate.admit({ ...asked, ...(subAgent !== '' && { subAgent }) });
      end(0);
      return 'made';
    } catch (thrown) {
      return (thrown as Error).message;
    }
  }

  /**
   * The prompt holds the steps of the agent: `tool:ID` asks for a tool call that starts a sub-agent, `edit:ID` for another one,
   * `model:ID` is a call of a sub-agent to a model, and `model:` one of the agent itself.
   */
  async function begin(subAgents: number): Promise<void> {
    outcomes = [];
    timers = new ManualTimers();
    const provider = scriptedProvider(async function* ({ text }, host, signal) {
      for (const step of text.split(' ')) {
        const [kind, id = ''] = step.split(':');
        if (kind === 'model') {
          outcomes.push(await call(id, signal));
          continue;
        }
        const startsSubAgent = kind === 'tool';
        yield { kind: 'toolStarted', toolCallId: id, toolName: 'task', displayName: 'Task' };
        const facts: ToolFacts = { toolCallId: id, kind: 'think', invocationMessage: 'Delegate', paths: [] };
        const decision = await host.confirm({ ...facts, ...(startsSubAgent && { startsSubAgent }) });
        outcomes.push(decision.allow ? 'allowed' : (decision.reason ?? 'denied'));
        if (decision.allow)
          yield { kind: 'toolEnded', toolCallId: id, success: true, pastTenseMessage: 'Delegated', content: [] };
      }
    });
    const gateway = {
      sessionTools: async () => undefined,
      sessionModels: async () => undefined,
      onCall: () => () => undefined,
      onAgents: () => undefined,
      onModels: () => undefined,
      gateCalls: (it: CallGate) => void (gate = it),
      sessionEnded: async () => undefined,
      close: async () => undefined,
    } as unknown as NonNullable<HostOptions['gateway']>;
    place = await openHostPlace([provider], { gateway, timers });
    peer = await place.connect('c1', { runLimits: { subAgents } });
    ({ session, chat } = await peer.newSession());
  }

  const questions = (at = peer) =>
    (at.chat(chat).activeTurn?.responseParts ?? []).filter((it): it is InputRequestPart => it.kind === 'inputRequest');
  const openIn = (at: HostPeer) => questions(at).find((it) => it.response === undefined)?.request;
  async function question(at = peer) {
    await at.until(() => openIn(at) !== undefined, 'a person is asked');
    return openIn(at)!;
  }
  function answer(requestId: string, value: string, at = peer) {
    const answers = { limit: { state: 'submitted', value: { kind: 'selected', value } } } as const;
    const action: ChatAction = { type: 'chat/inputCompleted', requestId, response: 'accept', answers };
    return at.act(chat, action);
  }
  const refused = /^The limit on sub-agents is reached, and the user did not raise it\. Do not start more/;

  for (const kind of ['tool', 'model'])
    it(`lets the ${kind} call of the next sub-agent wait, and continues in the same turn once raised in another window`, async () => {
      verifies('host.limits.subAgents');
      await begin(2);
      const turn = await peer.prompt(chat, `${kind}:a ${kind}:b ${kind}:c ${kind}:d`);
      const { questions: asked } = await question();
      assert.match(asked?.[0]?.message ?? '', /^Sub-agents that Scripted has started in this turn: 2\. Limit: 2\./);
      assert.equal(outcomes.length, 2);
      peer.close(); // a window that is reloaded
      peer = await place.connect('c2');
      const other = await place.connect('c3');
      for (const it of [peer, other]) {
        await it.subscribe(session);
        await it.subscribe(chat);
      }
      await answer((await question(other)).id, '4', other);
      const { state, responseParts } = await peer.ended(chat, turn);
      assert.deepEqual([state, outcomes.length, new Set(outcomes).size], ['complete', 4, 1]);
      assert.equal(responseParts.filter((it) => it.kind === 'inputRequest').length, 1);
    });

  const refusals = [
    ['a person refuses', (id: string) => answer(id, 'stop')],
    ['nobody answers within an hour', async () => timers.pass(ANSWER_LIMIT_MS)],
  ] as const;
  for (const [what, refuse] of refusals)
    it(`refuses further sub-agents of the turn, and nothing else, if ${what}`, async () => {
      verifies('host.limits.refused');
      await begin(1);
      const turn = await peer.prompt(chat, 'tool:a model:s model:t tool:b tool:c model:s model: edit:d');
      await refuse((await question()).id);
      const { responseParts } = await peer.ended(chat, turn);
      assert.deepEqual(
        outcomes.map((it) => (refused.test(it) ? 'refused' : it)),
        ['allowed', 'made', 'refused', 'refused', 'refused', 'made', 'made', 'allowed'],
      );
      const ended = responseParts.flatMap((it) => (it.kind === 'toolCall' ? [it.toolCall] : []));
      assert.deepEqual(
        ended.map((it) => it.status === 'completed' && it.success),
        [true, false, false, true],
      );
    });

  it('counts a sub-agent once that is known from its tool call and from its calls to models', async () => {
    await begin(2);
    await peer.ended(chat, await peer.prompt(chat, 'tool:a model:s model:s tool:b model:t model:t'));
    assert.deepEqual([new Set(outcomes), questions().length], [new Set(['allowed', 'made']), 0]);
  });

  it('counts anew in each turn, without the sub-agents that still work in the background', async () => {
    await begin(1);
    await peer.ended(chat, await peer.prompt(chat, 'tool:a model:s'));
    assert.equal(await call('s'), 'made');
    assert.match(await call('t'), /no turn is running in which the user can be asked/);
    await peer.ended(chat, await peer.prompt(chat, 'model:s tool:b model:t'));
    assert.deepEqual(outcomes, ['allowed', 'made', 'made', 'allowed', 'made']);
  });

  it('stays raised for the session after a restart, until the setting changes', async () => {
    verifies('host.limits.kept');
    await begin(1);
    const turn = await peer.prompt(chat, 'tool:a tool:b');
    await answer((await question()).id, '2');
    await peer.ended(chat, turn);
    peer.close();
    await place.restart();
    peer = await place.connect('c2', { runLimits: { subAgents: 1 } });
    for (const it of [session, chat]) await peer.subscribe(it);
    await peer.ended(chat, await peer.prompt(chat, 'tool:c tool:d'));
    assert.deepEqual(outcomes, ['allowed', 'allowed', 'allowed', 'allowed']);
    const raised = { session, chat };
    ({ session, chat } = await peer.newSession());
    const next = await peer.prompt(chat, 'tool:e tool:f');
    await answer((await question()).id, 'stop');
    await peer.ended(chat, next);
    ({ session, chat } = raised);
    peer = await place.connect('c3', { runLimits: { subAgents: 3 } });
    for (const it of [session, chat]) await peer.subscribe(it);
    const last = await peer.prompt(chat, 'tool:g tool:h tool:i tool:j');
    assert.match((await question()).questions?.[0]?.message ?? '', /: 3\. Limit: 3\./);
    await answer((await question()).id, 'stop');
    await peer.ended(chat, last);
  });
});
