import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { readSealingSecret } from '../../../../../sidecar/gateway/editions/sealingSecret.ts';
import { servingOf } from '../../../../../sidecar/gateway/editions/serverOptions.ts';
import type { GatewayListen } from '../../../../../sidecar/launch/gateway/gatewayContract.ts';
import { GatewayConfig, type GatewayConfigInput } from '../../../../../sidecar/protocol/gateway/config.ts';
import { outcomeOf } from '../../../../support/outcomeOf.ts';
import { keepingLog } from '../../../../support/testLog.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-server-options-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('what a configuration says about serving', () => {
  const serving = (config: GatewayConfigInput, asked?: GatewayListen, env: Record<string, string> = {}) =>
    servingOf(GatewayConfig.parse(config), { env, folder }, keepingLog().log, asked);

  it('gives way to the command line, each of host and port by itself', async () => {
    const listen = { host: '0.0.0.0', port: 5000, allow_insecure: true };
    for (const [asked, at] of [
      [undefined, ['0.0.0.0', 5000]],
      [{ host: '127.0.0.1', port: undefined }, ['127.0.0.1', 5000]],
      [{ host: undefined, port: 0 }, ['0.0.0.0', 0]],
    ] as const) {
      const { host, port, allowInsecure } = (await serving({ listen }, asked)).listen;
      assert.deepEqual([host, port, allowInsecure], [...at, true]);
    }
  });
  it('has the identity provider with its secret from the environment, and names a secret that is not there', async () => {
    const sign_in = {
      issuer: 'https://id.example.com',
      client_id: 'pages',
      client_secret: { env: 'SIGN_IN_SECRET' },
      allow: { everyone: true },
    };
    const { signIn } = await serving({ sign_in }, undefined, { SIGN_IN_SECRET: 'canary-sign-in' });
    assert.equal(signIn?.client_secret, 'canary-sign-in');
    assert.equal((await serving({})).signIn, undefined);
    assert.match(await outcomeOf(serving({ sign_in })), /^invalid_params sign_in\.client_secret: /);
  });
  it('lets a key of a team use nothing by default', async () => {
    assert.equal((await serving({})).defaultAccess, 'none');
    assert.equal((await serving({ default_access: 'all' })).defaultAccess, 'all');
  });
  it('has its times in seconds', async () => {
    const { limits } = await serving({ limits: { timeout_s: 7, list_timeout_s: 8, session_idle_s: 9 } });
    assert.deepEqual([limits?.timeoutMs, limits?.listTimeoutMs, limits?.sessionIdleMs], [7_000, 8_000, 9_000]);
  });
  it('has a certificate from its files beside it, and names the one that cannot be read', async () => {
    writeFileSync(join(folder, 'cert.pem'), 'CERT');
    const listen = { tls: { cert_file: 'cert.pem', key_file: 'key.pem' } };
    assert.equal(
      await outcomeOf(serving({ listen })),
      'invalid_params The file specified by listen.tls.key_file cannot be read.',
    );
    writeFileSync(join(folder, 'key.pem'), 'KEY');
    assert.deepEqual((await serving({ listen })).listen.tls, { cert: 'CERT', key: 'KEY' });
  });
  it('has the credential of the cloud service from where it is kept, which no log shows', async () => {
    const cloud_agents = { upstream_url: 'https://cloud.example', prefix: 'cloud', credential: { env: 'CLOUD' } };
    assert.match(await outcomeOf(serving({ cloud_agents })), /^invalid_params cloud_agents\.credential: /);
    const { log, lines } = keepingLog();
    const config = GatewayConfig.parse({ cloud_agents });
    const sources = { env: { CLOUD: 'a-credential-of-the-cloud' }, folder };
    const { cloudAgents } = await servingOf(config, sources, log);
    assert.equal(cloudAgents?.credential, 'a-credential-of-the-cloud');
    log.info({ text: 'a-credential-of-the-cloud' }, 'It was used.');
    assert.doesNotMatch(lines.join(''), /a-credential-of-the-cloud/);
  });
});

describe('the sealing secret of a gateway', () => {
  const random = (byte: number) => (bytes: number) => new Uint8Array(bytes).fill(byte);

  it('is made once, for its owner alone, and read from then on', () => {
    const path = join(folder, 'inner/gateway.secret');
    const made = readSealingSecret(path, random(1));
    assert.deepEqual(Buffer.from(made), Buffer.alloc(32, 1));
    assert.deepEqual(readSealingSecret(path, random(2)), made);
    if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o777, 0o600);
  });
  it('is not used where it is too short, and stays as it is', async () => {
    const path = join(folder, 'gateway.secret');
    writeFileSync(path, Buffer.alloc(31).toString('base64'));
    const words = await outcomeOf(Promise.resolve().then(() => readSealingSecret(path, random(1))));
    assert.match(words, /^unavailable The file that contains the gateway's sealing secret/);
    assert.equal(readFileSync(path, 'utf8'), Buffer.alloc(31).toString('base64'));
  });
});
