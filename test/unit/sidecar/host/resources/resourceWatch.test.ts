import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { parseGlobs } from '../../../../../sidecar/host/files/globs.ts';
import type {
  ResourceChange,
  ResourceWatchState,
} from '../../../../../sidecar/protocol/channels/resourceWatch/schema.ts';
import { errorCodes } from '../../../../../sidecar/protocol/errors.ts';
import type { RequestParams } from '../../../../../sidecar/protocol/methods.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { openResourcePlace, type ResourcePlace, uriOf } from '../../../../support/resources/resourcePlace.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('a resource watch', () => {
  let place: ResourcePlace;
  beforeEach(async () => {
    place = await openResourcePlace();
  });
  afterEach(() => place.close());
  const at = (name: string) => join(place.inside, name);
  const create = async (name: string, more: Partial<RequestParams<'createResourceWatch'>> = {}) => {
    const { channel } = await place.peer.request('createResourceWatch', { uri: uriOf(at(name)), ...more });
    const state = await place.peer.subscribe<ResourceWatchState>(channel);
    return { channel, state };
  };
  const told = (channel: string, peer: HostPeer = place.peer) =>
    peer.envelopes
      .filter((it) => it.channel === channel)
      .flatMap((it) => (it.action as unknown as { changes: { items: ResourceChange[] } }).changes.items)
      .map((it) => `${it.type} ${it.uri.slice(uriOf(place.inside).length + 1)}`);
  /** Waits for a change that was made after all others. */
  const seen = (channel: string, change: string) => place.peer.until(() => told(channel).includes(change));

  it('is a channel whose state says what is watched, and which tells what is added, changed and removed', async () => {
    verifies('host.command.createResourceWatch');
    const { channel, state } = await create('sub', { recursive: true });
    assert.match(channel, /^host-resource-watch:\/[0-9a-f-]+$/);
    assert.deepEqual(state, { root: uriOf(at('sub')), recursive: true });
    writeFileSync(at('sub/new.txt'), 'x');
    await seen(channel, 'added sub/new.txt');
    appendFileSync(at('sub/new.txt'), 'y');
    await seen(channel, 'updated sub/new.txt');
    rmSync(at('sub/new.txt'));
    await seen(channel, 'deleted sub/new.txt');
    mkdirSync(at('sub/one/two'), { recursive: true });
    writeFileSync(at('sub/one/two/deep.txt'), 'x');
    await seen(channel, 'added sub/one/two/deep.txt');
    renameSync(at('sub/one'), at('sub/uno'));
    await seen(channel, 'deleted sub/one/two/deep.txt');
    await seen(channel, 'added sub/uno/two/deep.txt');
    assert.deepEqual(await place.peer.subscribe(channel), state);
  });

  it('stays with the folder and its children where it is not recursive', async () => {
    const { channel } = await create('.');
    writeFileSync(at('sub/b.txt'), 'other');
    writeFileSync(at('last'), '');
    await seen(channel, 'added last');
    assert.deepEqual(told(channel), ['added last']);
  });

  it('tells only what is included, and nothing of what is excluded', async () => {
    const excludes = { items: ['**/node_modules/**', 'sub/deep'] };
    const { channel, state } = await create('.', { recursive: true, excludes, includes: { items: ['**/*.{ts,md}'] } });
    assert.deepEqual(state.excludes, excludes);
    mkdirSync(at('node_modules/x'), { recursive: true });
    for (const it of ['node_modules/x/a.ts', 'sub/deep/a.ts', 'sub/a.ts', 'sub/a.js', 'a.md'])
      writeFileSync(at(it), 'x');
    await seen(channel, 'added sub/a.ts');
    await seen(channel, 'added a.md');
    writeFileSync(at('last.md'), '');
    await seen(channel, 'added last.md');
    assert.deepEqual(told(channel).sort(), ['added a.md', 'added last.md', 'added sub/a.ts']);
  });

  it('watches a single file, also when it is replaced by another', async () => {
    const { channel } = await create('a.txt');
    writeFileSync(at('beside'), 'x');
    writeFileSync(at('a.new'), 'other');
    renameSync(at('a.new'), at('a.txt'));
    await seen(channel, 'updated a.txt');
    rmSync(at('a.txt'));
    await seen(channel, 'deleted a.txt');
    assert.ok(told(channel).every((it) => it.endsWith(' a.txt')));
  });

  it('reports a link and never looks behind it', async () => {
    const { channel } = await create('.', { recursive: true });
    symlinkSync(place.outside, at('to-outside'));
    await seen(channel, 'added to-outside');
    writeFileSync(join(place.outside, 'new.txt'), 'x');
    writeFileSync(at('last'), '');
    await seen(channel, 'added last');
    assert.ok(!told(channel).some((it) => it.includes('new.txt') || it.includes('secret')));
  });

  it('is for the client that made it, and ends with its last subscription', async () => {
    const { channel } = await create('sub');
    const other = await place.host.connect('c2');
    await assert.rejects(other.request('subscribe', { channel }), { code: errorCodes.SessionNotFound });
    place.peer.peer.sendNotification('unsubscribe', { channel });
    await assert.rejects(place.peer.request('subscribe', { channel }), { code: errorCodes.SessionNotFound });
  });

  it('ends with the connection, and cannot be made for what is not there', async () => {
    const { channel } = await create('sub');
    place.peer.close();
    const again = place.host.connectSilently();
    const result = await again.request('reconnect', {
      clientId: 'c1',
      lastSeenServerSeq: 0,
      subscriptions: [channel, place.session],
    });
    assert.ok(
      result.type === 'snapshot'
        ? result.snapshots.every((it) => it.resource !== channel)
        : result.missing.includes(channel),
    );
    await assert.rejects(again.request('createResourceWatch', { uri: uriOf(at('none')) }), {
      code: errorCodes.NotFound,
    });
  });

  it('is refused beyond fifty for one client also where all are asked for at once, and what failed takes no room', async () => {
    verifies('host.resource-watch.at-once');
    const ask = (name: string) => place.peer.request('createResourceWatch', { uri: uriOf(at(name)) });
    const failed = await Promise.allSettled(Array.from({ length: 60 }, () => ask('none such')));
    assert.ok(failed.some((it) => it.status === 'rejected' && it.reason.code === errorCodes.NotFound));
    const answers = await Promise.allSettled(Array.from({ length: 60 }, () => ask('a.txt')));
    const made = answers.flatMap((it) => (it.status === 'fulfilled' ? [it.value.channel] : []));
    assert.equal(made.length, 50);
    for (const it of answers) if (it.status === 'rejected') assert.equal(it.reason.code, errorCodes.InvalidParams);
    for (const channel of made) await place.peer.subscribe(channel);
    await assert.rejects(ask('a.txt'), { code: errorCodes.InvalidParams });
  });

  it('is refused beyond fifty for one client, and with patterns without end', async () => {
    const uri = uriOf(at('sub'));
    const many = { items: Array.from({ length: 101 }, () => 'x') };
    await assert.rejects(place.peer.request('createResourceWatch', { uri, excludes: many }), {
      code: errorCodes.InvalidParams,
    });
    for (let n = 0; n < 50; n += 1) await place.peer.request('createResourceWatch', { uri });
    await assert.rejects(place.peer.request('createResourceWatch', { uri }), { code: errorCodes.InvalidParams });
  });
});

