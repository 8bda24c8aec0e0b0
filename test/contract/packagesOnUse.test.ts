import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { linesOnly, nodeModules, packages, packagesOnUse } from '../../packagesOnUse.ts';
import { printed } from '../support/files/bundled.ts';

const plugins = [nodeModules, packagesOnUse];
/** Whether Node has loaded one of its own modules. */
const isLoaded = 'const isLoaded = (name) => process.moduleLoadList.includes("NativeModule " + name);';
const print = (value: string) => `process.stdout.write(JSON.stringify(${value}));`;

describe('packages that are evaluated on first use', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-packages-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const name of [...packages, 'node:util'])
    it(`export from ${name} what it exports without the change`, async () => {
      const program = `import * as it from '${name}';
        ${print('Object.keys(it).sort().map((name) => [name, typeof it[name]])')}`;
      const plain = await printed(folder, 'plain', program, []);
      const changed = new Map((await printed(folder, 'on-use', program, plugins)) as [string, string][]);
      assert.ok((plain as []).length > 3);
      for (const [exported, type] of plain as [string, string][]) {
        // Only the facade that Node makes of a module has these.
        if (exported === 'default' || exported === 'module.exports') continue;
        assert.equal(changed.get(exported), type, exported);
      }
    });

  it('do not evaluate undici before one of its exports is read', async () => {
    const program = `import { Agent } from 'undici';
      ${isLoaded}
      const before = isLoaded('http2');
      new Agent();
      ${print("[before, isLoaded('http2')]")}`;
    assert.deepEqual(await printed(folder, 'undici', program, plugins), [false, true]);
  });

  it('do not load what an export of util needs if no module imports that export', async () => {
    const isDiffLoaded = print("isLoaded('internal/util/diff')");
    const all = `import * as it from 'node:util'; ${isLoaded} Object.values({ ...it }); ${isDiffLoaded}`;
    assert.equal(await printed(folder, 'all', all, plugins), true);
    const one = `import { inspect } from 'node:util'; ${isLoaded} inspect({}); ${isDiffLoaded}`;
    assert.equal(await printed(folder, 'one', one, plugins), false);
  });

  it('do not load Node’s HTTP before one of its exports is read', async () => {
    const program = `import { Agent } from 'node:http';
      ${isLoaded}
      const before = isLoaded('_http_agent');
      const agents = [new Agent(), new Agent()].map((it) => it.constructor === Agent);
      ${print("[before, isLoaded('_http_agent'), isLoaded('internal/deps/undici/undici'), ...agents]")}`;
    assert.deepEqual(await printed(folder, 'http', program, plugins), [false, true, false, true, true]);
  });

  it('write the same lines of a log without what the log does not use', async () => {
    const program = `import { pino } from 'pino';
      const lines = [];
      const log = pino({ level: 'debug', base: null, timestamp: () => ',"time":1' }, { write: (it) => lines.push(it) });
      const thrown = new Error('it broke');
      thrown.stack = 'here';
      log.info({ id: 'a', at: [1, { b: undefined }], big: 1n }, 'one %s', 'b');
      log.error({ err: thrown, req: { method: 'GET' } }, 'two');
      log.child({ part: 'c' }).debug('three');
      log.trace('too much');
      ${print('lines')}`;
    const plain = await printed(folder, 'lines', program, []);
    assert.equal((plain as []).length, 3);
    assert.deepEqual(await printed(folder, 'lines-only', program, [linesOnly, ...plugins]), plain);
  });

  it('give `require` the module of Node itself', async () => {
    const program = `import { createHash } from 'node:crypto';
      const required = require('crypto');
      ${print("[required.createHash === createHash, required === process.getBuiltinModule('crypto')]")}`;
    assert.deepEqual(await printed(folder, 'required', program, plugins), [true, true]);
  });
});
