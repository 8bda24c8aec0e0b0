import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { FileHolders } from '../../../../../sidecar/host/changes/fileHolders.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('the holders of files', () => {
  let all: FileHolders;
  const of = (name: string, chat = name) => all.of(`host-session:/${name}`, `host-chat:/${chat}`);
  const held = (name: string, ...paths: string[]) =>
    of(name)
      .others(paths)
      .map(({ session, paths: its, isWaitingForUs }) => `${session} ${its.join()} ${isWaitingForUs}`);
  const { signal } = new AbortController();
  beforeEach(() => {
    all = new FileHolders();
  });

  it('are named by session, with their files, and never the session that asks', () => {
    assert.deepEqual(of('a').hold(['/1', '/2']), ['/1', '/2']);
    assert.deepEqual(of('a').hold(['/2', '/3']), ['/3']);
    of('a', 'other').hold(['/1']);
    assert.deepEqual(held('b', '/1', '/3', '/4'), ['host-session:/a /1,/3 false']);
    assert.deepEqual(held('a', '/1', '/2'), []);
  });

  it('hold a file until the last of their turns has ended', () => {
    of('a').hold(['/1']);
    of('a', 'other').hold(['/1']);
    all.ended('host-chat:/a');
    assert.deepEqual(held('b', '/1'), ['host-session:/a /1 false']);
    all.ended('host-chat:/other');
    assert.deepEqual(held('b', '/1'), []);
  });

  it('are known to wait for the session that asks, also through others', async () => {
    verifies('host.files.wait');
    for (const name of ['a', 'b', 'c']) of(name).hold([`/${name}`]);
    const first = of('b').whenFree(['/a'], signal);
    const second = of('c').whenFree(['/b'], signal);
    assert.deepEqual(held('a', '/b', '/c'), ['host-session:/b /b true', 'host-session:/c /c true']);
    assert.deepEqual(held('d', '/b', '/c'), ['host-session:/b /b false', 'host-session:/c /c false']);
    all.ended('host-chat:/a');
    await first;
    all.ended('host-chat:/b');
    await second;
  });

  it('are waited for until none is left', async () => {
    verifies('host.files.wait');
    of('a').hold(['/1']);
    of('b').hold(['/1']);
    let isFree = false;
    const free = of('c')
      .whenFree(['/1'], signal)
      .then(() => (isFree = true));
    all.ended('host-chat:/a');
    await new Promise((resolve) => void setImmediate(resolve));
    assert.equal(isFree, false);
    all.ended('host-chat:/b');
    await free;
  });

  it('include one of the sessions that waited for a turn as soon as it ends, and the others continue to wait', async () => {
    verifies('host.files.wait');
    of('a').hold(['/1']);
    const first = of('b').whenFree(['/1'], signal);
    let isFree = false;
    const second = of('c')
      .whenFree(['/1'], signal)
      .then((it) => (isFree = it));
    all.ended('host-chat:/a');
    assert.equal(await first, true);
    await new Promise((resolve) => void setImmediate(resolve));
    assert.deepEqual([isFree, held('c', '/1')], [false, ['host-session:/b /1 false']]);
    all.ended('host-chat:/b');
    assert.equal(await second, true);
  });

  it('are not waited for by a session for which they wait', async () => {
    verifies('host.files.wait');
    of('a').hold(['/a']);
    of('b').hold(['/b']);
    const waiting = of('b').whenFree(['/a'], signal);
    assert.equal(await of('a').whenFree(['/b'], signal), false);
    all.ended('host-chat:/a');
    assert.equal(await waiting, true);
  });

  it('are not waited for after the turn that waits was stopped', async () => {
    verifies('host.files.wait');
    of('a').hold(['/1']);
    const abort = new AbortController();
    const waiting = of('b').whenFree(['/1'], abort.signal);
    abort.abort(new Error('stopped'));
    await assert.rejects(waiting, /stopped/);
    assert.deepEqual(held('a', '/1'), []);
  });

  it('lose a file to the session that takes it over, until its turn ends', () => {
    verifies('host.files.take-over');
    of('a').hold(['/1']);
    of('b').takeOver(['/1']);
    of('b').hold(['/1']);
    assert.deepEqual([held('b', '/1'), held('a', '/1')], [[], ['host-session:/b /1 false']]);
    all.ended('host-chat:/b');
    assert.deepEqual(held('b', '/1'), ['host-session:/a /1 false']);
  });
});
