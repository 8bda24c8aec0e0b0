import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { SessionOptions } from '../../../../../sidecar/agents/options.ts';
import type { AgentProvider, AgentSession, SessionContext } from '../../../../../sidecar/agents/provider.ts';
import { OPEN_LIMIT_MS } from '../../../../../sidecar/host/agents/agentRuntimes.ts';
import { KnownAgents } from '../../../../../sidecar/host/agents/knownAgents.ts';
import type { EffectDeps } from '../../../../../sidecar/host/context/effectDeps.ts';
import type { AgentInfo } from '../../../../../sidecar/protocol/channels/root/schema.ts';
import { testWindow } from '../../../../support/host/hostPlace.ts';
import { type Later, later } from '../../../../support/later.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { verifies } from '../../../../support/verifies.ts';

const KEPT_MS = 120_000;
const options = (value: string, isDynamic = false): SessionOptions => ({
  models: [],
  commands: [],
  properties: [{ id: 'effort', title: 'Effort', value, values: ['low', 'high'].map((id) => ({ id, label: id })) }],
  ...(isDynamic && {
    form: { properties: { branch: { type: 'string', title: 'Branch', enumDynamic: true } }, values: {} },
  }),
});

/** An agent that was opened for what it offers. */
interface Opened {
  readonly context: SessionContext;
  readonly answer: Later<AgentSession>;
  readonly gone: (() => void)[];
  closes: number;
}

