import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { CommandContext } from '../../../../../../sidecar/launch/gatewayCommands/command.ts';
import { readCommand } from '../../../../../../sidecar/launch/gatewayCommands/readCommand.ts';
import { scimTokenCreate, scimTokenRevoke } from '../../../../../../sidecar/launch/gatewayCommands/remote/scimToken.ts';
import { systemMachine } from '../../../../../../sidecar/platform/runtime.ts';
import { verifies } from '../../../../../support/verifies.ts';

const TOKEN = 'scim-made-by-the-gateway';
const answers: Readonly<Record<string, object>> = {
  '/scim/token/new': { token_id: 't1', name: 'okta', created_at: 'x', updated_at: 'x', token: TOKEN },
  '/scim/token/delete': { deleted_token: 't1' },
};

describe('gateway scim-token', () => {
  let gateway: Server;
  let heard: readonly [path: string, body: unknown] | undefined;
  beforeEach(async () => {
    gateway = createServer((request, response) => {
      const { url = '' } = request;
      void text(request).then((body) => {
        heard = [url, JSON.parse(body)];
        response.writeHead(200, { connection: 'close' }).end(JSON.stringify(answers[url]));
      });
    });
    await once(gateway.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => void gateway.close());

  function run(command: typeof scimTokenCreate, ...words: readonly string[]) {
    const { port } = gateway.address() as AddressInfo;
    const asked = readCommand(['scim-token', ...words, '--url', `http://127.0.0.1:${port}`]);
    assert.ok(!('help' in asked));
    const context = { ...systemMachine, process: { env: { SWITCHBOARD_ADMIN_KEY: 'sk-admin' } } };
    return command(asked, context as unknown as CommandContext);
  }

  it('create prints the token, and with --json also its ID', async () => {
    verifies('gateway.command.commands');
    const data = { token: TOKEN, token_id: 't1', name: 'okta' };
    assert.deepEqual(await run(scimTokenCreate, 'create', 'okta'), { text: `${TOKEN}\n`, data });
    assert.deepEqual(heard, ['/scim/token/new', { name: 'okta' }]);
  });

  it('create writes the token to a file, and then prints nothing of it', async () => {
    verifies('gateway.command.no-secrets');
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-scim-'));
    const out = join(folder, 'token');
    const result = await run(scimTokenCreate, 'create', 'okta', '--out', out);
    assert.equal(readFileSync(out, 'utf8'), `${TOKEN}\n`);
    assert.deepEqual(result.data, { token_file: out, token_id: 't1', name: 'okta' });
    assert.equal(result.text.includes(TOKEN), false);
    rmSync(folder, { recursive: true });
  });

  it('revoke ends the token with this ID', async () => {
    verifies('gateway.command.commands');
    const { text: words, data } = await run(scimTokenRevoke, 'revoke', 't1');
    assert.deepEqual([words, data], ['Revoked the SCIM token "t1".\n', { token_id: 't1' }]);
    assert.deepEqual(heard, ['/scim/token/delete', { token_id: 't1' }]);
  });
});
