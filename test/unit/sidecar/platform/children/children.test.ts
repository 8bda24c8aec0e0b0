import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, afterEach, before, describe, it } from 'mocha';
import { type Children, openChildren, type SpawnRequest } from '../../../../../sidecar/platform/children/children.ts';
import { findCommand } from '../../../../../sidecar/platform/children/findCommand.ts';
import { letGo, programStarter, taskkill } from '../../../../../sidecar/platform/children/leash.ts';
import { rowFromPs } from '../../../../../sidecar/platform/children/processTable.ts';
import { readRegistry, sweepChildren } from '../../../../../sidecar/platform/children/registry.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { until } from '../../../../support/until.ts';
import { verifies } from '../../../../support/verifies.ts';

/** A child that starts a second one in its group, and a third that leaves it. Prints the three ids. */
const family = `
setsid sh -c 'echo $$; exec sleep 300' & sleep 0.1
sh -c 'echo $$; exec sleep 300' &
echo $$; trap '' TERM; while :; do sleep 300; done`;
const host = new URL('./hostThatIsKilled.ts', import.meta.url);

describe('children', () => {
  let root: string;
  let registry: string;
  let children: Children;
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'switchboard-children-'));
    registry = join(root, 'data', 'children.json');
    children = openChildren(registry, () => '2026-01-01T00:00:00Z');
  });
  afterEach(() => children.stopAll());
  after(() => rmSync(root, { recursive: true, force: true }));
  const sh = (script: string, more: Partial<SpawnRequest> = {}) =>
    children.spawn({
      command: '/bin/sh',
      args: ['-c', script],
      env: { PATH: process.env['PATH'] ?? '' },
      role: 'tool',
      title: 'a script',
      session: 's1',
      ...more,
    });

  it('have all their output when they are said to have ended', async () => {
    const child = await sh('head -c 300000 /dev/zero; echo oops >&2; exit 3');
    let bytes = 0;
    child.stdout.on('data', (data: Buffer) => (bytes += data.length));
    assert.deepEqual([await child.exited, bytes, child.stderrTail()], [{ code: 3, signal: null }, 300_000, 'oops\n']);
  });

  it('that ended are not stopped by their ID, which another process may have by then', async () => {
    const child = await sh('exit 0');
    await child.exited;
    const { kill } = process;
    const killed: number[] = [];
    process.kill = (pid) => {
      killed.push(pid);
      return true;
    };
    try {
      await child.stop();
    } finally {
      process.kill = kill;
    }
    assert.deepEqual(killed, []);
  });

  it('have no escape sequences in the words that they wrote last', async () => {
    const child = await sh("printf '\\033[91moops\\033[0m' >&2");
    await child.exited;
    assert.equal(child.stderrTail(), 'oops');
  });

  it('end with a Fault when they cannot be started', async () => {
    await assert.rejects(
      sh('true', { cwd: join(root, 'nowhere') }),
      (thrown) => thrown instanceof Fault && thrown.code === 'unavailable',
    );
  });

  for (const platform of ['linux', 'win32'] as const) {
    it(`tell whoever listens after the start on ${platform} that they run`, async () => {
      const start = await programStarter(platform);
      const env = { PATH: process.env['PATH'] ?? '' };
      const child = start({ command: '/bin/sh', args: ['-c', 'exit 4'], env, leashId: 'l1', stderr: 'separate' });
      await once(child, 'spawn');
      assert.deepEqual(await once(child, 'exit'), [4, null]);
      letGo(child);
    });
  }

  it('are listed with their memory while they run, and stand in the registry', async () => {
    const child = await sh('echo $$; sleep 300');
    await idsFrom(child.stdout, 1);
    const [entry] = children.list();
    assert.deepEqual(
      [entry?.title, entry?.session, entry?.role, (entry?.memoryBytes ?? 0) > 10_000],
      ['a script', 's1', 'tool', true],
    );
    assert.equal(readRegistry(registry)[0]?.pid, entry?.pid);
    await children.stopAll();
    assert.deepEqual([children.list(), readRegistry(registry)], [[], []]);
  });

  it('end with all they started, those that left the group included, when they are stopped', async () => {
    const child = await sh(family);
    const ids = await idsFrom(child.stdout);
    await child.stop(100);
    await allGone(ids);
  });

  it('end with one that has an environment and a session of its own, and with what that started', async () => {
    verifies('host.process.own-session');
    const child = await sh(`env -i setsid sh -c 'echo $$; sh -c "echo \\$\\$; exec sleep 300" & wait' & echo $$; wait`);
    const ids = await idsFrom(child.stdout);
    await child.stop(100);
    await allGone(ids);
  });

  it('take along what they left in the background when they end by themselves', async () => {
    const child = await sh('sleep 300 >/dev/null & echo $!');
    const ids = await idsFrom(child.stdout, 1);
    await child.exited;
    await allGone(ids);
  });

  it('end after their host was killed', async () => {
    const { process: killed, ids } = await startHost(join(root, 'other.json'));
    killed.kill('SIGKILL');
    await allGone(ids);
  });

  it('are swept by the next host when nothing else ended them', async () => {
    const child = await sh(family);
    const ids = await idsFrom(child.stdout);
    const copy = join(root, 'left-behind.json');
    writeFileSync(copy, readFileSync(registry));
    assert.ok(sweepChildren(copy) >= 2);
    await allGone(ids);
    assert.equal(existsSync(copy), false);
  });

  it('of another are left alone by the sweep: an id that came again, a registry of nonsense', async () => {
    const child = await sh('sleep 300');
    const file = join(root, 'nonsense.json');
    const [own] = readRegistry(registry);
    writeFileSync(
      file,
      JSON.stringify([
        { ...own, startedMark: '1', leashId: '00000000-0000-4000-8000-000000000000' },
        { pid: child.pid },
        7,
      ]),
    );
    assert.equal(sweepChildren(file), 0);
    assert.ok(isAlive(child.pid));
    writeFileSync(file, '[{');
    assert.equal(sweepChildren(file), 0);
    assert.equal(sweepChildren(join(root, 'missing.json')), 0);
  });
});

