import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import { type ChatInput, titleOf, toModel } from '../../../../../src/webviews/chat/chatModel.ts';
import { RowBuilder } from '../../../../../src/webviews/chat/chatRows.ts';
import { verifies } from '../../../../support/verifies.ts';
import { agent, chat, headOf, input, message, session, started } from './chatInput.ts';

const failed: ChatState['turns'][number] = {
  id: 't1',
  startedAt: '2026-11-21T00:00:00Z',
  message: { text: 'hello', origin: { kind: 'user' } },
  responseParts: [],
  state: 'error',
  error: { errorType: 'commandMissing', message: 'not found' },
};
const old = { ...input, isNew: false, chosen: { provider: 'claude', session: 'host-session:/s' }, session, chat };
const bannersOf = (of: Partial<ChatInput>, from: ChatInput = input) => headOf(of, from).banners.map((it) => it.kind);

describe('the model of a chat', () => {
  it('is new and can be written to before anything was sent', () => {
    const { phase, composer, banners, turn } = headOf({});
    assert.deepEqual(
      { phase, blocked: composer.blocked, banners, turn },
      {
        phase: 'new',
        blocked: undefined,
        banners: [],
        turn: undefined,
      },
    );
  });

  it('shows the prompt at once while its session is being created, under the id that the turn will have', () => {
    const starting = { id: 't1', message, startedAt: started.startedAt };
    const before = toModel({ ...input, starting }, new RowBuilder([]));
    const after = toModel({ ...old, starting, chat: { ...chat, activeTurn: started } }, new RowBuilder([]));
    assert.deepEqual(before.rows, after.rows);
    assert.deepEqual([before.head.turn?.id, after.head.turn?.id], ['t1', 't1']);
  });

  it('shows the newest turns and says that there are older ones', () => {
    const turns = Array.from({ length: 40 }, (_, index) => ({
      id: `t${index}`,
      message,
      responseParts: [],
      state: 'complete' as const,
    }));
    const model = toModel({ ...old, chat: { ...chat, turns } }, new RowBuilder([]));
    assert.equal(model.rows.length, 30);
    assert.equal(model.rows[0]?.turnId, 't10');
    assert.equal(model.head.hasOlder, true);
    assert.equal(headOf({ chat: { ...chat, turns: turns.slice(0, 3) } }, old).hasOlder, false);
    assert.equal(headOf({ chat: { ...chat, turnsNextCursor: 'x' } }, old).hasOlder, true);
  });

  for (const { says, of, kinds } of [
    {
      says: 'a folder that is not trusted',
      of: { editor: { ...input.editor, isTrusted: false } },
      kinds: ['untrusted'],
    },
    { says: 'no folder', of: { editor: { ...input.editor, folders: [], folder: undefined } }, kinds: ['noFolder'] },
    { says: 'no agent', of: { root: { agents: [] } }, kinds: ['noAgent'] },
    {
      says: 'the built-in agent without a model',
      of: { root: { agents: [{ ...agent, provider: 'coder', models: [] }] }, chosen: { provider: 'coder' } },
      kinds: ['noModel'],
    },
    {
      says: 'another agent whose models are not known yet, which has nothing to say, besides no folder',
      of: { root: { agents: [{ ...agent, models: [] }] }, editor: { ...input.editor, folders: [], folder: undefined } },
      kinds: ['noFolder'],
    },
    { says: 'a session that is gone', of: { isGone: true }, kinds: ['gone'] },
    {
      says: 'an agent that needs a sign-in',
      of: { session: { ...session, _meta: { problem: { kind: 'signInNeeded' } } } },
      kinds: ['signIn'],
    },
    { says: 'a silent agent', of: { meta: { problem: { kind: 'agentSilent' } } }, kinds: ['silent'] },
    {
      says: 'an agent that forgot, which the transcript says where it forgot',
      of: { session: { ...session, _meta: { problem: { kind: 'forgotEarlierTurns' } } } },
      kinds: [],
    },
    {
      says: 'a command that is missing',
      of: {
        session: {
          ...session,
          lifecycle: 'creationFailed',
          creationError: { errorType: 'commandMissing', message: 'claude was not found' },
        },
      },
      kinds: ['commandMissing'],
    },
    {
      says: 'a problem that the failed turn tells itself',
      of: {
        session: { ...session, _meta: { problem: { kind: 'agentMissing', message: 'not found' } } },
        chat: { ...chat, turns: [failed] },
      },
      kinds: [],
    },
    { says: 'a problem of a newer host', of: { meta: { problem: { kind: 'moonPhase' } } }, kinds: [] },
  ] satisfies { says: string; of: Partial<ChatInput>; kinds: string[] }[]) {
    it(`has one row for ${says}`, () => assert.deepEqual(bannersOf(of), kinds));
  }

  it('leaves out what was dismissed', () => {
    assert.deepEqual(
      bannersOf({ editor: { ...input.editor, folders: [], folder: undefined }, dismissed: new Set(['noFolder']) }),
      [],
    );
  });

  for (const { says, of, blocked } of [
    { says: 'untrusted', of: { editor: { ...input.editor, isTrusted: false } }, blocked: 'untrusted' },
    { says: 'gone', of: { isGone: true }, blocked: 'gone' },
    { says: 'without an agent', of: { root: { agents: [] } }, blocked: 'noAgent' },
    { says: 'read-only', of: { chat: { ...chat, interactivity: 'read-only' } }, blocked: 'readOnly' },
  ] satisfies { says: string; of: Partial<ChatInput>; blocked: string }[]) {
    it(`takes no message when ${says}`, () => assert.equal(headOf(of).composer.blocked, blocked));
  }

  it('shows what is left of the budget of the session, even before the first turn', () => {
    const spent = { calls: 4, dollars: 1.5 };
    const of = (limit: object) => {
      const _meta = { budget: { limit, isOwn: true, spent } };
      return headOf({ session: { ...session, _meta } }, old).usage?.budget;
    };
    assert.deepEqual(of({ dollars: 2 }), { dollars: { left: 0.5, limit: 2 } });
    assert.deepEqual(of({ calls: 3 }), { calls: { left: 0, limit: 3 } });
    assert.equal(of({}), undefined);
  });

  it('counts tokens of the newest turn against what the model holds', () => {
    const usage = { inputTokens: 250, outputTokens: 5, model: 'big' };
    assert.deepEqual(headOf({ chat: { ...chat, activeTurn: { ...started, usage } } }, old).usage, {
      inputTokens: 250,
      outputTokens: 5,
      window: 1000,
      agent: 'Claude',
    });
  });

  const used = (cost?: number, more: object = {}) => ({
    ...more,
    ...(cost !== undefined && { _meta: { cost: { amount: cost, currency: 'USD' } } }),
  });
  for (const { says, before, now, cached, costs } of [
    { says: 'the first turn', before: [], now: used(0.5), costs: [0.5, 0.5] },
    {
      says: 'a later turn',
      before: [used(0.5)],
      now: used(0.75, { cacheReadTokens: 9 }),
      cached: 9,
      costs: [0.25, 0.75],
    },
    { says: 'a turn after one without a cost', before: [used()], now: used(0.75), costs: [undefined, 0.75] },
    { says: 'a turn without a cost', before: [used(0.5)], now: used(), costs: [undefined, undefined] },
    { says: 'a turn after a session that began to count anew', before: [used(2)], now: used(1), costs: [undefined, 1] },
  ])
    it(`1c-15 knows the cost of ${says} as far as the agent says it`, () => {
      const turns = before.map((usage, index) => ({ ...started, id: `b${index}`, state: 'complete' as const, usage }));
      const usage = headOf({ chat: { ...chat, turns, activeTurn: { ...started, usage: now } } }, old).usage;
      assert.deepEqual([usage?.turnCost?.amount, usage?.cost?.amount], costs);
      assert.deepEqual([usage?.cachedTokens, usage?.inputTokens], [cached, undefined]);
    });

  it('counts the context as its agent does, where that says it, and shows the cost of the session', () => {
    const cost = { amount: 0.5, currency: 'USD' };
    const usage = (_meta: object) => ({ inputTokens: 250, outputTokens: 5, model: 'big', _meta: { ..._meta } });
    const shown = (_meta: object) =>
      headOf({ chat: { ...chat, activeTurn: { ...started, usage: usage(_meta) } } }, old).usage;
    const counts = { inputTokens: 250, outputTokens: 5, agent: 'Claude' };
    assert.deepEqual(shown({ context: { used: 400, size: 2000 }, cost }), {
      ...counts,
      contextTokens: 400,
      window: 2000,
      cost,
      turnCost: cost,
    });
    assert.deepEqual(shown({ context: { used: 400, size: 0 } }), { ...counts, contextTokens: 400, window: 1000 });
    assert.deepEqual(shown({ context: 'full', cost: { amount: 'much' } }), { ...counts, window: 1000 });
  });

  it('1c-15 has the tokens and the cost of a turn by model where the gateway recorded them', () => {
    const counted = [
      { model: 'big\u202e', calls: 2, inputTokens: 150, outputTokens: 15, cost: 0.25 },
      { model: 'small', calls: 1, inputTokens: 7, outputTokens: 1, cost: 0.125 },
    ];
    const _meta = { cost: { amount: 2, currency: 'USD' }, counted };
    const before = { ...started, id: 'b', state: 'complete' as const, usage: used(5) };
    const usage = { inputTokens: 157, outputTokens: 16, _meta };
    const model = headOf({ chat: { ...chat, turns: [before], activeTurn: { ...started, usage } } }, old).usage;
    assert.deepEqual([model?.turnCost, model?.cost], [{ amount: 0.375, currency: 'USD' }, _meta.cost]);
    assert.deepEqual(
      model?.counted?.map((it) => [it.inputTokens, it.outputTokens, it.cost.amount]),
      [
        [150, 15, 0.25],
        [7, 1, 0.125],
      ],
    );
    assert.equal(model?.counted?.[0]?.model.includes('\u202e'), false);
  });

  it('1b-7 has the plan of the running turn as the agent said it last, and none of what is no plan', () => {
    const said = (plan: unknown) => ({ kind: 'systemNotification', content: 'A plan', _meta: { plan } }) as const;
    const first = said([{ text: 'Look', state: 'doing' }]);
    const second = said([
      { text: 'Look', state: 'done' },
      { text: 'Mend\u202e', state: 'doing' },
    ]);
    const planOf = (...responseParts: ReturnType<typeof said>[]) =>
      headOf({ chat: { ...chat, activeTurn: { ...started, responseParts } } }, old).turn?.plan;
    assert.deepEqual(planOf(first, second, said('soon')), [
      { text: 'Look', state: 'done' },
      { text: 'Mend‹U+202E›', state: 'doing' },
    ]);
    assert.equal(planOf(said([{ text: 'Look', state: 'later' }])), undefined);
  });

  it('waits for the person while the host says so', () => {
    assert.equal(headOf({ chat: { ...chat, status: 24, activeTurn: started } }, old).turn?.needsYou, true);
    assert.equal(headOf({ chat: { ...chat, status: 8, activeTurn: started } }, old).turn?.needsYou, false);
  });
});

