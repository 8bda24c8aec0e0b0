import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import type { Notice } from '../../../../../sidecar/protocol/hostInfo.ts';
import { HostPeer } from '../../../../support/host/hostPeer.ts';
import { openHostPlace, testWindow } from '../../../../support/host/hostPlace.ts';
import { refuseWrites } from '../../../../support/host/refusingDatabase.ts';
import { startSocketHost } from '../../../../support/host/socketHost.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const rename = (title: string) => ({ type: 'session/titleChanged', title }) as AnyAction;
const troubles = (peer: HostPeer): Notice[] =>
  (peer.notified.findLast((it) => it.method === 'x-switchboard/noticesChanged')?.params['items'] ?? []) as Notice[];
const isTold = (peer: HostPeer, kind: string) => () => troubles(peer).some((it) => it.kind === kind);

describe('what cannot be written', () => {
  let folder: string;
  let close: () => Promise<void>;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-refused-')));
  });
  afterEach(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const { how, kind, reason, remedy } of [
    { how: 'constraint', kind: 'cannotSave', reason: 'the database rejected a row', remedy: /restart the host/ },
    {
      how: 'full',
      kind: 'diskFull',
      reason: 'there is no space left on the disk',
      remedy: /Free some disk space\. The host will then continue automatically/,
    },
  ] as const) {
    it(`is told with its reason (${how}), costs nothing that was acknowledged, and goes on by itself`, async () => {
      let letGo: () => void = () => undefined;
      const held = new Promise<void>((resolve) => void (letGo = resolve));
      const agent = scriptedProvider(async function* () {
        yield { kind: 'text', partId: 'a', text: 'before, ' };
        await held;
        yield { kind: 'text', partId: 'a', text: 'and after' };
      });
      const place = await openHostPlace([agent]);
      close = () => place.close();
      const peer = await place.connect();
      const { session, chat } = await peer.newSession();
      assert.equal((await peer.act(session, rename('kept'))).rejectionReason, undefined);
      const turnId = await peer.prompt(chat, 'talk');
      await peer.until(() => peer.chat(chat).activeTurn?.responseParts.length === 1);
      const allow = refuseWrites(place.dataDir, how);
      letGo();
      await peer.until(isTold(peer, kind));
      assert.equal((await peer.act(session, rename('lost'))).rejectionReason, `not saved: ${reason}`);
      await assert.rejects(peer.request('createSession', { channel: 'host-session:/none' }), {
        message: `not saved: ${reason}`,
      });
      assert.deepEqual(
        troubles(peer).map((it) => it.kind),
        [kind],
      );
      assert.match(troubles(peer)[0]!.message, new RegExp(`^${reason}\\..*Work already accepted is not lost`, 'i'));
      assert.match(troubles(peer)[0]!.message, remedy);
      const other = await place.connect('c2');
      const [part] = (await other.subscribe<ChatState>(chat)).activeTurn?.responseParts ?? [];
      assert.equal(part?.kind === 'markdown' && part.content, 'before, ');
      allow();
      const turn = await peer.ended(chat, turnId);
      const said = turn.responseParts.map((it) => (it.kind === 'markdown' ? it.content : '')).join('');
      assert.equal(said, 'before, and after');
      await other.ended(chat, turnId);
      assert.deepEqual(other.chat(chat), peer.chat(chat));
      await peer.until(() => troubles(peer).length === 0);
      await place.restart();
      const later = await place.connect('c3');
      assert.deepEqual(await later.subscribe<ChatState>(chat), peer.chat(chat));
      assert.equal((await later.subscribe<SessionState>(session)).title, 'kept');
    });
  }

  it('is applied when its client sends it again under the same number', async () => {
    verifies('host.storage.refused-again');
    const place = await openHostPlace([scriptedProvider(async function* () {})]);
    close = () => place.close();
    const peer = await place.connect();
    const { session } = await peer.newSession();
    const allow = refuseWrites(place.dataDir, 'full');
    await peer.act(session, rename('in the journal'));
    await peer.until(isTold(peer, 'diskFull'));
    const { origin, rejectionReason } = await peer.act(session, rename('once more'));
    assert.match(rejectionReason ?? '', /^not saved: /);
    allow();
    await peer.until(() => troubles(peer).length === 0);
    const seen = peer.envelopes.length;
    peer.dispatch(session, rename('once more'), origin!.clientSeq);
    const again = () => peer.envelopes.slice(seen).find((it) => it.origin?.clientSeq === origin!.clientSeq);
    await peer.until(() => again() !== undefined);
    assert.equal(again()?.rejectionReason, undefined);
    assert.equal(peer.session(session).title, 'once more');
    assert.equal((await (await place.connect('c2')).subscribe<SessionState>(session)).title, 'once more');
  });

  it('because the database is read-only is told as that, and everything is there when it may be written again', async () => {
    const agent = scriptedProvider(async function* () {});
    const open = () => openHostPlace([agent], { dataDir: folder });
    let place = await open();
    close = () => place.close();
    const before = await place.connect();
    const { session } = await before.newSession();
    await before.act(session, rename('kept'));
    await place.close();
    setWriteVersion(folder, 3);
    place = await open();
    const peer = await place.connect('c2');
    await peer.subscribe(session);
    assert.equal((await peer.act(session, rename('lost'))).rejectionReason, 'not saved: the database is read-only');
    await peer.until(isTold(peer, 'cannotWrite'));
    assert.match(troubles(peer)[0]!.message, /Make the data folder and its files writable/);
    await place.close();
    setWriteVersion(folder, 2);
    place = await open();
    const later = await place.connect('c3');
    assert.equal((await later.subscribe<SessionState>(session)).title, 'kept');
    assert.equal((await later.act(session, rename('new'))).rejectionReason, undefined);
  });

  it('because the system lets no file grow is told as that and not as a full disk', async () => {
    const host = await startSocketHost(join(folder, 'data'), folder);
    close = () => host.kill();
    const peer = new HostPeer(await host.connect());
    await peer.initialize('c1', testWindow);
    const { chat } = await peer.newSession();
    const draft = (text: string) =>
      ({ type: 'chat/draftChanged', draft: { text, origin: { kind: 'user' } } }) as AnyAction;
    assert.equal((await peer.act(chat, draft('kept'))).rejectionReason, undefined);
    const { items } = await peer.request('x-switchboard/processes', {});
    const limit = (bytes: string) =>
      execFileSync('prlimit', ['--pid', String(items.find((it) => it.role === 'host')!.pid), `--fsize=${bytes}:`]);
    await peer.request('listSessions', {}); // whoever reads rows finds the draft in them: nothing waits in the journal
    limit('0');
    const { rejectionReason } = await peer.act(chat, draft('lost'));
    assert.equal(rejectionReason, "not saved: a file would exceed the system's file size limit");
    await peer.until(isTold(peer, 'cannotWrite'));
    assert.ok(!isTold(peer, 'diskFull')());
    await assert.rejects(peer.prompt(chat, 'hello'), { message: 'not saved: the disk reported an error' });
    limit('unlimited');
    await peer.until(() => troubles(peer).length === 0);
    const turn = await peer.ended(chat, await peer.prompt(chat, 'hello'));
    assert.equal(turn.state, 'complete');
    const again = new HostPeer(await host.connect());
    await again.initialize('c2', testWindow);
    assert.deepEqual(await again.subscribe<ChatState>(chat), peer.chat(chat));
    assert.equal(peer.chat(chat).draft?.text, 'kept');
  });
});

/** What the file says of itself (https://sqlite.org/fileformat2.html, offset 18): a version above 2 may only be read. */
function setWriteVersion(dataDir: string, version: number): void {
  const file = openSync(join(dataDir, 'host.db'), 'r+');
  writeSync(file, Buffer.from([version]), 0, 1, 18);
  closeSync(file);
}
