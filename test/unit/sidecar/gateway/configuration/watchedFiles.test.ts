import assert from 'node:assert/strict';
import {
  type FSWatcher,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  watch as watchFolder,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { versionOf } from '../../../../../sidecar/gateway/configuration/fileVersion.ts';
import {
  ConfigWatch,
  type Reloaded,
  type WatchDeps,
} from '../../../../../sidecar/gateway/configuration/watchConfig.ts';
import { later } from '../../../../support/later.ts';
import { stillTimers } from '../../../../support/manualTimers.ts';
import { until } from '../../../../support/until.ts';

describe('the files of a configuration', () => {
  let folder: string;
  let imported: string;
  let file: string;
  let watch: ConfigWatch;
  let own: FSWatcher[];
  /** Readings that wait for quiet, and how many were asked for in all. */
  let waiting: Set<() => void>;
  let asked: number;
  let outcomes: Reloaded[];
  let apply: WatchDeps['apply'];
  /** Lets the time pass after which the files are compared. */
  let compare: () => void;
  /** Versions that were asked for, and files whose version cannot be found out. */
  let looked: number;
  let unreachable: Set<string>;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-watched-'));
    imported = join(folder, 'imported');
    mkdirSync(imported);
    file = join(folder, 'switchboard.jsonc');
    [own, waiting, asked, outcomes, looked, unreachable] = [[], new Set(), 0, [], 0, new Set()];
    apply = async () => ({ changes: [] });
    const after = (_ms: number, work: () => void) => {
      asked += 1;
      waiting.add(work);
      return () => void waiting.delete(work);
    };
    const every = (_ms: number, work: () => void) => {
      compare = work;
      return () => void (compare = () => undefined);
    };
    watch = new ConfigWatch({
      file,
      apply: (...args) => apply(...args),
      reloaded: (outcome) => void outcomes.push(outcome),
      timers: { ...stillTimers, after, every },
      versionOf: async (it) => {
        const version = unreachable.has(it) ? undefined : await versionOf(it);
        looked += 1;
        return version;
      },
    });
    config();
  });
  afterEach(async () => {
    for (const it of own) it.close();
    await watch.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const config = (...files: string[]) => writeFileSync(file, JSON.stringify({ import: files }));
  const servers = (name: string, at = imported) => writeFileSync(join(at, name), '{ "servers": {} }');
  /** Until whoever watches the folder heard of the change, in whichever order they were asked. */
  const written = async (at: string, name: string) => {
    const heard = new Set<string>();
    const watcher = watchFolder(at, (_, it) => void heard.add(it ?? ''));
    own.push(watcher);
    servers(name, at);
    servers(`${name}.after`, at);
    await until('the change was noticed', () => heard.has(name) && heard.has(`${name}.after`));
    await new Promise((resolve) => void setImmediate(resolve));
    watcher.close();
  };
  /** What became quiet is read. */
  const read = async () => {
    const works = [...waiting];
    waiting.clear();
    const before = outcomes.length;
    for (const it of works) it();
    await until('it was read', () => outcomes.length === before + works.length);
  };
  const isNoticed = async (at: string, name: string) => {
    const before = asked;
    await written(at, name);
    return asked > before;
  };

  /** Compares that many files. @returns whether that asked for a reading */
  const asksAfterComparing = async (files: number) => {
    const before = { asked, looked };
    compare();
    await until('they were compared', () => looked === before.looked + files);
    await new Promise((resolve) => void setImmediate(resolve));
    return asked > before.asked;
  };

  it('are read once for several changes that come together, after the last of them', async () => {
    await watch.start();
    for (let n = 0; n < 3; n += 1) {
      const before = asked;
      config(`missing-${n}`);
      await until('the change was noticed', () => asked > before);
    }
    assert.equal(waiting.size, 1);
    await read();
    assert.deepEqual(
      outcomes.map((it) => it.kind),
      ['applied'],
    );
  });

  it('are all watched, wherever they are, and no other file beside them is', async () => {
    servers('a.json');
    servers('b.json', folder);
    config('imported/a.json', 'b.json');
    await watch.start();
    assert.equal(await isNoticed(imported, 'a.json'), true);
    assert.equal(await isNoticed(folder, 'b.json'), true);
    assert.equal(await isNoticed(imported, 'other.json'), false);
    assert.equal(await isNoticed(folder, 'other.json'), false);
    const before = asked;
    config('b.json');
    await until('the change was noticed', () => asked > before);
  });

  it('that are mounted change with a link whose name begins with two dots', async () => {
    await watch.start();
    assert.equal(await isNoticed(folder, '..data'), true);
  });

  it('are watched from the reading on that names them, and no longer than the readings do', async () => {
    for (const it of ['a.json', 'b.json']) servers(it);
    config('imported/a.json');
    await watch.start();
    assert.equal(await isNoticed(imported, 'b.json'), false);
    const step = async (...files: string[]) => {
      config(...files);
      await watch.reload();
      waiting.clear();
    };
    await step('imported/b.json');
    assert.deepEqual([await isNoticed(imported, 'b.json'), await isNoticed(imported, 'a.json')], [true, false]);
    await step();
    assert.deepEqual([await isNoticed(imported, 'b.json'), await isNoticed(imported, '..data')], [false, false]);
    await step('imported/b.json');
    assert.equal(await isNoticed(imported, 'b.json'), true);
  });

  it('in a folder that was replaced are found by the comparison, and watched from then on', async () => {
    servers('a.json');
    config('imported/a.json');
    await watch.start();
    renameSync(imported, join(folder, 'before'));
    mkdirSync(imported);
    writeFileSync(join(imported, 'a.json'), '{ "servers": { } }');
    compare();
    await until('the change was noticed', () => asked > 0);
    await read();
    assert.deepEqual([outcomes.at(-1)?.kind, await asksAfterComparing(2)], ['applied', false]);
    assert.equal(await isNoticed(imported, 'a.json'), true);
  });

  it('in a folder that is created later are found by the comparison, and watched from then on', async () => {
    const late = join(folder, 'late');
    config('late/a.json');
    await watch.start();
    mkdirSync(late);
    servers('a.json', late);
    compare();
    await until('the change was noticed', () => asked > 0);
    await read();
    assert.equal(await isNoticed(late, 'a.json'), true);
  });

  it('that are the same as before are not read again after the comparison', async () => {
    servers('a.json');
    config('imported/a.json', 'missing');
    await watch.start();
    assert.equal(await asksAfterComparing(3), false);
  });

  it('that cannot be reached for a moment are not read again', async () => {
    servers('a.json');
    config('imported/a.json');
    await watch.start();
    unreachable.add(join(imported, 'a.json'));
    assert.equal(await asksAfterComparing(2), false);
    unreachable.clear();
    assert.equal(await asksAfterComparing(2), false);
  });

  it('are not read after the end if a comparison was under way', async () => {
    config('missing');
    await watch.start();
    const before = asked;
    rmSync(file);
    compare();
    await watch.close();
    await until('they were compared', () => looked >= 4);
    await new Promise((resolve) => void setImmediate(resolve));
    assert.equal(asked, before);
  });

  it('that ask for what cannot be are read, and what was applied before is kept', async () => {
    await watch.start();
    const findings = [{ path: 'mcp_servers.a', message: 'is wrong' }] as never;
    apply = async () => ({ findings });
    await watch.reload();
    apply = () => Promise.reject(new Error('the database is away'));
    await watch.reload();
    assert.deepEqual(
      outcomes.map((it) => ({ ...it, ...('thrown' in it && { thrown: String(it.thrown) }) })),
      [
        { kind: 'kept', problems: findings },
        { kind: 'failed', thrown: 'Error: the database is away' },
      ],
    );
    apply = async () => ({ changes: [1, 2] });
    await watch.reload();
    const last = outcomes.at(-1);
    assert.deepEqual([last?.kind, last?.kind === 'applied' && last.changes], ['applied', 2]);
  });

  it('are not looked at after the end, which waits for the reading that runs', async () => {
    await watch.start();
    const before = asked;
    config('imported/a.json');
    await until('the change was noticed', () => asked > before);
    const [begun, held] = [later<void>(), later<void>()];
    apply = async () => {
      begun.resolve();
      await held.promise;
      return { changes: [] };
    };
    const reading = watch.reload();
    await begun.promise;
    let isClosed = false;
    const closed = watch.close().then(() => {
      isClosed = true;
    });
    assert.equal(waiting.size, 0);
    await new Promise((resolve) => void setImmediate(resolve));
    assert.equal(isClosed, false);
    held.resolve();
    await Promise.all([reading, closed]);
    const readings = outcomes.length;
    assert.equal(await isNoticed(folder, '..data'), false);
    await watch.reload();
    assert.equal(outcomes.length, readings);
  });

  it('that a reading names while the end comes are not watched', async () => {
    servers('a.json');
    config('imported/a.json');
    const starting = watch.start();
    const closed = watch.close();
    await Promise.all([starting, closed]);
    assert.equal(await isNoticed(imported, '..data'), false);
  });
});
