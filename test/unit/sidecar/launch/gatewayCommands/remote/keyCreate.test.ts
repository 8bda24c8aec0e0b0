import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { CommandContext } from '../../../../../../sidecar/launch/gatewayCommands/command.ts';
import { readCommand } from '../../../../../../sidecar/launch/gatewayCommands/readCommand.ts';
import { keyCreate } from '../../../../../../sidecar/launch/gatewayCommands/remote/keyCreate.ts';
import { systemMachine } from '../../../../../../sidecar/platform/runtime.ts';
import { verifies } from '../../../../../support/verifies.ts';

const KEY = 'sk-made-by-the-gateway';

describe('gateway key create', () => {
  let folder: string;
  let out: string;
  let gateway: Server;
  let asked: number;
  let status: number;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-key-'));
    out = join(folder, 'key');
    asked = 0;
    status = 200;
    gateway = createServer((_request, response) => {
      asked += 1;
      const body = status === 200 ? { key: KEY, token: 'hash' } : { error: { message: 'This key cannot do this.' } };
      response.writeHead(status, { connection: 'close' }).end(JSON.stringify(body));
    });
    await once(gateway.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    gateway.close();
    rmSync(folder, { recursive: true });
  });

  function run() {
    const { port } = gateway.address() as AddressInfo;
    const command = readCommand(['key', 'create', '--out', out, '--url', `http://127.0.0.1:${port}`]);
    assert.ok(!('help' in command));
    const context = { ...systemMachine, process: { env: { SWITCHBOARD_ADMIN_KEY: 'sk-admin' } } };
    return keyCreate(command, context as unknown as CommandContext);
  }

  it('writes the key to a file that only its owner can read, and prints nothing of it', async () => {
    verifies('gateway.command.no-secrets');
    const result = await run();
    assert.equal(readFileSync(out, 'utf8'), `${KEY}\n`);
    if (process.platform !== 'win32') assert.equal(statSync(out).mode & 0o777, 0o600);
    assert.equal(JSON.stringify(result).includes(KEY), false);
  });

  it('creates no key if its file already exists or cannot be written, because nobody could read the key again', async () => {
    verifies('gateway.command.commands');
    writeFileSync(out, 'another key\n');
    await assert.rejects(run(), { exitCode: 73, message: `${out} cannot be written: it already exists.` });
    assert.equal(readFileSync(out, 'utf8'), 'another key\n');
    out = join(folder, 'nowhere', 'key');
    await assert.rejects(run(), { exitCode: 73 });
    assert.equal(asked, 0);
  });

  it('leaves no file if the gateway refuses', async () => {
    verifies('gateway.command.commands');
    status = 403;
    await assert.rejects(run(), { exitCode: 77, message: /This key cannot do this\.$/ });
    assert.equal(existsSync(out), false);
  });
});