describe('a resource watch that nobody subscribes to', () => {
  it('ends after half a minute, and counts no longer among those of its client', async () => {
    const timers = new ManualTimers();
    const place = await openResourcePlace({ timers });
    try {
      const make = () => place.peer.request('createResourceWatch', { uri: uriOf(join(place.inside, 'sub')) });
      const [unused, used] = [await make(), await make()];
      await place.peer.subscribe(used.channel);
      timers.pass(30_000);
      await assert.rejects(place.peer.request('subscribe', unused), { code: errorCodes.SessionNotFound });
      for (let n = 1; n < 50; n += 1) await make();
      await assert.rejects(make(), { code: errorCodes.InvalidParams });
    } finally {
      await place.close();
    }
  });
});

describe('globs of a watch', () => {
  for (const [pattern, path, expected] of [
    ['*.ts', 'a.ts', true],
    ['*.ts', 'sub/a.ts', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'x/y/a.ts', true],
    ['**/node_modules/**', 'node_modules', true],
    ['**/node_modules/**', 'x/node_modules/y', true],
    ['**/node_modules/**', 'node_modules_not', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['{src,test}/**', 'test/x', true],
    ['{src,test}/**', 'media/x', false],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a.b', 'axb', false],
  ] as const) {
    it(`${pattern} ${expected ? 'means' : 'does not mean'} ${path}`, () =>
      assert.equal(parseGlobs([pattern], 'includes').matches(path), expected));
  }
  it('are matched in short time whatever they are', () => {
    const globs = parseGlobs([`${'*a'.repeat(150)}b`, `${'**/'.repeat(100)}b`], 'includes');
    assert.equal(globs.matches(`${'a/'.repeat(150)}${'a'.repeat(3000)}`), false);
  });
});
