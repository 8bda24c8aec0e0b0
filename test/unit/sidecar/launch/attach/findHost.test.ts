import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { findHost } from '../../../../../sidecar/launch/attach/findHost.ts';
import { writeHostFile } from '../../../../../sidecar/launch/attach/hostFile.ts';
import { type RefusalReason, toLine } from '../../../../../sidecar/launch/attach/preamble.ts';
import { dataFiles } from '../../../../../sidecar/launch/dataDir.ts';
import { exitCodes, LaunchFailure } from '../../../../../sidecar/launch/failure.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { until } from '../../../../support/until.ts';

const build = { version: '1.0.0', builtAtMs: 1 };
/** How long a window waits for its host. */
const DEADLINE_MS = 10_000;

/** What a host answers to the first line; 'silent' ends the connection without an answer. */
type Answer = 'ok' | 'silent' | RefusalReason;

describe('the search for the host of a person', () => {
  let folder: string;
  let nowMs: number;
  let servers: Server[];
  /** The delays between two looks. */
  let waited: number[];
  let whileWaiting: () => void | Promise<void>;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-find-'));
    [nowMs, servers, waited, whileWaiting] = [0, [], [], () => {}];
  });
  afterEach(() => {
    for (const it of servers) it.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A host at `name` with an answer for each who comes, the last one for all others. @returns what it was sent */
  async function listen(answers: readonly Answer[], name = 'host.sock'): Promise<Record<string, unknown>[]> {
    const lines: Record<string, unknown>[] = [];
    const server = createServer((socket) => {
      socket.once('data', (line) => {
        const answer = answers[Math.min(lines.length, answers.length - 1)]!;
        lines.push(JSON.parse(line.toString()) as Record<string, unknown>);
        if (answer === 'silent') socket.end();
        else if (answer === 'ok') socket.write(`${toLine({ ok: true, build })}after`);
        else socket.write(toLine({ ok: false, reason: answer, build }));
      });
      socket.on('error', () => {}).on('close', () => {});
    });
    servers.push(server);
    await new Promise<void>((resolve) => void server.listen(join(folder, name), resolve));
    return lines;
  }
  /** A program of a build: it notes that it ran, prints what it is given to print, and ends. */
  function program(name: string, exitCode: number, says = '', more = ''): string {
    const path = join(folder, `${name}.mjs`);
    const note = `appendFileSync(${JSON.stringify(join(folder, 'ran'))}, ${JSON.stringify(`${name} `)} + process.argv.slice(2).join(' ') + '\\n');`;
    writeFileSync(
      path,
      `import { appendFileSync } from 'node:fs';\n${note}\nprocess.stderr.write(${JSON.stringify(says)});\nprocess.exitCode = ${exitCode};\n${more}\n`,
    );
    return path;
  }
  const ran = () =>
    readFileSync(join(folder, 'ran'), 'utf8')
      .trim()
      .split('\n')
      .map((it) => it.split(' ')[0]);
  const find = (more: Partial<Parameters<typeof findHost>[0]> = {}): Promise<Socket> =>
    findHost({
      dataDir: folder,
      socket: join(folder, 'host.sock'),
      execPath: process.execPath,
      entry: join(folder, 'none.mjs'),
      build,
      env: {},
      pid: process.pid,
      uid: process.getuid?.(),
      clock: { now: () => '2026-01-01T00:00:00Z', nowMs: () => nowMs, monotonicMs: () => nowMs } as never,
      timers: {
        ...systemTimers,
        async wait(delayMs) {
          waited.push(delayMs);
          nowMs += delayMs;
          await whileWaiting();
        },
      },
      ...more,
    });
  const failure = async (found: Promise<unknown>) => {
    const thrown = await found.then(
      () => assert.fail('it was found'),
      (it: unknown) => it,
    );
    assert.ok(thrown instanceof LaunchFailure, String(thrown));
    return thrown;
  };
  const reads = async (socket: Socket) => {
    const text = await new Promise((resolve) => void socket.once('data', (it) => resolve(it.toString())));
    socket.destroy();
    return text;
  };

  it('ends with the first host that takes the window; what it sends after its answer is there to be read', async () => {
    const lines = await listen(['ok']);
    const limits = { subscriptions: 3 } as never;
    assert.equal(await reads(await find({ asks: 'listen', limits })), 'after');
    assert.deepEqual(lines, [
      {
        switchboard: 'listen',
        build,
        protocol: lines[0]!['protocol'],
        limits: { subscriptions: 3 },
      },
    ]);
    assert.deepEqual(waited, []);
  });

  for (const first of ['leaving', 'silent'] as const) {
    it(`goes on for a host that is ${first}, at short intervals, and starts none of its own`, async () => {
      const lines = await listen([first, first, 'ok']);
      assert.equal(await reads(await find()), 'after');
      assert.deepEqual([lines.length, waited], [3, [50, 50]]);
    });
  }

  for (const { reason, exitCode, says } of [
    { reason: 'olderBusy', exitCode: exitCodes.versions, says: /older version of Switchboard is still running a turn/ },
    { reason: 'versions', exitCode: exitCodes.versions, says: /newer than the one in this window.*Reload the window/ },
    { reason: 'busy', exitCode: exitCodes.noHost, says: /rejected this window \(busy\)/ },
    { reason: 'malformed', exitCode: exitCodes.noHost, says: /rejected this window \(malformed\)/ },
  ] as const) {
    it(`ends at once where the host refuses the window with ${reason}`, async () => {
      const lines = await listen([reason]);
      const thrown = await failure(find());
      assert.deepEqual([thrown.exitCode, lines.length, waited], [exitCode, 1, []]);
      assert.match(thrown.message, says);
    });
  }

  it('ends when the time is over, with the log to look into', async () => {
    const lines = await listen(['leaving']);
    const thrown = await failure(find());
    assert.deepEqual([thrown.exitCode, nowMs, lines.length], [exitCodes.noHost, DEADLINE_MS, DEADLINE_MS / 50]);
    assert.match(thrown.message, /did not respond within 10 seconds/);
    assert.ok(thrown.message.includes(dataFiles.log(folder)));
  });

  it('finds a host that listens where its file says, also behind a socket at which nobody listens', async () => {
    const lines = await listen(['ok'], 'elsewhere.sock');
    writeHostFile(folder, { pid: process.pid, startedAt: '', socket: join(folder, 'elsewhere.sock'), build });
    (await find()).destroy();
    assert.equal(lines.length, 1);
  });

  it('starts a host where there is none, and looks at once for the one that is ready', async () => {
    const entry = program('own', exitCodes.ok);
    const timers = { ...systemTimers, wait: async () => assert.fail('it waited') };
    const found = find({ entry, timers: { ...timers, after: systemTimers.after } });
    while (!servers.length) {
      await new Promise((resolve) => void setImmediate(resolve));
      if (readsRan()) await listen(['ok']);
    }
    (await found).destroy();
    assert.deepEqual(new Set(ran()), new Set(['own']));
    function readsRan(): boolean {
      try {
        return ran().length > 0;
      } catch {
        return false;
      }
    }
  });

  it('connects as soon as the launcher prints that the host is ready, even in pieces, while the launcher still runs', async () => {
    const lines = await listen(['ok'], 'elsewhere.sock');
    const pidFile = join(folder, 'pid');
    const entry = program(
      'own',
      exitCodes.ok,
      '',
      String.raw`appendFileSync(${JSON.stringify(pidFile)}, String(process.pid));
       process.stdout.write('rea');
       setTimeout(() => process.stdout.write('dy\n'), 50);
       setTimeout(() => {}, 5_000);`,
    );
    const found = find({ entry });
    await until('the launcher runs', () => existsSync(pidFile));
    symlinkSync(join(folder, 'elsewhere.sock'), join(folder, 'host.sock'));
    (await found).destroy();
    // Throws where the process has ended.
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
    assert.deepEqual([lines.length, waited], [1, []]);
  });

  it('waits for the launcher to exit if it prints anything else', async () => {
    const says = String.raw`process.stdout.write('almost ready\n')`;
    const thrown = await failure(
      find({ entry: program('own', exitCodes.badFolder, 'The folder is not yours.\n', says) }),
    );
    assert.deepEqual([thrown.message, ran()], ['The folder is not yours.', ['own']]);
  });

  it('waits longer for a host that another window starts', async () => {
    const entry = program('own', exitCodes.locked);
    whileWaiting = async () => void (await listen(['ok']));
    (await find({ entry })).destroy();
    assert.deepEqual([ran(), waited], [['own'], [200]]);
  });

  it('starts the newest build, and its own where that one does not start', async () => {
    const entry = program('own', exitCodes.locked);
    const newest = program('newest', 1, 'half removed');
    const builds = [{ build: { version: '2.0.0', builtAtMs: 1 }, entry: newest }];
    writeFileSync(dataFiles.builds(folder), JSON.stringify({ builds }));
    whileWaiting = async () => void (await listen(['ok']));
    (await find({ entry })).destroy();
    assert.deepEqual(ran(), ['newest', 'own']);
  });

  it('ends with what its own build printed where that does not start, after one attempt', async () => {
    const thrown = await failure(find({ entry: program('own', exitCodes.badFolder, 'The folder is not yours.\n') }));
    assert.deepEqual([thrown.message, ran(), waited], ['The folder is not yours.', ['own'], []]);
  });
});
