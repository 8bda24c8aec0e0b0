import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { acpProvider } from '../../../../../sidecar/agents/acp/provider.ts';
import type { AgentSession, SessionContext, TurnEvent, TurnHost } from '../../../../../sidecar/agents/provider.ts';
import type { Children } from '../../../../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { MemoryAgent, memoryAcpAgent } from '../../../../support/agents/memoryAgent.ts';
import { later } from '../../../../support/later.ts';
import { contextIn, playTurn } from '../../../../support/playTurn.ts';
import { until } from '../../../../support/until.ts';

const refusal = (code: number) => () => {
  throw Object.assign(new Error('no'), { code });
};
const modes = { currentModeId: 'ask', availableModes: ['ask', 'plan'].map((id) => ({ id, name: id })) };
const select = (id: string, value: string) => ({
  type: 'select',
  id,
  name: id,
  currentValue: value,
  options: ['low', 'high'].map((it) => ({ value: it, name: it })),
});
const text = (words: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } });

describe('a session with an agent that speaks ACP', () => {
  let agent: MemoryAgent;
  let spawn: () => Promise<unknown>;
  beforeEach(() => {
    agent = new MemoryAgent();
    spawn = async () => agent.child;
  });
  const open = (
    more: Partial<SessionContext> = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<AgentSession> => {
    const children = { spawn: () => spawn() } as unknown as Children;
    return acpProvider(memoryAcpAgent, { timers: systemTimers, children }).open(contextIn('/ws', more), signal);
  };
  const property = (session: AgentSession, id: string) => session.options.properties.find((it) => it.id === id)?.value;
  const paramsOf = (method: string) => agent.received.filter((it) => it.method === method).map((it) => it.params);
  const soon = () => new Promise((resolve) => void setImmediate(resolve));

  it('asks nothing of an agent that starts only after the session was closed, and ends it', async () => {
    const abort = new AbortController();
    spawn = async () => {
      abort.abort();
      return agent.child;
    };
    await assert.rejects(open({}, abort.signal), { message: 'The session was closed before the agent was ready.' });
    assert.deepEqual([agent.methods(), agent.stops], [[], 1]);
  });

  it('ends an agent that is closed while it opens, and does not end one that is open', async () => {
    agent.answers['session/new'] = () => later().promise;
    const abort = new AbortController();
    const opening = open({}, abort.signal);
    await until('it is asked', () => agent.methods().includes('session/new'));
    abort.abort();
    await assert.rejects(opening, { message: 'The session was closed before the agent was ready.' });
    assert.ok(agent.stops > 0);
    agent = new MemoryAgent();
    const later2 = new AbortController();
    await open({}, later2.signal);
    later2.abort();
    assert.equal(agent.stops, 0);
  });

  it('keeps the commands that the agent named before it answered', async () => {
    agent.answers['session/new'] = () => {
      const availableCommands = [{ name: 'review', description: 'Reviews' }];
      agent.update({ sessionUpdate: 'available_commands_update', availableCommands });
      return { sessionId: 'fresh' };
    };
    assert.deepEqual(
      (await open()).options.commands.map((it) => it.name),
      ['review'],
    );
  });

  it('follows the mode and the options of the agent, and notifies until nobody listens', async () => {
    agent.answers['session/new'] = { sessionId: 'fresh', modes };
    const session = await open();
    let changes = 0;
    const stop = session.onOptions!(() => (changes += 1));
    assert.equal(property(session, 'mode'), 'ask');
    agent.update({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' });
    await until('it is in the other mode', () => property(session, 'mode') === 'plan');
    agent.update({ sessionUpdate: 'config_option_update', configOptions: [select('effort', 'high')] });
    await until('there is an option', () => property(session, 'effort') === 'high');
    assert.equal(changes, 2);
    stop();
    agent.update({ sessionUpdate: 'current_mode_update', currentModeId: 'ask' });
    await until('it is in the first mode', () => property(session, 'mode') === 'ask');
    assert.equal(changes, 2);
  });

  it('has no mode where the agent named none, whatever it says later', async () => {
    const session = await open();
    let changes = 0;
    session.onOptions!(() => (changes += 1));
    agent.update({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' });
    agent.update({ sessionUpdate: 'available_commands_update', availableCommands: [] });
    await until('what came later is there', () => changes > 0);
    assert.deepEqual([changes, property(session, 'mode')], [1, undefined]);
  });

  it('is set to what was chosen before it is ready, with what the agent answers to that', async () => {
    agent.answers['session/new'] = { sessionId: 'fresh', modes, configOptions: [select('effort', 'low')] };
    agent.answers['session/set_mode'] = {};
    agent.answers['session/set_config_option'] = { configOptions: [select('effort', 'high'), select('depth', 'low')] };
    const session = await open({ config: { mode: 'plan', effort: 'high', unknown: 1 } });
    assert.deepEqual(
      ['mode', 'effort', 'depth'].map((it) => property(session, it)),
      ['plan', 'high', 'low'],
    );
    const sets = agent.methods().filter((it) => it.startsWith('session/set'));
    assert.deepEqual(sets, ['session/set_mode', 'session/set_config_option']);
    agent.answers['session/set_mode'] = refusal(-32603);
    await assert.rejects(session.configure!({ mode: 'ask' }), {
      code: 'unavailable',
      message: /^Memory reported an error/,
    });
    assert.equal(property(session, 'mode'), 'plan', 'what was refused is not shown');
  });

  it('hands the agent what of its own form differs, and takes its answer for all values', async () => {
    const field = { type: 'number', title: 'n' };
    const config = { schema: { properties: { retries: field, limit: field } }, values: { retries: 1, limit: 2 } };
    agent.answers['session/new'] = { sessionId: 'fresh', _meta: { switchboard: { config } } };
    agent.answers['_switchboard/set_config'] = { values: { retries: 3, limit: 9 } };
    const session = await open({ config: { retries: 1, toString: 'x', other: 5 } });
    assert.ok(!agent.methods().includes('_switchboard/set_config'), 'nothing differs');
    let changes = 0;
    session.onOptions!(() => (changes += 1));
    await session.configure!({ retries: 3, limit: 2, other: 5 });
    assert.deepEqual(paramsOf('_switchboard/set_config'), [{ sessionId: 'fresh', values: { retries: 3 } }]);
    assert.equal(changes, 1);
    await session.configure!({ retries: 3, limit: 9 });
    assert.equal(paramsOf('_switchboard/set_config').length, 1, 'it is so already');
  });

  for (const { says, able, asks } of [
    { says: 'resumes', able: { sessionCapabilities: { resume: {} }, loadSession: true }, asks: 'session/resume' },
    { says: 'loads', able: { loadSession: true }, asks: 'session/load' },
  ]) {
    it(`goes on with an earlier conversation where the agent ${says} it, in all folders, and says nothing of it again`, async () => {
      const more = { ...able, sessionCapabilities: { ...able.sessionCapabilities, additionalDirectories: {} } };
      agent.answers['initialize'] = { protocolVersion: 1, agentCapabilities: more };
      agent.answers[asks] = () => {
        agent.update(text('earlier words'));
        return { modes };
      };
      agent.answers['session/prompt'] = () => {
        agent.update(text('new words'));
        return { stopReason: 'end_turn' };
      };
      const session = await open({ resumeId: 'earlier', folders: ['/ws', '/b', '/c'] });
      assert.deepEqual(agent.methods(), ['initialize', asks]);
      assert.deepEqual(paramsOf(asks), [
        { cwd: '/ws', mcpServers: [], additionalDirectories: ['/b', '/c'], sessionId: 'earlier' },
      ]);
      assert.deepEqual(
        [session.resumeId, session.forgotEarlierTurns, session.began, session.options.severalFolders],
        ['earlier', false, undefined, true],
      );
      assert.equal((await playTurn(session, { text: 'go' })).text, 'new words');
      assert.equal(paramsOf('session/prompt')[0]!['sessionId'], 'earlier');
    });
  }

  it('begins another conversation where the agent does not know the earlier one, and no other where it is silent', async () => {
    agent.answers['initialize'] = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
    agent.answers['session/load'] = refusal(-32002);
    agent.answers['session/prompt'] = () => {
      agent.update(text('heard'));
      return { stopReason: 'end_turn' };
    };
    const session = await open({ resumeId: 'earlier' });
    assert.deepEqual([session.resumeId, session.forgotEarlierTurns], ['fresh', true]);
    assert.equal((await playTurn(session, { text: 'go' })).text, 'heard', 'nothing is played back any more');
    agent = new MemoryAgent();
    const { forgotEarlierTurns, began } = await open();
    assert.deepEqual([forgotEarlierTurns, began !== undefined], [false, true]);
    agent = new MemoryAgent();
    agent.answers['initialize'] = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
    agent.answers['session/load'] = () => agent.exit(3);
    await assert.rejects(open({ resumeId: 'earlier' }), { code: 'unavailable', message: /exit code 3.*last words/s });
    assert.ok(!agent.methods().includes('session/new'));
  });

  it('is refused where the agent gives it no id, and where it needs a sign-in', async () => {
    agent.answers['session/new'] = {};
    await assert.rejects(open(), { message: 'Memory returned a session without an ID.' });
    assert.ok(agent.stops > 0);
    agent = new MemoryAgent();
    agent.answers['session/new'] = refusal(-32000);
    await assert.rejects(open(), { code: 'auth_required' });
  });

  it('asks nothing for a turn that was cancelled before it began, and steers none that is over', async () => {
    const models = { currentModelId: 'x', availableModels: ['x', 'y'].map((modelId) => ({ modelId, name: modelId })) };
    agent.answers['initialize'] = {
      protocolVersion: 1,
      agentCapabilities: {},
      _meta: { steering: { supported: true } },
    };
    agent.answers['session/new'] = { sessionId: 'fresh', models };
    agent.answers['session/prompt'] = { stopReason: 'end_turn' };
    const session = await open();
    const before = agent.methods();
    const turn = await playTurn(session, { text: 'go', model: 'y', signal: AbortSignal.abort() });
    assert.deepEqual([turn.events, turn.failure, agent.methods()], [[], undefined, before]);
    assert.equal(await session.steer!('left'), false);
    agent.answers['session/set_model'] = {};
    assert.equal((await playTurn(session, { text: 'go', model: 'y' })).failure, undefined);
    assert.deepEqual(agent.methods().slice(before.length), ['session/set_model', 'session/prompt']);
    assert.equal(await session.steer!('left'), false);
    const id = agent.ask('session/request_permission', {
      sessionId: 'fresh',
      toolCall: { toolCallId: 'late', title: 'Edit', kind: 'edit' },
      options: [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }],
    });
    await until('it is answered', () => agent.answered.has(id));
    assert.deepEqual(agent.answered.get(id)!['result'], { outcome: { outcome: 'cancelled' } });
  });

  it('steers no agent that cannot take it, also in the middle of a turn', async () => {
    const over = later<unknown>();
    agent.answers['session/prompt'] = () => over.promise;
    const session = await open();
    const turn = playTurn(session, { text: 'go' });
    await until('it is asked', () => agent.methods().includes('session/prompt'));
    assert.equal(await session.steer!('left'), false);
    over.resolve({ stopReason: 'end_turn' });
    await turn;
    assert.equal(agent.methods().at(-1), 'session/prompt');
  });

  for (const { method, params, touched } of [
    { method: 'fs/read_text_file', params: { path: '/ws/a' }, touched: 'read /ws/a' },
    { method: 'fs/write_text_file', params: { path: '/ws/a', content: 'x' }, touched: 'wrote /ws/a' },
  ]) {
    it(`serves ${method} only when the host dealt with all that the agent said before`, async () => {
      const touches: string[] = [];
      const over = later<unknown>();
      agent.answers['session/prompt'] = () => over.promise;
      const files = {
        readText: async (path: string) => {
          touches.push(`read ${path}`);
          return 'content';
        },
        writeText: async (path: string) => void touches.push(`wrote ${path}`),
      };
      const session = await open({ files });
      const request = { turnId: 't', text: 'go', attachments: [] };
      const turn = session.run(request, {} as TurnHost, new AbortController().signal)[Symbol.asyncIterator]();
      const first = turn.next();
      await until('it is asked', () => agent.methods().includes('session/prompt'));
      agent.update(text('before'));
      const id = agent.ask(method, { sessionId: 'fresh', ...params });
      assert.equal(((await first).value as TurnEvent).kind, 'text');
      for (let n = 0; n < 5; n += 1) await soon();
      assert.deepEqual(touches, []);
      const rest = turn.next();
      await until('it is answered', () => agent.answered.has(id));
      assert.deepEqual(touches, [touched]);
      over.resolve({ stopReason: 'end_turn' });
      await rest;
    });
  }

  it('reports once that its agent is gone, also to a late listener, and never after it was closed', async () => {
    const session = await open();
    const reasons: string[] = [];
    const left: string[] = [];
    session.onGone!((it) => reasons.push(it));
    session.onGone!((it) => left.push(it))();
    agent.exit(7);
    await until('it is gone', () => reasons.length > 0);
    session.onGone!((it) => reasons.push(it));
    assert.deepEqual([reasons.length, new Set(reasons).size, left], [2, 1, []]);
    assert.match(reasons[0]!, /Memory stopped unexpectedly \(exit code 7\): last words/);
    await assert.rejects(
      session.configure!({ mode: 'x' }).then(() => session.completeOption!({} as never)),
      {
        message: reasons[0]!,
      },
    );
    agent = new MemoryAgent();
    const closed = await open();
    closed.onGone!((it) => reasons.push(it));
    await closed.close();
    await soon();
    closed.onGone!((it) => reasons.push(it));
    assert.equal(reasons.length, 2);
  });
});
