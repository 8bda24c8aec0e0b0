import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { toLine } from '../../../../../sidecar/launch/attach/preamble.ts';
import type { Host } from '../../../../../sidecar/launch/host/hostContract.ts';
import { HostServer, type HostServerDeps } from '../../../../../sidecar/launch/host/hostServer.ts';
import type { ListenOptions } from '../../../../../sidecar/launch/serve/listenLine.ts';
import { systemClock } from '../../../../../sidecar/platform/clock.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { defaultLimits } from '../../../../../sidecar/protocol/limits.ts';
import { PROTOCOL_VERSION } from '../../../../../sidecar/protocol/version.ts';
import { testWindow } from '../../../../support/host/hostPlace.ts';
import { keepingLog } from '../../../../support/testLog.ts';
import { until } from '../../../../support/until.ts';
import { verifies } from '../../../../support/verifies.ts';

const build = { version: '1.0.0', builtAtMs: 1 };
const ACCEPTED = 'net.server.socket';

describe('the socket of a host', () => {
  let folder: string;
  let server: HostServer;
  /** The host's end of each connection. */
  const accepted: Socket[] = [];
  const noted = (message: unknown) => void accepted.push((message as { socket: Socket }).socket);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-socket-'));
    subscribe(ACCEPTED, noted);
  });
  afterEach(() => {
    unsubscribe(ACCEPTED, noted);
    server.stopListening();
    server.closeAll();
    accepted.splice(0);
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(more: Partial<HostServerDeps>): Promise<string> {
    server = new HostServer({
      host: { isBusy: () => false } as Partial<Host> as Host,
      build,
      dataDir: folder,
      clock: systemClock,
      timers: systemTimers,
      log: keepingLog().log,
      pid: 1,
      startedAt: '2026-01-01T00:00:00.000Z',
      isLeaving: () => false,
      makeRoom: () => undefined,
      newerBuildWaiting: () => false,
      stop: () => undefined,
      changed: () => undefined,
      ...more,
    });
    const path = join(folder, 'host.sock');
    await server.listen(path);
    server.serve();
    return path;
  }

  it('listens for nobody any more when the process that asked for it left meanwhile', async () => {
    verifies('host.served.direct');
    let changes = 0;
    const timers = {
      ...systemTimers,
      every(...it: Parameters<typeof systemTimers.every>) {
        accepted[0]?.destroy();
        return systemTimers.every(...it);
      },
    };
    const client = connect(await open({ timers, changed: () => void (changes += 1) }));
    client.on('error', () => undefined);
    const options: ListenOptions = {
      host: '127.0.0.1',
      port: 0,
      tokenHash: '0'.repeat(64),
      allowedHosts: [],
      allowedOrigins: [],
      connections: 1,
      messagesPerSecond: 1,
      limits: defaultLimits,
      window: testWindow,
    };
    client.write(toLine({ switchboard: 'listen', build, protocol: PROTOCOL_VERSION }) + toLine(options));
    await once(client.resume(), 'close');
    await until('the host listened and does no more', () => changes === 2);
    assert.equal(server.isUnused, true);
  });

  for (const leaves of [false, true]) {
    it(`counts a client ${leaves ? 'that left while it was answered as gone' : 'that stays as attached'}`, async () => {
      const served: unknown[] = [];
      const host: Partial<Host> = {
        isBusy: () => {
          if (leaves) accepted.at(-1)?.destroy();
          return false;
        },
        attach: (stream) => void served.push(stream),
      };
      let changes = 0;
      const path = await open({ host: host as Host, changed: () => void (changes += 1) });
      const client = connect(path);
      client.on('error', () => undefined);
      await once(client, 'connect');
      client.write(toLine({ switchboard: 'attach', build, protocol: PROTOCOL_VERSION }));
      if (leaves) await once(client.resume(), 'close');
      else await once(client, 'data');
      const expected = leaves ? 0 : 1;
      assert.deepEqual([server.isUnused, served.length], [leaves, expected]);
      if (leaves) return;
      client.destroy();
      while (!server.isUnused) await new Promise((resolve) => void setImmediate(resolve));
      assert.equal(changes, 2);
    });
  }
});
