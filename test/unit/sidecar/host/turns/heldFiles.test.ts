import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ToolFacts } from '../../../../../sidecar/agents/provider.ts';
import { HeldMeta } from '../../../../../sidecar/protocol/channels/chat/heldMeta.ts';
import { PERMISSION_DIAL } from '../../../../../sidecar/protocol/channels/session/permissionDial.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

interface Worker {
  readonly session: string;
  readonly chat: string;
  readonly turnId: string;
}

describe('a file that two sessions change', () => {
  let folder: string;
  let place: HostPlace;
  let peer: HostPeer;
  let ran: string[];
  /** Lets the turn with this prompt end. */
  let finish: Map<string, () => void>;

  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-held-')));
    [ran, finish] = [[], new Map()];
    // The prompt: a name, what to do, and the files. The turn edits them one by one and then goes on until `finish`, which
    // it also waits for at each `|`.
    const agent = scriptedProvider(async function* (turn, host, signal) {
      const [name = '', how, ...files] = turn.text.split(' ');
      const finished = () =>
        new Promise<void>((resolve) => {
          finish.set(name, resolve);
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      for (const [n, file] of files.entries()) {
        if (file === '|') {
          await finished();
          finish.delete(name);
          continue;
        }
        const toolCallId = `${name} ${n}`;
        const facts: ToolFacts = { toolCallId, kind: 'edit', invocationMessage: 'Edit', paths: [join(folder, file)] };
        yield { kind: 'toolStarted', toolCallId, toolName: 'edit', displayName: 'Edit' };
        if (how === 'unasked') yield { kind: 'toolRunning', facts };
        else if ((await host.confirm(facts)).allow) ran.push(`${name} ${file}`);
        yield { kind: 'toolEnded', toolCallId, success: true, pastTenseMessage: 'Edited', content: [] };
      }
      await finished();
    });
    place = await openHostPlace([agent]);
    peer = await place.connect('c1');
  });
  afterEach(async () => {
    await place.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const begin = async (prompt: string, config: object = { [PERMISSION_DIAL]: 'acceptEdits' }): Promise<Worker> => {
    const { session, chat } = await peer.newSession({ workingDirectories: [pathToFileURL(folder).href] });
    const title = `Session ${prompt[0]}`;
    await peer.act(session, { type: 'session/titleChanged', title } as AnyAction);
    await peer.act(session, { type: 'session/configChanged', config } as AnyAction);
    return { session, chat, turnId: await peer.prompt(chat, prompt) };
  };
  const asked = async ({ session }: Worker) => {
    await peer.until(() => (peer.session(session).inputNeeded ?? []).length === 1);
    const request = peer.session(session).inputNeeded![0]!;
    assert.ok(request.kind === 'toolConfirmation' && request.toolCall.status === 'pending-confirmation');
    return request.toolCall;
  };
  const answer = async ({ chat, turnId }: Worker, toolCallId: string, selectedOptionId: string) => {
    const approved = { approved: true, confirmed: 'user-action', selectedOptionId };
    await peer.act(chat, { type: 'chat/toolCallConfirmed', turnId, toolCallId, ...approved } as AnyAction);
  };
  const done = (...what: string[]) => peer.until(() => what.every((it) => ran.includes(it)));
  const end = async ({ chat, turnId }: Worker, name: string) => {
    await peer.until(() => finish.has(name));
    finish.get(name)!();
    await peer.ended(chat, turnId);
  };
  const noticesIn = ({ chat }: Worker) =>
    (peer.chat(chat).activeTurn?.responseParts ?? [])
      .filter((it) => it.kind === 'systemNotification')
      .map((it) => (typeof it.content === 'string' ? it.content : it.content.markdown));
  const optionsOf = (call: Awaited<ReturnType<typeof asked>>) => (call.options ?? []).map((it) => it.id);

  it('is asked about in the second session, which names the first, although edits are accepted', async () => {
    verifies('host.files.held');
    const a = await begin('A asks a.txt');
    await done('A a.txt');
    const b = await begin('B asks b.txt a.txt');
    const call = await asked(b);
    assert.deepEqual(ran, ['A a.txt', 'B b.txt']);
    const files = [pathToFileURL(join(folder, 'a.txt')).href];
    assert.deepEqual(call._meta?.['heldBy'], [{ session: a.session, title: 'Session A', files }]);
    assert.equal(call._meta?.['oneClick'], false);
    assert.deepEqual(optionsOf(call), ['allow-once', 'allow-when-free', 'allow-take-over', 'deny', 'deny-with-reason']);
  });

  it('is not asked about once the turn that changed it has ended', async () => {
    verifies('host.files.held');
    const a = await begin('A asks a.txt');
    await end(a, 'A');
    await begin('B asks a.txt');
    await done('B a.txt');
  });

  it('is changed by the session that waits when the other turn ends, and not before', async () => {
    verifies('host.files.wait');
    const a = await begin('A asks a.txt');
    await done('A a.txt');
    const b = await begin('B asks a.txt');
    await answer(b, (await asked(b)).toolCallId, 'allow-when-free');
    await peer.until(() => peer.chat(b.chat).activity === 'Waiting for another session.');
    assert.deepEqual(ran, ['A a.txt']);
    await end(a, 'A');
    await done('B a.txt');
    assert.equal(peer.chat(b.chat).activity, undefined);
  });

  it('offers no wait to a session for which the other one waits', async () => {
    verifies('host.files.wait');
    const a = await begin('A asks a.txt | b.txt');
    await done('A a.txt');
    const b = await begin('B asks b.txt a.txt');
    await answer(b, (await asked(b)).toolCallId, 'allow-when-free');
    await peer.until(() => peer.chat(b.chat).activity === 'Waiting for another session.');
    await peer.until(() => finish.has('A'));
    finish.get('A')!();
    const call = await asked(a);
    assert.deepEqual(optionsOf(call), ['allow-once', 'allow-take-over', 'deny', 'deny-with-reason']);
    await answer(a, call.toolCallId, 'allow-once');
    await done('A b.txt');
    await end(a, 'A');
    await done('B a.txt');
  });

  it('is refused to the second of two sessions that were both told to wait for each other', async () => {
    verifies('host.files.wait');
    const a = await begin('A asks a.txt | b.txt b.txt');
    await done('A a.txt');
    const b = await begin('B asks b.txt a.txt');
    const waits = await asked(b);
    await peer.until(() => finish.has('A'));
    finish.get('A')!();
    const call = await asked(a);
    await answer(b, waits.toolCallId, 'allow-when-free');
    await peer.until(() => peer.chat(b.chat).activity === 'Waiting for another session.');
    await answer(a, call.toolCallId, 'allow-when-free');
    await peer.until(() => JSON.stringify(peer.session(a.session).inputNeeded ?? []).includes('"A 3"'));
    const again = await asked(a);
    assert.deepEqual(optionsOf(again), ['allow-once', 'allow-take-over', 'deny', 'deny-with-reason']);
    assert.ok(!ran.includes('A b.txt'));
    await answer(a, again.toolCallId, 'allow-once');
    await done('A b.txt');
    await end(a, 'A');
    await done('B a.txt');
  });

  it('is not changed after the wait if a rule denies it by then', async () => {
    verifies('host.files.wait');
    const a = await begin('A asks a.txt');
    await done('A a.txt');
    const b = await begin('B asks a.txt b.txt');
    await answer(b, (await asked(b)).toolCallId, 'allow-when-free');
    await peer.until(() => peer.chat(b.chat).activity === 'Waiting for another session.');
    const rule = { id: 'deny', target: 'edit', pattern: '**/a.txt', effect: 'deny', source: 'user' };
    peer.peer.sendNotification('x-switchboard/windowChanged', { window: { ...testWindow, rules: [rule] } });
    await peer.act(b.session, { type: 'session/titleChanged', title: 'After the rule' } as AnyAction);
    await end(a, 'A');
    await done('B b.txt');
    assert.deepEqual(ran, ['A a.txt', 'B b.txt']);
  });

  it('is named in the chat if another session began to change it while a person was asked', async () => {
    verifies('host.files.held');
    const b = await begin('B asks a.txt', {});
    const call = await asked(b);
    assert.equal(call._meta?.['heldBy'], undefined);
    await begin('A asks a.txt');
    await done('A a.txt');
    await answer(b, call.toolCallId, 'allow-once');
    await done('B a.txt');
    assert.deepEqual(noticesIn(b), ['The session "Session A" is also changing `a.txt`.']);
  });

  it('leaves the session that stops waiting without the change', async () => {
    verifies('host.files.wait');
    const a = await begin('A asks a.txt');
    await done('A a.txt');
    const b = await begin('B asks a.txt');
    await answer(b, (await asked(b)).toolCallId, 'allow-when-free');
    await peer.act(b.chat, { type: 'chat/turnCancelled', turnId: b.turnId, duration: 1 } as AnyAction);
    await end(a, 'A');
    await peer.until(() => peer.chat(b.chat).activeTurn === undefined);
    assert.deepEqual(ran, ['A a.txt']);
  });

  it('is asked about in the first session after the second one took it over', async () => {
    verifies('host.files.take-over');
    const a = await begin('A asks a.txt');
    await done('A a.txt');
    const b = await begin('B asks a.txt a.txt');
    await answer(b, (await asked(b)).toolCallId, 'allow-take-over');
    await peer.until(() => ran.filter((it) => it === 'B a.txt').length === 2);
    await end(a, 'A');
    const again = { ...a, turnId: await peer.prompt(a.chat, 'A asks a.txt') };
    assert.equal(HeldMeta.parse((await asked(again))._meta).heldBy[0]?.title, 'Session B');
  });

  it('is named in the chat of an agent that changes it without asking, once', async () => {
    verifies('host.files.held');
    await begin('A asks a.txt');
    await done('A a.txt');
    const b = await begin('B unasked a.txt a.txt');
    await peer.until(() => finish.has('B'));
    assert.deepEqual(noticesIn(b), ['The session "Session A" is also changing `a.txt`.']);
  });
});
