import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { offerOf, requestToSet, requestToSetModel, toOptions } from '../../../../../sidecar/agents/acp/options.ts';
import { chooseOption } from '../../../../../sidecar/agents/acp/permissions.ts';
import { OpenedSession } from '../../../../../sidecar/agents/acp/wire.ts';

const modes = (...ids: string[]) => ({ currentModeId: ids[0], availableModes: ids.map((id) => ({ id, name: id })) });
const select = (id: string, category: string | undefined, ...values: string[]) => ({
  type: 'select',
  id,
  name: id,
  ...(category && { category }),
  currentValue: values[0],
  options: values.map((value) => ({ value, name: value })),
});
const offer = (opened: unknown) => offerOf(OpenedSession.parse(opened));
const decided = (opened: unknown) =>
  toOptions(offer(opened)).properties.flatMap((it) =>
    it.values.filter((value) => value.agentDecides).map((value) => value.id),
  );

describe('options of an ACP agent', () => {
  it('are none where it offers none, in whatever way it says so', () => {
    for (const opened of [{}, { modes: null, configOptions: null }, { modes: { broken: true }, configOptions: [] }]) {
      assert.deepEqual(toOptions(offer(opened)), { models: [], properties: [], commands: [] });
    }
  });
  it('take the config option where modes and models say the same', () => {
    const options = toOptions(
      offer({
        modes: modes('a', 'b'),
        models: { currentModelId: 'x', availableModels: [{ modelId: 'x', name: 'X' }] },
        configOptions: [select('mode', 'mode', 'c'), select('model', 'model', 'm', 'n')],
      }),
    );
    assert.deepEqual(
      [options.properties.map((it) => [it.id, it.value]), options.model, options.models.length],
      [[['mode', 'c']], 'm', 2],
    );
  });
  it('take modes and models where there is no config option for them', () => {
    const options = toOptions(
      offer({
        modes: modes('a', 'b'),
        models: { currentModelId: 'x', availableModels: [{ modelId: 'x', name: 'X' }] },
        configOptions: [select('effort', 'thought_level', 'low')],
      }),
    );
    assert.deepEqual([options.properties.map((it) => it.id), options.model], [['mode', 'effort'], 'x']);
  });
  it('flatten groups, and pass over an option of a kind that we do not know', () => {
    const grouped = {
      ...select('model', 'model', 'a'),
      options: [{ group: 'g', name: 'G', options: [{ value: 'a', name: 'A' }] }],
    };
    const options = toOptions(offer({ configOptions: [grouped, { type: 'slider', id: 's', name: 'S' }] }));
    assert.deepEqual([options.models, options.properties], [[{ id: 'a', name: 'A' }], []]);
  });
  it('mark the modes in which the agent decides, by id or name, URLs included', () => {
    const ids = [
      'default',
      'acceptEdits',
      'auto',
      'bypassPermissions',
      'yolo',
      'autoEdit',
      'dontAsk',
      'full-access',
      'autopilot',
      'smart_approve',
      'allow-all',
      'plan',
      'read-only',
      'https://auto.example/modes/ask',
      'https://a.example/modes#autonomous',
    ];
    assert.deepEqual(decided({ modes: modes(...ids) }), [
      'acceptEdits',
      'auto',
      'bypassPermissions',
      'yolo',
      'autoEdit',
      'dontAsk',
      'full-access',
      'autopilot',
      'smart_approve',
      'allow-all',
      'https://a.example/modes#autonomous',
    ]);
  });
  it('do not take a model or an effort named auto for such a mode', () => {
    assert.deepEqual(
      decided({
        configOptions: [
          select('effort', 'thought_level', 'auto'),
          select('approval_policy', undefined, 'never-ask', 'auto'),
        ],
      }),
      ['never-ask', 'auto'],
    );
  });
  it('are set by the request that belongs to them, and only to what is offered and new', () => {
    const all = offer({
      modes: modes('a', 'b'),
      models: {
        currentModelId: 'x',
        availableModels: [
          { modelId: 'x', name: 'X' },
          { modelId: 'y', name: 'Y' },
        ],
      },
      configOptions: [{ type: 'boolean', id: 'web', name: 'Web', currentValue: false }],
    });
    assert.deepEqual(
      [requestToSet(all, 's', 'mode', 'b'), requestToSet(all, 's', 'web', 'true'), requestToSetModel(all, 's', 'y')],
      [
        { method: 'session/set_mode', params: { sessionId: 's', modeId: 'b' } },
        {
          method: 'session/set_config_option',
          params: { sessionId: 's', configId: 'web', type: 'boolean', value: true },
        },
        { method: 'session/set_model', params: { sessionId: 's', modelId: 'y' } },
      ],
    );
    assert.deepEqual(
      [
        requestToSet(all, 's', 'mode', 'a'),
        requestToSet(all, 's', 'mode', 'z'),
        requestToSet(all, 's', 'none', 'a'),
        requestToSetModel(all, 's', 'x'),
      ],
      [undefined, undefined, undefined, undefined],
    );
  });
});

describe('the answer to a permission request', () => {
  const option = (optionId: string, kind: string) => ({ optionId, kind });
  for (const { says, options, allow, expected } of [
    {
      says: 'allow takes once before always',
      options: [option('a', 'allow_always'), option('b', 'allow_once')],
      allow: true,
      expected: 'b',
    },
    {
      says: 'allow takes always where there is nothing less',
      options: [option('a', 'allow_always')],
      allow: true,
      expected: 'a',
    },
    {
      says: 'of two of one kind the first',
      options: [option('a', 'allow_once'), option('b', 'allow_once')],
      allow: true,
      expected: 'a',
    },
    {
      says: 'deny takes a rejection',
      options: [option('a', 'allow_once'), option('b', 'reject_once')],
      allow: false,
      expected: 'b',
    },
    { says: 'deny never takes a permission', options: [option('a', 'allow_once')], allow: false, expected: undefined },
    {
      says: 'a kind that we do not know is never taken',
      options: [option('a', 'allow_forever')],
      allow: true,
      expected: undefined,
    },
  ]) {
    it(says, () => assert.equal(chooseOption(options, allow), expected));
  }
});
