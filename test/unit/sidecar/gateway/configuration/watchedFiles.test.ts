import assert from 'node:assert/strict';
import { type FSWatcher, mkdirSync, mkdtempSync, rmSync, watch as watchFolder, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
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

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-watched-'));
    imported = join(folder, 'imported');
    mkdirSync(imported);
    file = join(folder, 'switchboard.jsonc');
    [own, waiting, asked, outcomes] = [[], new Set(), 0, []];
    apply = async () => ({ changes: [] });
    const after = (_ms: number, work: () => void) => {
      asked += 1;
      waiting.add(work);
      return () => void waiting.delete(work);
    };
    watch = new ConfigWatch({
      file,
      apply: (...args) => apply(...args),
      reloaded: (outcome) => void outcomes.push(outcome),
      timers: { ...stillTimers, after },
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