describe('finding commands', () => {
  it('takes absolute entries of PATH only, and files that may be run', () => {
    const root = mkdtempSync(join(tmpdir(), 'switchboard-find-'));
    try {
      writeFileSync(join(root, 'tool'), '', { mode: 0o755 });
      writeFileSync(join(root, 'text'), '', { mode: 0o644 });
      const env = { PATH: `.:relative:${root}` };
      assert.deepEqual(
        [
          findCommand('tool', env),
          findCommand('text', env),
          findCommand('none', env),
          findCommand('./tool', env),
          findCommand(join(root, 'tool'), {}),
        ],
        [join(root, 'tool'), undefined, undefined, undefined, join(root, 'tool')],
      );
      writeFileSync(join(root, 'shim.CMD'), '');
      assert.equal(findCommand(join(root, 'shim'), { PATHEXT: '.EXE;.CMD' }, 'win32'), join(root, 'shim.CMD'));
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

describe('other systems', () => {
  it('end a tree on Windows with taskkill', () =>
    assert.deepEqual(taskkill(7), ['taskkill', ['/PID', '7', '/T', '/F']]));
  it('are read from ps', () => {
    assert.deepEqual(rowFromPs('  71    70   2048 Fri Nov 20 10:00:00 2026 '), {
      pid: 71,
      pgid: 70,
      memoryBytes: 2_097_152,
      startedMark: 'Fri Nov 20 10:00:00 2026',
    });
    assert.equal(rowFromPs('PID PGID'), undefined);
  });
});

async function startHost(registry: string): Promise<{ process: ChildProcess; ids: readonly number[] }> {
  const started = spawn(process.execPath, [host.pathname, registry, family], { stdio: ['ignore', 'pipe', 'inherit'] });
  return { process: started, ids: await idsFrom(started.stdout!) };
}

async function idsFrom(output: NodeJS.ReadableStream, count = 3): Promise<readonly number[]> {
  const lines = createInterface({ input: output });
  const ids: number[] = [];
  lines.on('line', (line) => ids.push(Number(line)));
  while (ids.length < count) await once(lines, 'line');
  return ids;
}

async function allGone(ids: readonly number[]): Promise<void> {
  await until('all of them are gone', () => !ids.some(isAlive), { seen: () => ids.filter(isAlive) });
}

function isAlive(pid: number): boolean {
  try {
    return !/^\S+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
