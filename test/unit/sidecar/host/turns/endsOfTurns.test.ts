import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { AgentSession, SessionFiles, TurnEvent } from '../../../../../sidecar/agents/provider.ts';
import type { HostOptions } from '../../../../../sidecar/host/host.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import type { Turn } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { sessionChangesetUri } from '../../../../../sidecar/protocol/uris.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { protectedAgent, vault } from '../../../../support/host/protectedAgent.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { later } from '../../../../support/later.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { type Script, scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { until } from '../../../../support/until.ts';

const noticesOf = ({ responseParts }: Turn) =>
  responseParts.flatMap((it) => (it.kind === 'systemNotification' ? [JSON.stringify(it.content)] : []));
const textOf = ({ responseParts }: Turn) =>
  responseParts.map((it) => (it.kind === 'markdown' ? it.content : '')).join('');

describe('the end of a turn, in its chat', () => {
  let place: HostPlace;
  let workspace: Workspace;
  beforeEach(() => {
    workspace = openWorkspace({ 'a.txt': 'a\n', 'second.txt': 'b\n' });
  });
  afterEach(async () => {
    await place.close();
    workspace.remove();
  });
  async function open(script: Script, agent: Partial<AgentSession> = {}, options: Partial<HostOptions> = {}) {
    const timers = new ManualTimers();
    place = await openHostPlace([scriptedProvider(script, agent)], { ...options, timers });
    const peer = await place.connect();
    return { peer, timers, ...(await peer.newSession({ workingDirectories: [workspace.uri] })) };
  }
  /** A folder of the host's data is none any more. */
  function takeAway(name: 'content' | 'baselines'): void {
    const folder = join(place.dataDir, name);
    renameSync(folder, `${folder}-away`);
    writeFileSync(folder, 'no folder');
  }

  it('names what the agent failed with, also where the last look at the disk fails as well, which the log has', async () => {
    const { peer, chat } = await open(async function* ({ text }) {
      workspace.write({ 'a.txt': `${text}\n` });
      if (text !== 'second') return;
      takeAway('content');
      yield { kind: 'text', partId: 'p', text: 'so far' };
      throw new Fault('unavailable', 'The model is overloaded.');
    });
    await peer.ended(chat, await peer.prompt(chat, 'first'));
    const turn = await peer.ended(chat, await peer.prompt(chat, 'second'));
    assert.deepEqual([turn.state, turn.error?.message], ['error', 'The model is overloaded.']);
    assert.equal(textOf(turn), 'so far');
    assert.match(place.log.join(''), /ENOTDIR|EEXIST/);
  });

  it('leaves what a failed agent had done by then to be undone', async () => {
    const { peer, session, chat } = await open(async function* () {
      workspace.write({ 'a.txt': 'agent\n', 'b.txt': 'agent\n' });
      throw new Fault('unavailable', 'The model is overloaded.');
    });
    await peer.ended(chat, await peer.prompt(chat, 'go'));
    const channel = sessionChangesetUri(session.split('/').at(-1) ?? '');
    await peer.request('invokeChangesetOperation', { channel, operationId: 'undo' });
    assert.equal(readFileSync(join(workspace.path, 'a.txt'), 'utf8'), 'a\n');
    assert.equal(existsSync(join(workspace.path, 'b.txt')), false);
  });

  for (const { how, ends } of [
    { how: 'completes', ends: () => undefined },
    {
      how: 'fails',
      ends: () => {
        throw new Fault('unavailable', 'The model is overloaded.');
      },
    },
  ])
    it(`says in the chat what could not be seen of the changes, where the agent ${how}`, async () => {
      const isAsked = later<void>();
      const goesOn = later<void>();
      const { peer, chat } = await open(async function* ({ text }) {
        workspace.write({ [`${text}.txt`]: 'agent\n' });
        if (text !== 'second') return;
        isAsked.resolve();
        await goesOn.promise;
        ends();
      });
      assert.deepEqual(noticesOf(await peer.ended(chat, await peer.prompt(chat, 'first'))), []);
      const second = await peer.prompt(chat, 'second');
      await isAsked.promise;
      takeAway('baselines');
      goesOn.resolve();
      const turn = await peer.ended(chat, second);
      assert.match(noticesOf(turn).join(), /Some changes from this turn may be missing/);
    });

  it('has the client push another token where its agent was refused the one that it had', async () => {
    const agent = protectedAgent();
    const script: Script = async function* ({ text }) {
      if (text === 'refused') throw new Fault('auth_required', 'Sign in again.', { data: { resources: [vault] } });
    };
    const provider = { ...scriptedProvider(script), protectedResources: agent.provider.protectedResources ?? [] };
    place = await openHostPlace([provider]);
    const peer = await place.connect();
    const push = (token: string) => peer.request('authenticate', { resource: vault.resource, token });
    await push('first');
    const { session, chat } = await peer.newSession();
    await peer.ended(chat, await peer.prompt(chat, 'fine'));
    const demands = () => peer.notified.filter((it) => it.method === 'auth/required').map((it) => it.params);
    assert.deepEqual(demands(), []);
    await peer.ended(chat, await peer.prompt(chat, 'refused'));
    assert.deepEqual(demands(), [{ channel: session, resource: vault.resource, reason: 'expired' }]);
    const held = await peer.prompt(chat, 'held').then(
      (turnId) => peer.ended(chat, turnId),
      (thrown: unknown) => thrown as Error,
    );
    assert.ok(
      'message' in held && 'state' in held && held.state === 'error',
      'the token that was refused is used no more',
    );
    await push('second');
    assert.equal((await peer.ended(chat, await peer.prompt(chat, 'again'))).state, 'complete');
  });

  it('takes the tools of the session away from its agent, which may list them still', async () => {
    let server: { readonly url: string; readonly headers: Readonly<Record<string, string>> } | undefined;
    const texts: string[] = [];
    const ask = async (method: string, params: object): Promise<string> => {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const { url = '', headers: own } = server ?? {};
      return (await fetch(url, { method: 'POST', headers: { ...own, ...headers }, body })).text();
    };
    const provider = scriptedProvider(async function* () {
      texts.push(await ask('tools/list', {}));
    });
    place = await openHostPlace([
      {
        ...provider,
        open: async (context, signal) => {
          server = await context.offeredServer?.();
          return provider.open(context, signal);
        },
      },
    ]);
    const peer = await place.connect();
    const { session, chat } = await peer.newSession();
    const activeClient = { clientId: 'c1', tools: [{ name: 'count', inputSchema: { type: 'object' } }] };
    await peer.act(session, { type: 'session/activeClientSet', activeClient } as AnyAction);
    await peer.ended(chat, await peer.prompt(chat, 'go'));
    assert.match(texts.join(), /"count"/);
    assert.match(await ask('tools/call', { name: 'count', arguments: {} }), /only during a turn/);
    assert.match(await ask('tools/list', {}), /"count"/);
    assert.deepEqual(peer.session(session).inputNeeded ?? [], []);
  });

  it('comes at once where its session is disposed of while nothing can be written', async () => {
    const { storage, onStorage } = keepStorage();
    let isClosed = false;
    let said = 0;
    const isFull = later<void>();
    const { peer, session, chat } = await open(
      async function* () {
        for (let n = 0; ; n += 1) {
          yield { kind: 'text', partId: `p${n}`, text: 'x'.repeat(50_000) };
          said = n;
          if (n === 0) await isFull.promise;
          await nextTurnOfTheLoop();
        }
      },
      {
        close: async () => {
          isClosed = true;
        },
      },
      { onStorage },
    );
    await peer.prompt(chat, 'talk');
    await until('the agent was asked', () => peer.chat(chat).activeTurn !== undefined);
    storage().limitPages(1);
    isFull.resolve();
    await until('the host holds the agent', () => said > 0 && place.log.join('').includes('full'));
    const held = said;
    for (let n = 0; n < 50; n += 1) await nextTurnOfTheLoop();
    assert.ok(said <= held + 1, 'the agent is asked for nothing more');
    const disposed = peer.request('disposeSession', { channel: session });
    await until('the agent is closed while the disk is full', () => isClosed);
    storage().limitPages(0);
    await disposed;
  });

  it('takes the files of the session away from its agent', async () => {
    let files: SessionFiles | undefined;
    const read: string[] = [];
    const file = join(workspace.path, 'a.txt');
    const provider = scriptedProvider(async function* () {
      read.push((await files?.readText(file)) ?? '');
    });
    place = await openHostPlace([
      {
        ...provider,
        open: (context, signal) => {
          ({ files } = context);
          return provider.open(context, signal);
        },
      },
    ]);
    const peer = await place.connect();
    const { chat } = await peer.newSession({ workingDirectories: [workspace.uri] });
    await peer.ended(chat, await peer.prompt(chat, 'go'));
    assert.deepEqual(read, ['a\n']);
    for (const after of [files?.readText(file), files?.writeText(file, 'agent\n')])
      await assert.rejects(after ?? Promise.resolve(), /only during a turn/);
    assert.equal(readFileSync(file, 'utf8'), 'a\n');
  });

  it('is reported to nobody where it was stopped while its agent was opened, which failed then', async () => {
    const opens = later<void>();
    const isOpening = later<void>();
    let count = 0;
    const provider = scriptedProvider(async function* () {});
    place = await openHostPlace([
      {
        ...provider,
        open: async (...given) => {
          count += 1;
          if (count !== 2) return provider.open(...given);
          isOpening.resolve();
          await opens.promise;
          throw new Fault('command_missing', 'It is not installed.');
        },
      },
    ]);
    const peer = await place.connect();
    const { session, chat } = await peer.newSession();
    await peer.act(session, { type: 'session/isArchivedChanged', isArchived: true } as AnyAction);
    await peer.act(session, { type: 'session/isArchivedChanged', isArchived: false } as AnyAction);
    const first = await peer.prompt(chat, 'first');
    await isOpening.promise;
    await peer.act(chat, { type: 'chat/turnCancelled', turnId: first, duration: 1 } as AnyAction);
    opens.resolve();
    await peer.ended(chat, await peer.prompt(chat, 'second'));
    assert.equal(peer.chat(chat).turns[0]?.state, 'cancelled');
    assert.ok(!JSON.stringify(peer.envelopes).includes('not installed'));
    assert.doesNotMatch(place.log.join(''), /internal error/);
  });

  it('is not waited for where the agent fails as it is told to stop', async () => {
    const isAsked = later<void>();
    const never = later<IteratorResult<TurnEvent>>().promise;
    const failing: AsyncIterable<TurnEvent> = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          isAsked.resolve();
          return never;
        },
        return: () => Promise.reject(new Error('it was gone before')),
      }),
    };
    const nothing: Script = async function* () {};
    const { peer, timers, chat } = await open((request, host, signal) =>
      request.text === 'first' ? failing : nothing(request, host, signal),
    );
    const first = await peer.prompt(chat, 'first');
    await isAsked.promise;
    await peer.act(chat, { type: 'chat/turnCancelled', turnId: first, duration: 1 } as AnyAction);
    assert.equal((await peer.ended(chat, await peer.prompt(chat, 'second'))).state, 'complete');
    assert.equal(timers.has(5_000), false, 'its time is not waited for any more');
  });
});

const nextTurnOfTheLoop = () => new Promise<void>((resolve) => void setImmediate(resolve));

function keepStorage() {
  let kept: Parameters<NonNullable<HostOptions['onStorage']>>[0] | undefined;
  return {
    onStorage: (opened: NonNullable<typeof kept>) => void (kept = opened),
    storage: () => {
      assert.ok(kept, 'the host opened its storage');
      return kept;
    },
  };
}