describe('the agents that windows can use', () => {
  let timers: ManualTimers;
  let agents: KnownAgents;
  let opened: Opened[];
  let offered: SessionOptions;
  let isQuick: boolean;
  let root: { agents: AgentInfo[] };
  let commits: number;
  let windows: unknown[];
  const provider = (id: string): AgentProvider =>
    ({
      id,
      displayName: id.toUpperCase(),
      description: '',
      needsFolder: id !== 'a',
      open(context: SessionContext) {
        const it: Opened = { context, answer: later<AgentSession>(), gone: [], closes: 0 };
        opened.push(it);
        if (isQuick) it.answer.resolve(session(it));
        return it.answer.promise;
      },
    }) as Partial<AgentProvider> as AgentProvider;
  function session(it: Opened): AgentSession {
    const at = opened.indexOf(it);
    return {
      options: offered,
      onGone: (listener: () => void) => void it.gone.push(listener),
      close: async () => void (it.closes += 1),
      completeOption: async () => [{ value: `of ${at}`, label: '' }],
    } as unknown as AgentSession;
  }
  const window = (...ids: string[]) => ({ ...testWindow, agents: ids }) as never;
  const requester = (shown: unknown = window('a')) => ({ clientId: 'c', window: shown, tokens: new Map() }) as never;
  beforeEach(() => {
    timers = new ManualTimers();
    [opened, offered, isQuick, root, commits] = [[], options('low'), true, { agents: [] }, 0];
    windows = [window('a')];
    const store = {
      root,
      commit(_channel: string, action: { agents: AgentInfo[] }) {
        commits += 1;
        root.agents = action.agents;
      },
    };
    agents = new KnownAgents(
      {
        store,
        timers,
        providers: (shown: { agents: string[] }) => shown.agents.map(provider),
        report: (_id: string, thrown: unknown) => assert.fail(String(thrown)),
        newId: () => 'id',
        emptyFolder: () => '/empty',
      } as unknown as EffectDeps,
      () => windows.map((it) => requester(it)),
    );
  });
  afterEach(() => timers.close());
  const until = async (isTrue: () => boolean) => {
    while (!isTrue()) await new Promise((resolve) => void setImmediate(resolve));
  };
  const listed = () => root.agents.map((it) => it.provider);

  it('start in an empty folder for their options if new sessions are in a sandbox', async () => {
    verifies('host.sandbox.options');
    const folder = realpathSync(tmpdir());
    const uri = pathToFileURL(folder).href;
    await agents.learn('c', requester(window('c')), uri);
    await agents.learn('b', requester({ ...testWindow, agents: ['b'], sandbox: true }), uri);
    assert.deepEqual(
      opened.map((it) => it.context.folders),
      [[folder], ['/empty']],
    );
  });

  const learn = () => agents.learn('a', requester(), undefined);
  const complete = async () => {
    const [found] = await agents.complete('a', requester(), undefined, {} as never);
    return found?.value;
  };

  it('are listed once, those of all windows, and stay when the last window closed', () => {
    windows = [window('a', 'b'), window('b', 'c')];
    agents.refresh();
    assert.deepEqual([listed(), commits], [['a', 'b', 'c'], 1]);
    agents.refresh();
    assert.equal(commits, 1, 'nothing is different');
    windows = [];
    agents.refresh();
    assert.deepEqual(listed(), ['a', 'b', 'c']);
    windows = [window('c')];
    agents.refresh();
    assert.deepEqual([listed(), commits], [['c'], 2]);
  });

  it('are found by their id, or as the first of the window, and only where the window has them', () => {
    const two = requester(window('b', 'a'));
    assert.deepEqual([agents.find(two, undefined), agents.find(two, 'a')], ['b', 'a']);
    for (const [who, id] of [
      [two, 'c'],
      [requester(window()), undefined],
    ] as const)
      assert.throws(() => agents.find(who, id), { code: 'provider_not_found' });
  });

  it('are opened once to learn what they offer, without a folder or a token, and closed', async () => {
    assert.equal(agents.options('a'), undefined);
    assert.equal((await learn()).properties[0]?.value, 'low');
    assert.deepEqual([opened[0]!.context.folders, opened[0]!.context.config, opened[0]!.closes], [[], {}, 1]);
    await learn();
    assert.deepEqual([opened.length, timers.has(OPEN_LIMIT_MS), timers.has(KEPT_MS)], [1, false, false]);
    await assert.rejects(opened[0]!.context.files.readText('/a'), { code: 'forbidden' });
  });

  it('offer a new session what they offered last, with the values of a new conversation', async () => {
    await learn();
    agents.learned('a', options('high'), undefined);
    assert.equal(agents.options('a')?.properties[0]?.value, 'low', 'what was chosen in one session is no other one’s');
    agents.learned('a', options('low'), options('high'));
    assert.equal(agents.options('a')?.properties[0]?.value, 'high');
    agents.learned('b', options('low'), undefined);
    assert.equal(agents.options('b'), undefined, 'nobody knows how it begins');
  });

  it('are not opened for a window that does not trust its folder or does not have them', async () => {
    const none = requester({ ...testWindow, agents: ['a'], trusted: false });
    await assert.rejects(agents.learn('a', none, undefined), { code: 'not_trusted' });
    await assert.rejects(agents.learn('z', requester(), undefined), { code: 'provider_not_found' });
    await assert.rejects(agents.learn('a', requester(), 'file:///no/such/folder'), { code: 'folder_gone' });
    assert.deepEqual([opened.length, timers.has(OPEN_LIMIT_MS)], [0, false]);
  });

  it('that complete values stay open for two minutes after the last question', async () => {
    offered = options('low', true);
    await learn();
    assert.deepEqual([opened[0]!.closes, timers.count(KEPT_MS)], [0, 1]);
    assert.deepEqual([await complete(), await complete()], ['of 0', 'of 0']);
    assert.deepEqual([opened.length, timers.count(KEPT_MS)], [1, 1]);
    timers.pass(KEPT_MS);
    await until(() => opened[0]!.closes === 1);
    assert.equal(await complete(), 'of 1');
    await agents.close();
    assert.deepEqual([opened[1]!.closes, timers.count(KEPT_MS)], [1, 0]);
  });

  it('that ended by themselves are opened again, and are let go of by their own time', async () => {
    await complete();
    for (const gone of opened[0]!.gone) gone();
    assert.equal(timers.count(KEPT_MS), 0, 'its time is over with it');
    assert.equal(await complete(), 'of 1');
    for (const gone of opened[0]!.gone) gone();
    assert.equal(await complete(), 'of 1');
    assert.deepEqual([opened.length, timers.count(KEPT_MS)], [2, 1]);
  });

  it('that were opened twice at the same time stay open once, and are opened again when that one ended', async () => {
    isQuick = false;
    const both = [complete(), complete()];
    await until(() => opened.length === 2);
    for (const it of opened) it.answer.resolve(session(it));
    assert.deepEqual(await Promise.all(both), ['of 0', 'of 1']);
    assert.deepEqual([opened.map((it) => it.closes), timers.count(KEPT_MS)], [[1, 0], 1]);
    isQuick = true;
    for (const gone of opened[0]!.gone) gone();
    assert.equal(await complete(), 'of 1', 'the end of the other one changes nothing');
    for (const gone of opened[1]!.gone) gone();
    assert.equal(await complete(), 'of 2');
  });
});
