import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { EffectDeps } from '../../../../../sidecar/host/context/effectDeps.ts';
import type { ResourceRequester } from '../../../../../sidecar/host/resources/access.ts';
import { OpenTerminals } from '../../../../../sidecar/host/terminals/openTerminals.ts';
import type { PtyChild } from '../../../../../sidecar/platform/children/pty.ts';
import { later } from '../../../../support/later.ts';
import { stillTimers } from '../../../../support/manualTimers.ts';
import { outcomeOf } from '../../../../support/outcomeOf.ts';
import { until } from '../../../../support/until.ts';

const claim = { kind: 'client', clientId: 'c1' } as const;

describe('a terminal that is made', () => {
  let base: string;
  let channels: Set<string>;
  let programs: { isStopped: boolean }[];
  let terminals: OpenTerminals;
  let refuseChannel: () => void;
  let started: Promise<void>;
  let order: string[];
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-open-terminals-')));
    [channels, programs, refuseChannel, started, order] = [new Set(), [], () => undefined, Promise.resolve(), []];
    const store = {
      has: (channel: string) => channels.has(channel),
      state: () => undefined,
      create(_kind: string, channel: string) {
        refuseChannel();
        channels.add(channel);
      },
      commit: () => undefined,
      remove(channel: string) {
        order.push(`removed while ${programs.filter((it) => !it.isStopped).length} run`);
        channels.delete(channel);
      },
      async settled() {
        await new Promise(setImmediate);
        order.push('written');
        return true;
      },
      whenWritable: async () => undefined,
    };
    const effects = {
      store,
      storage: { sessions: { page: () => [] } },
      newId: () => 'nonce',
      timers: stillTimers,
      dropChannel: (channel: string) => void order.push(`dropped ${channel}`),
    } as unknown as EffectDeps;
    terminals = new OpenTerminals({
      effects,
      dataDir: join(base, 'data'),
      children: { openPty },
      mostOutput: () => 1_000,
      onChanged: () => void order.push('told'),
    });
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  async function openPty(): Promise<PtyChild> {
    const program = { isStopped: false };
    programs.push(program);
    await started;
    return {
      pid: programs.length,
      isPty: true,
      exited: later<number>().promise,
      onData: () => undefined,
      write: () => undefined,
      resize: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
      stop: async () => void (program.isStopped = true),
    };
  }
  const requester = () =>
    ({
      clientId: 'c1',
      name: undefined,
      window: undefined,
      grants: [{ real: base, read: true, write: true }],
      baselines: new Set(),
    }) as unknown as ResourceRequester;
  const context = { clientId: 'c1', trusted: true, isConnected: () => true, isIn: () => false, isRunning: () => false };
  const create = (channel: string) =>
    terminals.create({ channel, claim, cwd: pathToFileURL(base).href }, requester(), context);

  it('leaves no program behind where its channel cannot be made', async () => {
    refuseChannel = () => {
      throw new Error('the disk is full');
    };
    await assert.rejects(create('host-terminal:/one'), /the disk is full/);
    assert.deepEqual([programs, terminals.channels], [[{ isStopped: true }], []]);
    refuseChannel = () => undefined;
    await create('host-terminal:/one');
    assert.deepEqual([programs[1]?.isStopped, terminals.channels], [false, ['host-terminal:/one']]);
  });
  it('counts while its program starts: two of one name are not made, nor one beyond the limit', async () => {
    let start: () => void = () => undefined;
    started = new Promise((resolve) => {
      start = resolve;
    });
    const making = Array.from({ length: 50 }, (_, n) => create(`host-terminal:/${n}`));
    await until('all of them start', () => programs.length === 50);
    assert.equal(await outcomeOf(create('host-terminal:/7')), 'already_exists the terminal already exists');
    assert.equal(await outcomeOf(create('host-terminal:/50')), 'unavailable too many terminals (limit: 50)');
    start();
    await Promise.all(making);
    assert.equal(await outcomeOf(create('host-terminal:/50')), 'unavailable too many terminals (limit: 50)');
    await terminals.remove('host-terminal:/3');
    assert.equal(programs.filter((it) => it.isStopped).length, 1);
    assert.equal(await outcomeOf(create('host-terminal:/50')), 'done');
  });
  it('and removed ends first, then leaves the list, and its channel is dropped once that is written', async () => {
    await create('host-terminal:/one');
    order.length = 0;
    await Promise.all([terminals.remove('host-terminal:/one'), terminals.remove('host-terminal:/one')]);
    assert.deepEqual(order, ['removed while 0 run', 'told', 'written', 'dropped host-terminal:/one']);
    assert.deepEqual(terminals.channels, []);
  });
  it('that could not be started makes room for another one of its name', async () => {
    started = Promise.reject(new Error('no such program'));
    started.catch(() => undefined);
    await assert.rejects(create('host-terminal:/one'), /no such program/);
    started = Promise.resolve();
    assert.equal(await outcomeOf(create('host-terminal:/one')), 'done');
  });
});
