import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { cutAll, type Traced, traceAll } from '../support/power/cuts.ts';
import type { LeftOut } from '../support/power/disk.ts';
import { promises, type WorkName, worksOf } from '../support/power/works.ts';

const CUTS = Number(process.env['SWITCHBOARD_CUTS'] ?? 200);

describe('a power cut', () => {
  let root = '';
  let traced: ReadonlyMap<string, Traced>;
  before(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-power-')));
    traced = await traceAll(root, worksOf(10, 120));
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  for (const [name, says] of promises)
    it(`takes ${says}, ${CUTS} times`, async () => {
      assert.deepEqual(await cutAll(root, traced.get(name)!, CUTS), []);
    });

  const missing: readonly [string, WorkName, LeftOut][] = [
    ['the log of the database at a commit', 'full', (path) => path === 'host.db-wal'],
    ['the log of the database after a while', 'normal', (path) => path === 'host.db-wal'],
    ['the database at a checkpoint', 'full', (path) => path === 'host.db'],
    ['the folder of the database', 'normal', (path) => path === ''],
    ['a stored content', 'normal', (path) => /^content\/..\/\./.test(path)],
    ['the folder of a stored content', 'full', (path) => /^content\/..$/.test(path)],
    ["the log of the gateway's database", 'gateway', (path) => path === 'gateway.db-wal'],
  ];
  for (const [what, name, leftOut] of missing) {
    it(`is found to do harm where ${what} is not synced (${name})`, async () => {
      const problems = await cutAll(root, traced.get(name)!, Math.min(CUTS, 60), leftOut);
      assert.notEqual(problems.length, 0);
    });
  }
});
