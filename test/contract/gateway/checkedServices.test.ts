import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { gatewayUpkeep } from '../../../sidecar/gateway/editions/upkeep/upkeep.ts';
import { type EchoBackend, startEchoBackend } from '../../support/backends/echoBackend.ts';
import { verifies } from '../../support/verifies.ts';

describe('the check of what a gateway depends on', () => {
  const deadline = (ms: number) => AbortSignal.timeout(ms);
  let folder: string;
  let backend: EchoBackend;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-check-'));
    backend = await startEchoBackend();
  });
  afterEach(async () => {
    await backend.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Each part beside the configuration and the database. */
  async function checked(config: object, env: Readonly<Record<string, string>>, isOffline = false) {
    const file = join(folder, 'switchboard.jsonc');
    writeFileSync(file, JSON.stringify(config));
    const place = { dataDir: folder, database: undefined, secret: undefined };
    const parts = await gatewayUpkeep.check({
      ...place,
      config: file,
      env,
      deadline: isOffline ? undefined : deadline,
    });
    return parts
      .slice(1)
      .flatMap(({ part, state, message }) =>
        /^(?:configuration|database)$/.test(part) ? [] : `${part}: ${state}: ${message}`,
      );
  }

  it('reads the keys of identity providers, and names what is wrong with them', async () => {
    verifies('gateway.upkeep.check');
    const issuer = backend.url;
    const set = { keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'one' }] };
    const pages: Record<string, object> = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
      '/keys': set,
      '/none': { keys: [{ kty: 'oct', k: 'AQAB' }] },
    };
    backend.answer = ({ path }, response) =>
      void response.writeHead(pages[path] ? 200 : 404).end(JSON.stringify(pages[path]));
    const open = { allow_private_network: true };
    const sign_in = { issuer, client_id: 'gateway', allow: { everyone: true } };
    const other = `${issuer}/other`;
    const closed = { issuer: other, audience: 'gateway', jwks_uri: `${issuer}/keys` };
    const found = await checked(
      {
        sign_in: { ...sign_in, ...open },
        jwt: [
          { issuer, audience: 'gateway', jwks_uri: `${issuer}/none`, ...open },
          { ...closed, issuer: `${other}2`, jwks_uri: undefined, ...open },
          closed,
        ],
      },
      {},
    );
    assert.deepEqual(found.slice(0, 3), [
      `sign_in: ok: The discovery document and the keys of ${issuer} can be read. Number of keys: 1.`,
      `jwt ${issuer}: failed: The key set has no key that can verify a signature.`,
      `jwt ${other}2: failed: The key set URL returned HTTP 404.`,
    ]);
    assert.match(found[3] ?? '', /^jwt http.+\/other: failed: .*private network/);
    assert.deepEqual(await checked({ sign_in }, {}, true), []);
  });

  it('asks the hosts of alert targets, and sends them neither an alert nor a secret', async () => {
    verifies('gateway.upkeep.check');
    backend.answer = (_, response) => void response.writeHead(404).end();
    const mail = await startEchoBackend();
    const open = { allow_private_network: true };
    const email = { type: 'email', smtp_host: '127.0.0.1', from: 'a@b.example', to: ['c@d.example'], ...open };
    const { port } = new URL(mail.url);
    const targets = {
      chat: { type: 'slack', url: { env: 'CHAT_URL' }, ...open },
      gone: { type: 'slack', url: { env: 'GONE_URL' }, ...open },
      mail: { ...email, smtp_port: Number(port) },
      closed: { ...email, smtp_port: Number(port), allow_private_network: false },
    };
    const env = { CHAT_URL: `${backend.url}/services/secret-of-the-channel`, GONE_URL: 'http://127.0.0.1:9/x' };
    const found = await checked({ alerts: { targets } }, env);
    await mail.close();
    assert.deepEqual(found.slice(0, 3), [
      'alert target chat: ok: The host responds. No alert was sent, and the path and the secret were not checked.',
      'alert target gone: failed: The connection was refused. Start the server, or correct the URL. (ECONNREFUSED)',
      'alert target mail: ok: The mail server accepts connections. No message was sent, and the password was not checked.',
    ]);
    assert.match(found[3] ?? '', /^alert target closed: failed: .*private network/);
    assert.deepEqual(
      backend.heard.map((it) => `${it.method} ${it.path}`),
      ['GET /'],
    );
  });

  it('reads the secrets of secret stores, and names those that are not there', async () => {
    verifies('gateway.upkeep.check');
    backend.answer = ({ path }, response) => {
      const isKnown = path.endsWith('/team/api');
      response.writeHead(isKnown ? 200 : 404).end(JSON.stringify({ data: { data: { token: 'from-vault' } } }));
    };
    const vault = { address: backend.url, auth: { token: { env: 'VAULT_TOKEN' } }, allow_private_network: true };
    const server = (path: string) => ({
      ...{ spec_path: './api.json', auth_type: 'bearer_token', credentials: { auth_value: { vault: path } } },
    });
    writeFileSync(join(folder, 'api.json'), '{}');
    const env = { VAULT_TOKEN: 'token-of-vault' };
    const check = async (paths: readonly string[], isOffline = false) => {
      const mcp_servers = Object.fromEntries(paths.map((it, at) => [`api${at}`, server(it)]));
      const found = await checked({ secret_stores: { vault }, mcp_servers }, env, isOffline);
      return found.filter((it) => it.startsWith('secret stores'));
    };
    assert.deepEqual(await check(['team/api#token']), [
      'secret stores: ok: All secrets in secret_stores can be read. Number of secrets: 1.',
    ]);
    const [missing = '', ...others] = await check(['team/api#token', 'team/gone#token']);
    assert.match(missing, /^secret stores: failed: The secret 'team\/gone' of 'vault' cannot be read: /);
    assert.deepEqual(others, []);
    assert.deepEqual(await check(['team/api#token'], true), [
      'secret stores: warning: The secrets in secret_stores were not read, because of --offline.',
    ]);
  });
});
