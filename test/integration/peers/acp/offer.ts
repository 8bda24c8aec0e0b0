type Json = Record<string, unknown>;

/** What the agent offers to be set: `kinds` are those of its flag `--offer`. */
export function offer(kinds: readonly string[], values: Json): Json {
  const ids = kinds.includes('urls')
    ? ['https://agent.example/modes/ask', 'https://agent.example/modes/auto']
    : ['ask', 'yolo'];
  return {
    ...(kinds.includes('form') && { _meta: { switchboard: form(values) } }),
    ...(kinds.includes('many') && {
      configOptions: [
        {
          type: 'select',
          id: 'region',
          name: 'Region',
          currentValue: 'r70',
          options: Array.from({ length: 120 }, (_, at) => ({ value: `r${at}`, name: `Region ${at}` })),
        },
      ],
    }),
    ...((kinds.includes('modes') || kinds.includes('urls')) && {
      modes: {
        currentModeId: ids[0],
        availableModes: [
          { id: ids[0], name: 'Ask' },
          { id: ids[1], name: 'Carefree' },
        ],
      },
    }),
    ...(kinds.includes('models') && {
      models: {
        currentModelId: 'small',
        availableModels: [
          { modelId: 'small', name: 'Small' },
          { modelId: 'large', name: 'Large' },
        ],
      },
    }),
    ...(kinds.includes('config') && {
      configOptions: [
        {
          type: 'select',
          id: 'mode',
          name: 'Mode',
          category: 'mode',
          currentValue: 'ask',
          options: [
            { value: 'ask', name: 'Ask' },
            { value: 'bypassPermissions', name: 'Bypass' },
          ],
        },
        {
          type: 'select',
          id: 'model',
          name: 'Model',
          category: 'model',
          currentValue: 'auto',
          options: [
            {
              group: 'g',
              name: 'G',
              options: [
                { value: 'auto', name: 'Auto' },
                { value: 'big', name: 'Big' },
              ],
            },
          ],
        },
        { type: 'boolean', id: 'web', name: 'Web search', currentValue: false },
        { type: 'slider', id: 'unknown-kind', name: 'Unknown' },
      ],
    }),
  };
}

/** Every kind of field, for the session and for a model. */
function form(values: Json): Json {
  const text = { type: 'string', title: 'Text' };
  return {
    config: {
      values,
      schema: {
        required: ['branch'],
        properties: {
          branch: {
            type: 'string',
            title: 'Branch',
            description: 'Where the work begins.',
            enum: ['main', 'develop'],
            enumDescriptions: ['what is released', 'used last'],
            enumDynamic: true,
          },
          retries: { type: 'number', title: 'Retries', default: 2, sessionMutable: true },
          dry: { type: 'boolean', title: 'Dry run', default: false, sessionMutable: true },
          paths: { type: 'array', title: 'Paths', items: { ...text, title: 'Path' }, sessionMutable: true },
          limits: {
            type: 'object',
            title: 'Limits',
            properties: { cpu: { type: 'number', title: 'Processors' } },
            required: ['cpu'],
            additionalProperties: { ...text, title: 'More' },
          },
          plan: { type: 'string', title: 'Plan', enum: ['team'], enumLabels: ['Team'], readOnly: true },
        },
      },
    },
    models: {
      small: {
        configSchema: {
          properties: {
            thinking: {
              type: 'string',
              title: 'Thinking',
              default: 'low',
              enum: ['low', 'high'],
              enumLabels: ['Little', 'Much'],
              enumDescriptions: ['answers soon', 'thinks first'],
            },
            budget: { type: 'number', title: 'Budget' },
          },
        },
      },
      large: { policyState: 'disabled' },
    },
  };
}

/** Values of the form's field that contain what was typed. */
export function branchesLike(typed: string): object[] {
  const branches = ['main', 'next', ...Array.from({ length: 200 }, (_, at) => `release/${at}`)];
  const found = branches.filter((it) => it.includes(typed)).slice(0, 30);
  return found.map((it) => ({ value: it, label: it, description: 'a branch' }));
}