describe('the choices in the composer', () => {
  const config = {
    schema: {
      type: 'object' as const,
      properties: {
        mode: {
          type: 'string' as const,
          title: 'Mode',
          enum: ['ask', 'edit'],
          enumLabels: ['Ask first', 'Accept edits'],
          enumDescriptions: ['Asks', 'Agent decides: edits without asking'],
          sessionMutable: true,
        },
        effort: { type: 'string' as const, title: 'Effort', enum: ['low', 'high'] },
      },
    },
    values: { mode: 'ask', effort: 'low' },
  };
  const pickersOf = (of: Partial<ChatInput>, from: ChatInput = input) => headOf(of, from).composer.pickers;

  it('the agents end in the way to another one, where a new session of this machine is made', () => {
    const agents = (of: Partial<ChatInput>, from?: ChatInput) => pickersOf(of, from).find((it) => it.id === 'agent');
    const ends = (of: Partial<ChatInput>, from?: ChatInput) => {
      const { choices = [], enabled } = agents(of, from) ?? {};
      return [choices.at(-1)?.adds === true, enabled];
    };
    assert.deepEqual(ends({}), [true, true]);
    assert.deepEqual(ends({ editor: { ...input.editor, isTrusted: false } }), [false, false]);
    assert.deepEqual(ends({ chosen: { provider: 'claude', host: 'wss://far' } }), [false, false]);
    assert.equal(ends({}, old)[1], false);
  });

  it('show what the user may not change as locked, in a new session too', () => {
    verifies('host.config.read-only');
    const fixed = {
      type: 'string' as const,
      title: 'Region',
      enum: ['eu', 'us'],
      readOnly: true,
      sessionMutable: true,
    };
    const locked = { schema: { type: 'object' as const, properties: { region: fixed } }, values: { region: 'eu' } };
    for (const pickers of [
      pickersOf({ config: locked }),
      pickersOf({ session: { ...session, config: locked } }, old),
    ]) {
      const picker = pickers.find((it) => it.id === 'option:region');
      assert.deepEqual([picker?.value, picker?.enabled], ['eu', false]);
    }
  });

  it('leave out what there is no choice of', () => {
    assert.deepEqual(
      pickersOf({ root: { agents: [{ ...agent, models: [] }] } }).map((it) => it.id),
      ['agent'],
    );
  });

  it('offer the custom agents of a session, none of them unless one is chosen, and no more once it is turned off', () => {
    const uri = 'file:///a/.github/agents/reviewer.agent.md';
    const holder = (more: object) => ({
      type: 'directory' as const,
      id: 'd',
      uri: 'file:///a/.github/agents',
      name: '.github/agents',
      contents: 'agent' as const,
      writable: true,
      enabled: true,
      children: [
        { type: 'agent' as const, id: 'r', uri, name: 'Reviewer', description: 'Reviews', ...more },
        { type: 'agent' as const, id: 'h', uri: 'file:///h', name: 'Hidden', disableUserInvocation: true },
        { type: 'rule' as const, id: 'x', uri: 'file:///x', name: 'Rule' },
      ],
    });
    const picker = (more: object, chosen: object, container: object = {}) =>
      pickersOf(
        {
          session: { ...session, customizations: [{ ...holder(more), ...container }] },
          chosen: { ...old.chosen, ...chosen },
        },
        old,
      ).find((it) => it.id === 'customAgent');
    const none = picker({}, {});
    assert.deepEqual(
      [none?.value, none?.choices],
      [
        'default',
        [
          { id: 'default', label: 'none' },
          { id: uri, label: 'Reviewer', description: 'Reviews' },
        ],
      ],
    );
    assert.equal(picker({}, { customAgent: uri })?.value, uri);
    assert.equal(picker({ enabled: false }, { customAgent: uri }), undefined);
    assert.equal(picker({}, { customAgent: uri }, { enabled: false }), undefined);
    assert.equal(picker({}, { customAgent: 'file:///gone' })?.value, 'default');
  });

  for (const provider of ['runbook', 'claude', 'anything']) {
    it(`offer all folders where the agent “${provider}” says that it takes several, and not where it does not say so`, () => {
      verifies('host.service.gated');
      const folders = ['a', 'b'].map((name) => ({ uri: `file:///${name}`, name }));
      const choices = (capabilities: object) =>
        pickersOf({
          root: { agents: [{ ...agent, provider, capabilities }] },
          chosen: { provider },
          editor: { ...input.editor, folders },
        })
          .find((it) => it.id === 'folder')
          ?.choices.map((it) => it.label);
      assert.deepEqual(choices({ multipleWorkingDirectories: {} }), ['a', 'b', 'All folders']);
      assert.deepEqual(choices({ multipleChats: {} }), ['a', 'b']);
    });
  }

  it('mark a mode in which the agent decides', () => {
    const mode = pickersOf({ config }).find((it) => it.id === 'option:mode');
    assert.deepEqual(mode?.choices, [
      { id: 'ask', label: 'Ask first', description: 'Asks' },
      { id: 'edit', label: 'Accept edits', description: 'edits without asking', agentDecides: true },
    ]);
  });

  it('keep what cannot change once the session has begun', () => {
    const begun = pickersOf({ session: { ...session, config } }, old);
    assert.deepEqual(
      begun.map((it) => [it.id, it.enabled]),
      [
        ['agent', false],
        ['option:mode', true],
        ['option:effort', false],
        ['model', true],
      ],
    );
  });

  it('ask for the folder only where there are several', () => {
    const folders = [...input.editor.folders, { uri: 'file:///b', name: 'b' }];
    const many = pickersOf({ editor: { ...input.editor, folders } }).find((it) => it.id === 'folder');
    assert.equal(many?.value, 'file:///a');
    assert.deepEqual(
      many?.choices.map((it) => it.label),
      ['a', 'b'],
    );
  });
});

describe('the title of a new session', () => {
  for (const [prompt, title] of [
    ['Fix it\nplease', 'Fix it'],
    ['\n\n  Fix it  ', 'Fix it'],
    ['x'.repeat(100), `${'x'.repeat(79)}…`],
    ['', ''],
  ] as const) {
    it(`of ${JSON.stringify(prompt.slice(0, 20))} is ${JSON.stringify(title.slice(0, 20))}`, () =>
      assert.equal(titleOf(prompt), title));
  }
});
