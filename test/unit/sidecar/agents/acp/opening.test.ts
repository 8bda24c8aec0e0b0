import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { acpProvider } from '../../../../../sidecar/agents/acp/provider.ts';
import type { AgentSession, SessionContext } from '../../../../../sidecar/agents/provider.ts';
import type { ToolServer } from '../../../../../sidecar/agents/toolServers.ts';
import type { Children } from '../../../../../sidecar/platform/children/children.ts';
import { MemoryAgent, memoryAcpAgent } from '../../../../support/agents/memoryAgent.ts';
import { later } from '../../../../support/later.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { contextIn, playTurn } from '../../../../support/playTurn.ts';
import { until } from '../../../../support/until.ts';

const refusal = (code: number) => () => {
  throw Object.assign(new Error('no'), { code });
};
const silent = () => later().promise;
/** Each is another, so that a limit is told from the others. */
const limits = { openMs: 30_000, cancelMs: 4_000, configureMs: 10_000 };
const server = (name: string): ToolServer => ({ name, url: `http://127.0.0.1/${name}`, headers: { token: name } });

describe('an agent that speaks ACP and its session', () => {
  let agent: MemoryAgent;
  let timers: ManualTimers;
  beforeEach(() => {
    [agent, timers] = [new MemoryAgent(), new ManualTimers()];
  });
  const open = (more: Partial<SessionContext> = {}): Promise<AgentSession> => {
    const children = { spawn: async () => agent.child } as unknown as Children;
    const provider = acpProvider(memoryAcpAgent, { timers, children, limits });
    return provider.open(contextIn('/ws', more), new AbortController().signal);
  };
  const able = (agentCapabilities: object, more: object = {}) => {
    agent.answers['initialize'] = { protocolVersion: 1, agentCapabilities, ...more };
  };
  const asked = (method: string) => until(`${method} is asked`, () => agent.methods().includes(method));
  const paramsOf = (method: string) => agent.received.filter((it) => it.method === method).map((it) => it.params);

  for (const { method, resumeId } of [
    { method: 'initialize', resumeId: undefined },
    { method: 'session/new', resumeId: undefined },
    { method: 'session/load', resumeId: 'earlier' },
  ]) {
    it(`are not opened, and the agent ends, when it does not answer ${method} in time`, async () => {
      able({ loadSession: true });
      agent.answers[method] = silent;
      const opening = open(resumeId === undefined ? {} : { resumeId });
      await asked(method);
      assert.equal(timers.count(limits.openMs), 1);
      timers.pass(limits.openMs);
      await assert.rejects(opening, { code: 'unavailable', message: 'Memory did not respond within 30 s.' });
      assert.deepEqual([agent.methods().at(-1), agent.stops], [method, 1]);
    });
  }

  it('stay open when the agent does not answer a choice in time, which is not shown as made', async () => {
    const modes = { currentModeId: 'ask', availableModes: ['ask', 'plan'].map((id) => ({ id, name: id })) };
    agent.answers['session/new'] = { sessionId: 'fresh', modes };
    agent.answers['session/set_mode'] = silent;
    const session = await open();
    const choice = session.configure!({ mode: 'plan' });
    await asked('session/set_mode');
    timers.pass(limits.configureMs);
    await assert.rejects(choice, { code: 'unavailable', message: 'Memory did not respond within 10 s.' });
    assert.deepEqual([session.options.properties[0]?.value, agent.stops], ['ask', 0]);
  });

  it('leave no limit behind that is still waited for', async () => {
    await (await open()).configure!({});
    assert.deepEqual([timers.count(limits.openMs), timers.count(limits.configureMs)], [0, 0]);
  });

  it('wait with the prompt until the model is set, and send none where the agent refuses the model', async () => {
    const models = { currentModelId: 'x', availableModels: ['x', 'y'].map((modelId) => ({ modelId, name: modelId })) };
    agent.answers['session/new'] = { sessionId: 'fresh', models };
    agent.answers['session/set_model'] = refusal(-32603);
    const session = await open();
    const { failure } = await playTurn(session, { text: 'go', model: 'y' });
    assert.match(String(failure), /Memory reported an error/);
    assert.ok(!agent.methods().includes('session/prompt'));
    assert.equal(session.options.model, 'x');
  });

  it('need a sign-in where the agent wants one for an earlier conversation, and begin no other', async () => {
    const authMethods = [{ id: 'key', name: 'API key', type: 'env_var', vars: [{ name: 'MEMORY_KEY' }] }];
    able({ loadSession: true }, { authMethods });
    agent.answers['session/load'] = refusal(-32000);
    await assert.rejects(open({ resumeId: 'earlier' }), { code: 'auth_required', message: /Set MEMORY_KEY in/ });
    assert.ok(!agent.methods().includes('session/new'));
  });

  it('go on with an earlier conversation where the agent answers nothing to that', async () => {
    able({ loadSession: true });
    agent.answers['session/load'] = () => null;
    const session = await open({ resumeId: 'earlier' });
    assert.deepEqual([session.resumeId, session.forgotEarlierTurns], ['earlier', false]);
    assert.ok(!agent.methods().includes('session/new'));
  });

  const asProgram = ({ name, url }: ToolServer) => ({ command: 'node', args: ['relay', url], env: { NAME: name } });
  for (const { says, mcp, program, offers, expected } of [
    {
      says: 'by HTTP where it takes that',
      mcp: { http: true },
      program: true,
      offers: 1,
      expected: ['http://127.0.0.1/own', 'http://127.0.0.1/offered'],
    },
    {
      says: 'as programs where it takes no HTTP',
      mcp: { http: false },
      program: true,
      offers: 1,
      expected: ['node relay http://127.0.0.1/own own', 'node relay http://127.0.0.1/offered offered'],
    },
    { says: 'not at all, and none is made for it, where it takes neither', program: false, offers: 0, expected: [] },
  ]) {
    it(`share the tool servers of the session ${says}`, async () => {
      able({ ...(mcp && { mcpCapabilities: mcp }) });
      let offered = 0;
      const offeredServer = async () => {
        offered += 1;
        return server('offered');
      };
      await open({ toolServers: [server('own')], offeredServer, ...(program && { asProgram }) });
      const [params] = paramsOf('session/new') as { mcpServers: Record<string, unknown>[] }[];
      const shown = params!.mcpServers.map(({ url, command, args, env }) =>
        url === undefined
          ? [command, ...(args as string[]), ...(env as { value: string }[]).map((it) => it.value)].join(' ')
          : url,
      );
      assert.deepEqual([shown, offered], [expected, offers]);
    });
  }

  it('name no further folders to an agent that takes several where there is one', async () => {
    able({ sessionCapabilities: { additionalDirectories: {} } });
    await open();
    assert.deepEqual(paramsOf('session/new'), [{ cwd: '/ws', mcpServers: [] }]);
  });

  it('compare values of the form of the agent by what they hold, and keep the rest of its offer', async () => {
    const schema = { properties: { tags: { type: 'array', title: 'Tags' } } };
    const models = { x: { policyState: 'disabled' } };
    const switchboard = { config: { schema, values: { tags: ['a'] } }, models };
    agent.answers['session/new'] = {
      sessionId: 'fresh',
      models: { currentModelId: 'x', availableModels: [{ modelId: 'x', name: 'X' }] },
      _meta: { switchboard },
    };
    agent.answers['_switchboard/set_config'] = { values: { tags: ['b'] } };
    const session = await open({ config: { tags: ['a'] } });
    assert.ok(!agent.methods().includes('_switchboard/set_config'), 'it is so already');
    await session.configure!({ tags: ['b'] });
    assert.deepEqual(session.options.models, [{ id: 'x', name: 'X', policyState: 'disabled' }]);
    assert.deepEqual(session.options.form?.values, { tags: ['b'] });
  });
});
