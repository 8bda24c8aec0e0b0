import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { decidingValues } from '../../../../../sidecar/agents/acp/decidingModes.ts';
import { agentErrorCode, signInNeeded, toAgentFault } from '../../../../../sidecar/agents/acp/faults.ts';
import { offerOf, toOptions, withSet } from '../../../../../sidecar/agents/acp/options.ts';
import { toPrompt } from '../../../../../sidecar/agents/acp/prompt.ts';
import { TurnUsage } from '../../../../../sidecar/agents/acp/usage.ts';
import type { AcpAgent } from '../../../../../sidecar/agents/acp/wellKnown.ts';
import {
  AuthMethod,
  InitializeResult,
  OpenedSession,
  PromptResult,
  SessionUpdate,
} from '../../../../../sidecar/agents/acp/wire.ts';
import type { OptionField } from '../../../../../sidecar/agents/options.ts';
import type { Attachment, SessionFiles } from '../../../../../sidecar/agents/provider.ts';
import { Fault, type FaultCode } from '../../../../../sidecar/platform/faults.ts';

const select = (id: string, category: string, ...values: string[]) => ({
  type: 'select',
  id,
  name: id,
  category,
  currentValue: values[0],
  options: values.map((value) => ({ value, name: value })),
});
const offer = (opened: unknown) => offerOf(OpenedSession.parse(opened));

describe('a member that does not fit', () => {
  const tool = { sessionUpdate: 'tool_call', toolCallId: 'c' };
  for (const { says, schema, message, expected } of [
    {
      says: 'among the places of a tool call leaves the others',
      schema: SessionUpdate,
      message: { ...tool, locations: [{ line: 1 }, { path: '/a' }] },
      expected: { ...tool, locations: [{ path: '/a' }] },
    },
    {
      says: 'among the cost leaves the tokens of the context',
      schema: SessionUpdate,
      message: { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: -1, currency: '' } },
      expected: { sessionUpdate: 'usage_update', used: 1, size: 2, cost: null },
    },
    {
      says: 'among what the agent can do leaves the rest of its introduction',
      schema: InitializeResult,
      message: {
        protocolVersion: 1,
        agentCapabilities: { loadSession: true, mcpCapabilities: 'all' },
        authMethods: 'none',
        _meta: { steering: true },
      },
      expected: {
        protocolVersion: 1,
        agentCapabilities: { loadSession: true, mcpCapabilities: null },
        authMethods: null,
        _meta: { steering: undefined },
      },
    },
    {
      says: 'among the tokens of an answer leaves the answer',
      schema: PromptResult,
      message: { stopReason: 'end_turn', usage: { inputTokens: 'many' } },
      expected: { stopReason: 'end_turn', usage: null },
    },
  ]) {
    it(says, () => assert.deepEqual(schema.parse(message), expected));
  }
});

describe('the sign-in that an agent needs', () => {
  const resource = (env: string) => ({ env, metadata: { resource: `https://${env}.example/` } as never });
  const agent: AcpAgent = { id: 'a', displayName: 'A', command: 'a-cli', args: ['--acp'], env: [] };
  const protectedResources = [resource('ONE'), resource('TWO')];
  const login = { command: 'a-cli', args: ['login'] };
  const variables = (...names: string[]) => ({
    id: 'env',
    name: 'Key',
    type: 'env_var',
    vars: names.map((name) => ({ name })),
  });
  for (const { says, more, methods, resources, terminal } of [
    {
      says: 'is to what it names by its variables, and to nothing else that was declared',
      more: { protectedResources },
      methods: [variables('TWO', 'OTHER')],
      resources: ['https://TWO.example/'],
      terminal: undefined,
    },
    {
      says: 'is to all that was declared where it names no way',
      more: { protectedResources },
      methods: [],
      resources: ['https://ONE.example/', 'https://TWO.example/'],
      terminal: undefined,
    },
    {
      says: 'is its own where it has one and names no variable of ours',
      more: { protectedResources, login },
      methods: [],
      resources: undefined,
      terminal: { command: 'a-cli', args: ['login'], env: {} },
    },
    {
      says: 'is the command that starts it with what the method adds',
      more: { login },
      methods: [{ id: 't', name: 'In a terminal', type: 'terminal', args: ['--login'] }],
      resources: undefined,
      terminal: { command: 'a-cli', args: ['--acp', '--login'], env: {}, label: 'In a terminal' },
    },
  ]) {
    it(says, () => {
      const fault = signInNeeded(
        { ...agent, ...more },
        methods.map((it) => AuthMethod.parse(it)),
        undefined,
      );
      const data = fault.data as { resources?: { resource: string }[]; terminal?: unknown };
      assert.deepEqual([data.resources?.map((it) => it.resource), data.terminal], [resources, terminal]);
    });
  }

  it('is no reason to repeat secrets: an error of the agent is cleaned before it is shortened', () => {
    const thrown = new Error(`${'x'.repeat(298)} secret\nsecond line`);
    const { message } = toAgentFault(agent, thrown, (text) => text.replaceAll('secret', '***'));
    assert.equal(message, `A reported an error: ${'x'.repeat(298)} *`);
  });
});

