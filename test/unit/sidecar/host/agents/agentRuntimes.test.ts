import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { AgentProvider, AgentSession, SessionContext } from '../../../../../sidecar/agents/provider.ts';
import { AgentRuntimes, OPEN_LIMIT_MS } from '../../../../../sidecar/host/agents/agentRuntimes.ts';
import type { EffectDeps } from '../../../../../sidecar/host/context/effectDeps.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { testWindow } from '../../../../support/host/hostPlace.ts';
import { type Later, later } from '../../../../support/later.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';

const [CHAT, SESSION] = ['host-chat:/s/c', 'host-session:/s'];
const UNUSED_MS = 120_000;
const resource = 'https://vault.test/api';

/** An agent that was opened, and how often it was closed. */
interface Opened {
  readonly context: SessionContext;
  readonly signal: AbortSignal;
  readonly answer: Later<AgentSession>;
  readonly goneListeners: (() => void)[];
  closes: number;
}

describe('the agent of a chat', () => {
  let folder: string;
  let timers: ManualTimers;
  let runtimes: AgentRuntimes;
  let opened: Opened[];
  /** Whether each opening is answered at once. */
  let isQuick: boolean;
  let demands: unknown[];
  let isThere: boolean;
  let resumeId: string | undefined;
  let shown: number;
  const tokens = new Map<string, { value: string }>();
  const requester = (more: object = {}) =>
    ({ clientId: 'c1', window: testWindow, tokens, baselines: new Set(), ...more }) as never;

  function session(it: Opened): AgentSession {
    return {
      options: { models: [], properties: [], commands: [] },
      run: async function* () {},
      onOptions: () => () => undefined,
      onGone: (listener: () => void) => {
        it.goneListeners.push(listener);
        return () => undefined;
      },
      close: async () => void (it.closes += 1),
    } as unknown as AgentSession;
  }
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-agents-')));
    mkdirSync(join(folder, 'work'));
    [opened, isQuick, demands, isThere, resumeId, shown] = [[], true, [], true, undefined, 0];
    timers = new ManualTimers();
    tokens.clear();
    const provider: Partial<AgentProvider> = {
      id: 'scripted',
      displayName: 'Scripted',
      open(context, signal) {
        const it: Opened = { context, signal, answer: later<AgentSession>(), goneListeners: [], closes: 0 };
        opened.push(it);
        if (isQuick) it.answer.resolve(session(it));
        return it.answer.promise;
      },
    };
    const state = { provider: 'scripted', workingDirectories: [pathToFileURL(join(folder, 'work')).href] };
    const store = {
      metadata: () => ({ session: SESSION }),
      state: (kind: string) => (kind === 'session' ? state : {}),
      has: () => isThere,
    };
    runtimes = new AgentRuntimes(
      {
        store,
        timers,
        providers: () => [provider as AgentProvider],
        storage: { small: { resumeId: () => resumeId } },
        sessionTools: {
          open: async () => [],
          models: async (of: string, chat: string) => ({ url: 'http://gateway', key: `${of} ${chat}`, models: [] }),
        },
        tokens: { demand: (_: unknown, of: string, more: object) => demands.push([of, more]) },
      } as unknown as EffectDeps,
      () => (shown += 1),
    );
    runtimes.setRequester(SESSION, requester());
  });
  afterEach(() => {
    timers.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const until = async (isTrue: () => boolean) => {
    while (!isTrue()) await new Promise((resolve) => void setImmediate(resolve));
  };

  /** Whoever needs the agent looks at its folders first: they have done so when this settles. */
  const looked = async () => {
    for (let n = 0; n < 3; n += 1) await runtimes.folders(CHAT);
  };

  it('starts once for all who need it, in the folders of its session, and again when it is gone', async () => {
    isQuick = false;
    const both = [runtimes.use(CHAT), runtimes.use(CHAT)];
    await until(() => opened.length > 0);
    assert.equal(runtimes.get(CHAT), undefined);
    opened[0]!.answer.resolve(session(opened[0]!));
    const [one, two] = await Promise.all(both);
    assert.deepEqual([one === two, await runtimes.use(CHAT), opened.length, shown], [true, one, 1, 1]);
    assert.deepEqual(opened[0]!.context.folders, [join(folder, 'work')]);
    assert.equal(timers.has(OPEN_LIMIT_MS), false);
    isQuick = true;
    for (const gone of opened[0]!.goneListeners) gone();
    assert.equal(runtimes.get(CHAT), undefined);
    const next = await runtimes.use(CHAT);
    assert.notEqual(next, one);
    for (const gone of opened[0]!.goneListeners) gone();
    assert.equal(runtimes.get(CHAT), next, 'the end of the first one does not end the second');
  });

  it('is given up after its time, and is closed where it comes later', async () => {
    isQuick = false;
    const used = runtimes.use(CHAT);
    await until(() => timers.has(OPEN_LIMIT_MS) && opened.length > 0);
    timers.pass(OPEN_LIMIT_MS);
    await assert.rejects(used, { code: 'unavailable', message: 'Scripted did not respond within 30 seconds.' });
    assert.equal(opened[0]!.signal.aborted, true);
    opened[0]!.answer.resolve(session(opened[0]!));
    await until(() => opened[0]!.closes > 0);
    isQuick = true;
    await runtimes.use(CHAT);
    assert.equal(opened.length, 2, 'what failed is not kept');
  });

  it('is closed where its chat went while it started', async () => {
    isQuick = false;
    const used = runtimes.use(CHAT);
    await until(() => opened.length > 0);
    isThere = false;
    opened[0]!.answer.resolve(session(opened[0]!));
    await assert.rejects(used, { code: 'session_not_found' });
    await until(() => opened[0]!.closes > 0);
    assert.equal(runtimes.get(CHAT), undefined);
  });

  it('starts again, after the one before it ended, where its folders changed, also while it started', async () => {
    await runtimes.use(CHAT);
    runtimes.foldersChanged(CHAT);
    await runtimes.use(CHAT);
    assert.deepEqual([opened.length, opened[0]!.closes], [2, 1]);
    await runtimes.use(CHAT);
    assert.equal(opened.length, 2, 'once for each change');
    await runtimes.close(CHAT);
    runtimes.foldersChanged(CHAT);
    isQuick = false;
    const first = runtimes.use(CHAT);
    await until(() => opened.length === 3);
    runtimes.foldersChanged(CHAT);
    const second = runtimes.use(CHAT);
    await looked();
    opened[2]!.answer.resolve(session(opened[2]!));
    await first;
    await until(() => opened.length === 4);
    assert.equal(opened[2]!.closes, 1);
    const third = runtimes.use(CHAT);
    await looked();
    opened[3]!.answer.resolve(session(opened[3]!));
    assert.deepEqual([await second, await third], [runtimes.get(CHAT), runtimes.get(CHAT)]);
    assert.equal(opened.length, 4, 'whoever comes meanwhile waits for the one that starts');
  });

  it('starts again in another folder of the same name, and ends where there is none', async () => {
    await runtimes.use(CHAT);
    renameSync(join(folder, 'work'), join(folder, 'before'));
    mkdirSync(join(folder, 'work'));
    await runtimes.use(CHAT);
    assert.deepEqual([opened.length, opened[0]!.closes], [2, 1]);
    rmSync(join(folder, 'work'), { recursive: true });
    await assert.rejects(runtimes.use(CHAT), { code: 'folder_gone' });
    assert.deepEqual([opened[1]!.closes, runtimes.get(CHAT)], [1, undefined]);
  });

  it('starts again with another token than it was handed, and for no token that it never asked for', async () => {
    tokens.set(resource, { value: 'one' });
    await runtimes.use(CHAT);
    tokens.set(resource, { value: 'two' });
    await runtimes.use(CHAT);
    assert.equal(opened.length, 1, 'it asked for none');
    isQuick = false;
    runtimes.foldersChanged(CHAT);
    const used = runtimes.use(CHAT);
    await until(() => opened.length === 2);
    assert.equal(opened[1]!.context.token(resource), 'two');
    assert.equal(opened[1]!.context.token('https://other.test'), undefined);
    opened[1]!.answer.resolve(session(opened[1]!));
    await used;
    isQuick = true;
    await runtimes.use(CHAT);
    assert.equal(opened.length, 2);
    tokens.set('https://later.test', { value: 'x' });
    assert.equal(opened[1]!.context.token('https://later.test'), 'x');
    tokens.delete('https://later.test');
    await runtimes.use(CHAT);
    assert.equal(opened.length, 2, 'what it asks for while it runs is no reason');
    tokens.set('https://other.test', { value: 'y' });
    await runtimes.use(CHAT);
    assert.deepEqual([opened.length, opened[1]!.closes], [3, 1]);
  });

  it('is let go of when nobody needs it for two minutes, and not where somebody does meanwhile', async () => {
    await runtimes.use(CHAT);
    runtimes.leaveUnused(CHAT);
    runtimes.leaveUnused(CHAT);
    assert.equal(timers.count(UNUSED_MS), 1);
    await runtimes.use(CHAT);
    timers.pass(UNUSED_MS);
    assert.deepEqual([opened[0]!.closes, timers.count(UNUSED_MS)], [0, 0]);
    runtimes.leaveUnused(CHAT);
    timers.pass(UNUSED_MS);
    await until(() => opened[0]!.closes === 1);
    await runtimes.use(CHAT);
    assert.equal(opened.length, 2);
    runtimes.leaveUnused(CHAT);
    await runtimes.closeAll();
    assert.deepEqual([opened[1]!.closes, timers.count(UNUSED_MS), runtimes.get(CHAT)], [1, 0, undefined]);
  });

  it('serves no window that does not trust its folder, also where it runs already', async () => {
    await runtimes.use(CHAT);
    runtimes.renewRequester(requester({ clientId: 'c2', window: { ...testWindow, trusted: false } }));
    await runtimes.use(CHAT);
    runtimes.renewRequester(requester({ window: { ...testWindow, trusted: false } }));
    await assert.rejects(runtimes.use(CHAT), { code: 'not_trusted' });
    runtimes.forgetSession(SESSION);
    runtimes.renewRequester(requester());
    assert.equal(runtimes.requester(SESSION), undefined, 'a session that is gone has no window again');
  });

  for (const [says, agentModels, choice] of [
    ['the choice that its window made for it', { scripted: 'gateway', other: 'own' }, 'gateway'],
    ['"auto" where its window chose only for others', { other: 'own' }, 'auto'],
    ['"auto" where its window chose nothing', undefined, 'auto'],
  ] as const)
    it(`gets the models of its session with ${says}`, async () => {
      const window = { ...testWindow, ...(agentModels && { agentModels }) };
      runtimes.setRequester(SESSION, requester({ window }));
      await runtimes.use(CHAT);
      const { models } = opened[0]!.context;
      assert.equal(models?.choice, choice);
      assert.equal((await models?.offered())?.key, `${SESSION} ${CHAT}`);
    });

  it('reports where its calls to models go once per change, beginning with its own keys', async () => {
    const runtime = await runtimes.use(CHAT);
    const goes = (modelsThrough?: 'gateway' | 'editor' | 'own', chat = CHAT) => {
      const agent = { ...runtime.agent, ...(modelsThrough && { modelsThrough: () => modelsThrough }) };
      return runtimes.newModels({ ...runtime, chat, agent }, undefined);
    };
    const told = [goes(), goes('own'), goes('gateway'), goes('gateway'), goes('own'), goes(), goes('gateway')];
    assert.deepEqual(told, [undefined, undefined, 'gateway', undefined, 'own', undefined, 'gateway']);
    assert.deepEqual([goes('gateway', 'another chat'), goes('editor')], [undefined, 'editor']);
    runtimes.forgetSession(SESSION);
    assert.equal(goes('gateway'), 'gateway');
  });

  it('goes on with its own conversation, or begins one of which it is known how it began', async () => {
    const first = await runtimes.use(CHAT);
    assert.deepEqual([first.isNew, first.began !== undefined, opened[0]!.context.resumeId], [true, true, undefined]);
    await runtimes.close(CHAT);
    resumeId = 'earlier';
    const second = await runtimes.use(CHAT);
    assert.deepEqual([second.isNew, second.began, opened[1]!.context.resumeId], [false, undefined, 'earlier']);
    await runtimes.close(CHAT);
    isQuick = false;
    const used = runtimes.use(CHAT);
    await until(() => opened.length === 3);
    opened[2]!.answer.resolve({ ...session(opened[2]!), forgotEarlierTurns: true });
    const third = await used;
    assert.deepEqual([third.isNew, third.began !== undefined], [true, true]);
  });

  it('reaches files during a turn only', async () => {
    const runtime = await runtimes.use(CHAT);
    const { files } = opened[0]!.context;
    await assert.rejects(files.readText('/a'), { message: 'files can be accessed only during a turn' });
    runtime.files = { readText: async () => 'x', writeText: async () => undefined };
    assert.equal(await files.readText('/a'), 'x');
    runtime.files = undefined;
    await assert.rejects(files.writeText('/a', ''), { code: 'forbidden' });
  });

  it('has another token asked for where the one that it had is good no more, and for no other failure', () => {
    tokens.set(resource, { value: 'bad' });
    const data = { resources: [{ resource }, { resource: 'https://none.test' }] };
    runtimes.refused(SESSION, new Fault('unavailable', 'no', { data }));
    runtimes.refused('host-session:/other', new Fault('auth_required', 'no', { data }));
    assert.deepEqual(demands, []);
    runtimes.refused(SESSION, new Fault('auth_required', 'no', { data }));
    assert.deepEqual(demands, [[resource, { channel: SESSION, refused: 'bad' }]]);
  });
});
