import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { EffectDeps } from '../../../../../sidecar/host/context/effectDeps.ts';
import { locate } from '../../../../../sidecar/host/files/locate.ts';
import type { Access, ResourceRequester } from '../../../../../sidecar/host/resources/access.ts';
import { ResourceWatches } from '../../../../../sidecar/host/resources/resourceWatches.ts';
import { until } from '../../../../support/until.ts';

describe('the channels of resource watches', () => {
  let root: string;
  let watches: ResourceWatches;
  let watched: Set<string>;
  let removed: string[];
  let dropped: string[];
  let told: string[];
  let unused: (() => void)[];
  let allowed: (real: string) => boolean;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'watches-')));
    mkdirSync(join(root, 'real'));
    symlinkSync('real', join(root, 'link'));
    [watched, removed, dropped, told, unused, allowed] = [new Set(), [], [], [], [], () => true];
    const channels = new Set<string>();
    let ids = 0;
    const store = {
      create: (_kind: string, channel: string) => void channels.add(channel),
      has: (channel: string) => channels.has(channel),
      remove(channel: string) {
        channels.delete(channel);
        removed.push(channel);
      },
      commit(_channel: string, { changes }: { changes: { items: { uri: string; type: string }[] } }) {
        told.push(...changes.items.map((it) => `${it.type} ${it.uri.slice(pathToFileURL(root).href.length + 1)}`));
      },
      settled: () => Promise.resolve(),
    };
    const timers = {
      after(delayMs: number, work: () => void) {
        if (delayMs === 30_000) {
          unused.push(work);
          return () => undefined;
        }
        const timer = setImmediate(work);
        return () => clearImmediate(timer);
      },
    };
    const deps = {
      store,
      timers,
      newId: () => `${(ids += 1)}`,
      report: (_id: string, thrown: unknown) => assert.fail(String(thrown)),
      isWatched: (channel: string) => watched.has(channel),
      dropChannel: (channel: string) => void dropped.push(channel),
    };
    const access = {
      require: (_requester: unknown, uri: string) => locate(decodeURIComponent(new URL(uri).pathname)),
      isOwn: (path: string) => path.endsWith('host.db'),
      isAllowed: (_requester: unknown, real: string) => Promise.resolve(allowed(real)),
    };
    watches = new ResourceWatches(deps as unknown as EffectDeps, access as unknown as Access);
  });
  afterEach(() => {
    watches.close();
    rmSync(root, { recursive: true, force: true });
  });
  const client = (clientId: string) => ({ clientId }) as ResourceRequester;
  const [one, two] = [client('c1'), client('c2')];
  const open = (requester: ResourceRequester, name = 'real') =>
    watches.create({ channel: 'host:/', uri: pathToFileURL(join(root, name)).href }, requester);

  it('end with their own client alone, and not while another one looks at them', async () => {
    const [mine, shared, other] = [await open(one), await open(one), await open(two)];
    watched.add(shared);
    watches.clientGone('c1');
    assert.deepEqual([removed, dropped], [[mine], [mine]]);
    watches.releaseUnused(mine);
    watches.releaseUnused('host-resource-watch:/of-nobody');
    assert.deepEqual(removed, [mine]);
    watched.delete(shared);
    watches.releaseUnused(shared);
    assert.deepEqual(removed, [mine, shared]);
    watches.clientGone('c2');
    assert.deepEqual(removed, [mine, shared, other]);
  });

  it('end half a minute after their request where nobody subscribed, and else stay', async () => {
    const [used, never] = [await open(one), await open(one)];
    watched.add(used);
    for (const work of unused.splice(0)) work();
    assert.deepEqual(removed, [never]);
  });

  it('end when their client may not read them any more, the others stay', async () => {
    mkdirSync(join(root, 'other'));
    const [lost, kept] = [await open(one), await open(one, 'other')];
    allowed = (real) => real === join(root, 'other');
    await watches.recheck();
    assert.deepEqual([removed, dropped], [[lost], [lost]]);
    watches.clientGone('c1');
    assert.deepEqual(removed, [lost, kept]);
  });

  it('are counted for each client on its own, once each, also while they are opened', async () => {
    for (let n = 0; n < 49; n += 1) await open(one);
    await open(two);
    const answers = await Promise.allSettled([open(one), open(one)]);
    assert.deepEqual(
      answers.map((it) => it.status),
      ['fulfilled', 'rejected'],
    );
    const [first] = answers;
    watches.releaseUnused((first as PromiseFulfilledResult<string>).value);
    await open(one);
    await assert.rejects(open(one), { code: 'invalid_params' });
  });

  it("report under the name that was asked for, and nothing of the host's own files", async () => {
    await open(one, 'link');
    writeFileSync(join(root, 'real', 'host.db'), '');
    writeFileSync(join(root, 'real', 'a'), '');
    await until('the change is reported', () => told.includes('added link/a'));
    assert.deepEqual(told, ['added link/a']);
  });

  it('report nothing once they ended', async () => {
    const [ended, other] = [await open(one, 'link'), await open(two)];
    watches.releaseUnused(ended);
    writeFileSync(join(root, 'real', 'a'), '');
    await until('the change is reported', () => told.length > 0);
    assert.deepEqual(told, ['added real/a']);
    assert.deepEqual([removed.includes(ended), removed.includes(other)], [true, false]);
  });
});