describe('the code of an answer to an agent', () => {
  for (const [code, expected] of [
    ['not_found', -32002],
    ['content_not_found', -32002],
    ['invalid_params', -32602],
    ['forbidden', -32602],
    ['unavailable', -32603],
  ] as const satisfies readonly (readonly [FaultCode, number])[]) {
    it(`is ${expected} for ${code}`, () => assert.equal(agentErrorCode(new Fault(code, 'No.')), expected));
  }
});

describe('what an agent offers', () => {
  it('changes in the one option that was set', () => {
    const both = offer({ configOptions: [select('effort', 'x', 'low', 'high'), select('depth', 'x', 'low', 'high')] });
    const request = {
      method: 'session/set_config_option',
      params: { sessionId: 's', configId: 'depth', value: 'high' },
    } as const;
    const set = toOptions(withSet(both, request)).properties.map((it) => `${it.id} ${it.value}`);
    assert.deepEqual(set, ['effort low', 'depth high']);
  });
  it('has no mode to choose where its list of modes is empty', () => {
    assert.deepEqual(toOptions(offer({ modes: { currentModeId: 'a', availableModes: [] } })).properties, []);
  });
  it('has its models in the option of that category, whatever its ID', () => {
    const { models, properties } = toOptions(offer({ configOptions: [select('llm', 'model', 'm')] }));
    assert.deepEqual([models.map((it) => it.id), properties], [['m'], []]);
  });
  it('is marked by the name of a mode too, and by the part of a URL that names it', () => {
    const modes = [
      { id: 'm1', name: 'Bypass Permissions' },
      { id: 'https://a.example/auto#ask', name: 'Ask' },
    ];
    const [mode] = toOptions(offer({ modes: { currentModeId: 'm1', availableModes: modes } })).properties;
    assert.deepEqual(
      mode!.values.map((it) => it.agentDecides ?? false),
      [true, false],
    );
    const approval: OptionField = {
      type: 'string',
      title: 'Approval',
      enum: ['a', 'b'],
      enumLabels: ['Never ask', 'Ask'],
    };
    assert.deepEqual(decidingValues({ properties: { approval } }), { approval: ['a'] });
  });
});

describe('what a turn of an agent used', () => {
  it('is said when it is other than before: the cost stays, and the context stands for input that is not counted', () => {
    const usage = new TurnUsage('m');
    const cost = { amount: 1, currency: 'USD' };
    const first = usage.updated({ used: 10, size: 100, cost });
    assert.deepEqual(first, [{ kind: 'usage', inputTokens: 10, model: 'm', context: { used: 10, size: 100 }, cost }]);
    assert.deepEqual(usage.updated({ used: 10, size: 100 }), [], 'nothing is new');
    assert.deepEqual(usage.answered(null), []);
    const [last] = usage.answered({ outputTokens: 3 });
    assert.deepEqual([last?.inputTokens, last?.outputTokens, last?.cost], [10, 3, cost]);
    assert.equal(usage.answered({ inputTokens: 0, outputTokens: 3 })[0]?.inputTokens, 0);
  });
});

describe('the prompt for an agent', () => {
  const files = { readText: async () => 'one\ntwo\nthree\nfour\n' } as Partial<SessionFiles> as SessionFiles;
  const able = { image: true, embeddedContext: true };
  const image = { kind: 'data', label: 'a.png', contentType: 'image/png', base64: 'AAAA' } as Attachment;
  const lines = { kind: 'file', label: 'a.txt', path: '/ws/a.txt', lines: [2, 3] } as unknown as Attachment;
  for (const { says, attachment, abilities, expected } of [
    {
      says: 'has exactly the lines that were chosen',
      attachment: lines,
      abilities: able,
      expected: {
        type: 'resource',
        resource: { uri: 'file:///ws/a.txt#L2-L3', text: 'two\nthree', mimeType: 'text/plain' },
      },
    },
    {
      says: 'has an image where the agent takes images',
      attachment: image,
      abilities: able,
      expected: { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    },
    {
      says: 'names an image where the agent takes none',
      attachment: image,
      abilities: { ...able, image: false },
      expected: {
        type: 'text',
        text: '(The attachment a.png was left out because this agent does not accept the content type image/png.)',
      },
    },
  ]) {
    it(says, async () => assert.deepEqual((await toPrompt('go', [attachment], abilities, files))[1], expected));
  }
});
