import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { loadConfig } from '../../../../../sidecar/gateway/configuration/loadConfig.ts';
import { ConfigWatch, type Reloaded } from '../../../../../sidecar/gateway/configuration/watchConfig.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import type { GatewayConfig } from '../../../../../sidecar/protocol/gateway/config.ts';
import { stillTimers } from '../../../../support/manualTimers.ts';
import { until } from '../../../../support/until.ts';

describe('ConfigWatch', () => {
  let folder = '';
  let file = '';
  let watch: ConfigWatch;
  let applied: GatewayConfig[] = [];
  let heard: ((outcome: Reloaded) => void)[] = [];
  const next = () => new Promise<Reloaded>((resolve) => void heard.push(resolve));
  const servers = (name: string) => JSON.stringify({ mcp_servers: { [name]: { url: 'https://a.example.com' } } });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-watch-'));
    file = join(folder, 'switchboard.jsonc');
    applied = [];
    heard = [];
    writeFileSync(file, servers('a'));
    watch = new ConfigWatch({
      file,
      apply: (config) => {
        applied.push(config);
        return Promise.resolve({ changes: [] });
      },
      reloaded: (outcome) => {
        for (const it of heard.splice(0)) it(outcome);
      },
      timers: { ...systemTimers, after: (delayMs, work) => systemTimers.after(delayMs / 10, work) },
    });
  });
  afterEach(async () => {
    await watch.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const names = () => applied.map((it) => Object.keys(it.mcp_servers).join());

  it('applies the file at the start and again when it was replaced', async () => {
    assert.equal((await watch.start()).kind, 'applied');
    const changed = next();
    writeFileSync(`${file}.new`, servers('b'));
    renameSync(`${file}.new`, file);
    assert.equal((await changed).kind, 'applied');
    assert.deepEqual(names(), ['a', 'b']);
  });

  it('applies an earlier reading unless the file has changed since', async () => {
    const before = await loadConfig(file);
    const config = 'config' in before.result ? before.result.config : undefined;
    assert.equal((await watch.start(before)).kind, 'applied');
    assert.ok(config && applied[0] === config, 'an unchanged file was read again');
    await watch.close();
    writeFileSync(file, servers('b'));
    assert.equal((await watch.start(before)).kind, 'applied');
    assert.deepEqual(names(), ['a', 'b']);
  });

  it('reads once after the other: what is newer on the disk is applied last', async () => {
    const waiting: (() => void)[] = [];
    let [running, most] = [0, 0];
    const slow = new ConfigWatch({
      /** A reading begins by looking where the file is. */
      get file() {
        running += 1;
        most = Math.max(most, running);
        return file;
      },
      apply: async (config) => {
        if (applied.length > 0) await new Promise<void>((resolve) => void waiting.push(resolve));
        applied.push(config);
        running -= 1;
        return { changes: [] };
      },
      reloaded: () => undefined,
      timers: stillTimers,
    });
    await slow.start();
    [running, most] = [0, 0];
    writeFileSync(file, servers('older'));
    const first = slow.reload();
    await until('it is being applied', () => waiting.length === 1);
    writeFileSync(file, servers('newer'));
    const others = [slow.reload(), slow.reload()];
    const all = Promise.all([first, ...others]).then(() => true);
    while (!(await Promise.race([all, Promise.resolve(false)]))) {
      // The last that came is let go first.
      waiting.pop()?.();
      await new Promise((resolve) => void setImmediate(resolve));
    }
    await slow.close();
    assert.deepEqual([names().at(-1), most], ['newer', 1]);
  });

  it('keeps what was applied when the file is wrong, and says what is wrong with it', async () => {
    await watch.start();
    writeFileSync(file, '{ "mcp_servers": 1 }');
    const outcome = next();
    await watch.reload();
    const kept = await outcome;
    assert.ok(kept.kind === 'kept');
    assert.equal(kept.problems[0]?.message, 'must be an object { }');
    assert.deepEqual(names(), ['a']);
  });

  it('begins to watch although there is no file yet', async () => {
    rmSync(file);
    const first = await watch.start();
    assert.ok(first.kind === 'kept');
    assert.match(first.problems[0]?.message ?? '', /it does not exist/);
    const made = next();
    writeFileSync(file, servers('late'));
    assert.equal((await made).kind, 'applied');
    assert.deepEqual(names(), ['late']);
  });

  it('adds the servers of imported files, where the own ones win, and watches those files too', async () => {
    mkdirSync(join(folder, '.vscode'));
    const imported = join(folder, '.vscode', 'mcp.json');
    const write = (description: string) =>
      writeFileSync(
        imported,
        JSON.stringify({
          servers: { a: { url: 'https://other.example.com' }, b: { url: 'https://b.example.com', description } },
        }),
      );
    write('first');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(servers('a')), import: ['.vscode/mcp.json', 'missing.json'] }));
    const outcome = await watch.start();
    assert.ok(outcome.kind === 'applied');
    assert.deepEqual(outcome.loaded.notes, [{ file: 'missing.json', path: '', message: 'skipped: it does not exist' }]);
    assert.equal(outcome.config.mcp_servers['a']?.url, 'https://a.example.com');
    const changed = next();
    write('second');
    const again = await changed;
    assert.ok(again.kind === 'applied');
    assert.equal(again.config.mcp_servers['b']?.description, 'second');
  });

  it('lets no imported file run programs', async () => {
    writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ servers: { p: { command: 'sh', args: [] } } }));
    writeFileSync(file, '{ "import": ["mcp.json"] }');
    const outcome = await watch.start();
    assert.ok(outcome.kind === 'applied');
    assert.equal(outcome.config.mcp_servers['p']?.command, 'sh');
    assert.deepEqual(outcome.config.stdio.allowed_commands, []);
  });
});
