import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { status } from '../../../../../../sidecar/protocol/status.ts';
import { deleteOldSessions, type OldSessionsDeps } from '../../../../../../src/views/sessions/retention/oldSessions.ts';
import { StandingClock } from '../../../../../support/gateway/clock.ts';
import type { HostPeer } from '../../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../../support/host/hostPlace.ts';
import { openRepositoryPlace } from '../../../../../support/host/repositoryPlace.ts';
import { openWorkspace, type Workspace } from '../../../../../support/host/workspace.ts';
import { scriptedProvider } from '../../../../../support/scriptedProvider.ts';
import { until } from '../../../../../support/until.ts';
import { verifies } from '../../../../../support/verifies.ts';

const DAY_MS = 86_400_000;

describe('sessions that nobody used for long', () => {
  let place: HostPlace;
  let peer: HostPeer;
  let workspace: Workspace;
  let clock: StandingClock;
  beforeEach(async () => {
    clock = new StandingClock('2026-03-01T10:00:00.000Z');
    workspace = openWorkspace({ 'a.txt': 'before\n' });
    const agent = scriptedProvider(async function* ({ text }, _host, signal) {
      if (text.startsWith('write')) writeFileSync(join(workspace.path, 'a.txt'), `${text}\n`);
      yield { kind: 'text', partId: 'a', text: `did ${text}` };
      if (text === 'wait') await new Promise<void>((resolve) => void signal.addEventListener('abort', () => resolve()));
    });
    place = await openHostPlace([agent], { clock });
    peer = await place.connect();
  });
  afterEach(async () => {
    await place.close();
    workspace.remove();
  });

  const read = (by: HostPeer, session: string, isRead = true) =>
    by.act(session, { type: 'session/isReadChanged', isRead } as never);
  /** A session with a turn, which somebody read. */
  async function used(prompt: string, isRead = true): Promise<string> {
    const { session, chat } = await peer.newSession({ workingDirectories: [workspace.uri] });
    const turn = await peer.prompt(chat, prompt);
    if (prompt === 'wait') await peer.until(() => peer.chat(chat).activeTurn?.responseParts.length === 1);
    else await peer.ended(chat, turn);
    await read(peer, session, isRead);
    return session;
  }
  const listed = async () => (await peer.request('root/listSessions', {})).items;
  const uris = async () => new Set((await listed()).map((it) => it.resource));
  const portOf = (by: Pick<HostPeer, 'request'>) =>
    ({ request: (...asked: Parameters<HostPeer['request']>) => by.request(...asked) }) as OldSessionsDeps['port'];
  const told: string[] = [];
  const run = (more: Partial<OldSessionsDeps> = {}) =>
    deleteOldSessions({
      port: portOf(peer),
      known: () => undefined,
      pins: () => new Set(),
      isOpen: () => false,
      keepDays: () => 30,
      nowMs: clock.nowMs(),
      warn: (message) => told.push(message),
      ...more,
    });

  it('are deleted with their transcripts in the index, and the others stay', async () => {
    verifies('host.retention.sessions');
    const old = await used('write something unusual');
    clock.pass(29 * DAY_MS);
    const recent = await used('write something recent');
    clock.pass(DAY_MS + 1_000);
    const search = (query: string) => peer.request('x-switchboard/searchTranscripts', { query });
    await until('the index has both', async () => (await search('something')).items.length >= 2);
    assert.equal(await run(), 1);
    assert.deepEqual(await uris(), new Set([recent]));
    await until('the index has one', async () => (await search('unusual')).items.length === 0);
    assert.equal((await search('recent')).items.length > 0, true);
    await assert.rejects(peer.request('subscribe', { channel: old }));
  });

  it('stay while they are pinned, unread, open, or at work, and are deleted once they are none of it', async () => {
    verifies('host.retention.kept');
    const pinned = await used('pinned');
    const unread = await used('unread', false);
    const open = await used('open');
    const working = await used('wait');
    clock.pass(31 * DAY_MS);
    const all = new Set([pinned, unread, open, working]);
    const keep = { pins: () => new Set([pinned]), isOpen: (it: string) => it === open };
    assert.equal(await run(keep), 0);
    assert.deepEqual(await uris(), all);
    assert.equal(await run(), 2);
    assert.deepEqual(await uris(), new Set([unread, working]));
  });

  it('stay if somebody came back to them while others were deleted', async () => {
    verifies('host.retention.kept');
    const session = await used('old');
    clock.pass(31 * DAY_MS);
    const [summary] = await listed();
    assert.ok(summary);
    const known = () => ({ ...summary, status: status.InProgress | status.IsRead });
    assert.equal(await run({ known }), 0);
    assert.deepEqual(await uris(), new Set([session]));
  });

  it('stay while they wait for an answer or for the end of a usage limit', async () => {
    verifies('host.retention.kept');
    await used('old');
    clock.pass(31 * DAY_MS);
    const [summary] = await listed();
    assert.ok(summary);
    const parked = { 'host-chat:/c': { until: '2026-04-10T10:00:00.000Z', message: 'm' } };
    for (const waiting of [{ status: status.InputNeeded | status.IsRead }, { _meta: { parked } }])
      assert.equal(await run({ known: () => ({ ...summary, ...waiting }) }), 0);
    assert.equal(await run(), 1);
  });

  it('stay from the moment on at which the setting is changed, also while others are deleted', async () => {
    verifies('host.retention.sessions');
    await used('one');
    clock.pass(1_000); // the oldest is deleted first
    const younger = await used('two');
    clock.pass(31 * DAY_MS);
    let days = 30;
    const request: HostPeer['request'] = (method, params) => {
      if (method === 'disposeSession') days = 0;
      return peer.request(method, params);
    };
    assert.equal(await run({ port: portOf({ request }), keepDays: () => days }), 1);
    assert.deepEqual(await uris(), new Set([younger]));
  });

  it('are found behind the first page of the list', async () => {
    verifies('host.retention.sessions');
    const old = await used('old');
    clock.pass(31 * DAY_MS);
    const kept = await used('new');
    const request: HostPeer['request'] = (method, params) =>
      peer.request(method, method === 'root/listSessions' ? { ...params, limit: 1 } : params);
    assert.equal(await run({ port: portOf({ request }) }), 1);
    assert.deepEqual([await uris(), told], [new Set([kept]), []]);
    assert.notEqual(old, kept);
  });

  it('go with the worktree of their own, unless it holds changes that would be lost', async function trees() {
    verifies('host.retention.worktrees');
    const at = await openRepositoryPlace({ 'a.txt': 'a\n' }, { isRepository: true, clock });
    try {
      const make = async () => {
        const where = { workingDirectories: [at.workspace.uri], config: { worktree: true } };
        const { session, chat } = await at.peer.newSession(where);
        await at.peer.ended(chat, await at.peer.prompt(chat, 'nothing'));
        await read(at.peer, session);
        return fileURLToPath((at.peer.session(session)._meta as { git: { worktree: string } }).git.worktree);
      };
      const [clean, dirty] = [await make(), await make()];
      writeFileSync(join(dirty, 'a.txt'), 'worth keeping\n');
      clock.pass(31 * DAY_MS);
      assert.equal(await run({ port: portOf(at.peer) }), 2);
      await until('the clean one is gone', () => !existsSync(clean));
      assert.equal(readFileSync(join(dirty, 'a.txt'), 'utf8'), 'worth keeping\n');
    } finally {
      at.workspace.remove(join('..', `${basename(at.workspace.path)}.worktrees`));
      await at.close();
    }
  });
});
