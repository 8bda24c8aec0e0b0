import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { SecretStores } from '../../../../sidecar/gateway/backends/stores/secretStores.ts';
import { findSecret } from '../../../../sidecar/gateway/configuration/secretSources.ts';
import { type Configured, openConfigured } from '../../../../sidecar/gateway/editions/configStore.ts';
import { Fault } from '../../../../sidecar/platform/faults.ts';
import { systemRuntime } from '../../../../sidecar/platform/runtime.ts';
import { type SecretRef, SecretRef as SecretRefSchema } from '../../../../sidecar/protocol/gateway/config/secretRef.ts';
import { SecretStoresConfig } from '../../../../sidecar/protocol/gateway/config/secretStores.ts';
import { speakMcp } from '../../../support/gateway/backendAnswers.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import {
  type StoreServer,
  startAws,
  startAzure,
  startGcp,
  startVault,
  type VaultServer,
} from '../../../support/stores/storeServers.ts';
import { keepingLog } from '../../../support/testLog.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

const local = { allow_private_network: true } as const;

describe('secrets in secret stores', () => {
  let vault: VaultServer;
  let aws: StoreServer;
  let gcp: Awaited<ReturnType<typeof startGcp>>;
  let azure: StoreServer;
  let env: Record<string, string>;
  const opened: SecretStores[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-stores-'));

  before(async () => {
    [vault, aws, gcp, azure] = await Promise.all([startVault(), startAws(), startGcp(), startAzure()]);
    Object.assign(vault.secrets, { 'team/git hub': { token: 'vault-value', count: 3, empty: '' } });
    Object.assign(aws.secrets, { plain: 'aws-value', 'a/b': '{"token":"aws-field"}' });
    gcp.secrets['projects/p/secrets/plain/versions/latest'] = 'gcp-value';
    gcp.secrets['projects/q/secrets/other/versions/3'] = '{"token":"gcp-field"}';
    Object.assign(azure.secrets, { plain: 'azure-value', 'plain/0a1b': 'azure-version' });
    writeFileSync(join(folder, 'account-token'), 'account-token\n');
  });
  after(async () => {
    await Promise.all([vault, aws, gcp, azure].map((it) => it.close()));
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    env = {
      TOKEN: 'root-token',
      ROLE: 'role-1',
      SECRET: 'secret-1',
      AKID: 'AKID',
      AWS: 'aws-secret-key',
      GCP: gcp.account(),
      AZURE: 'azure-secret',
    };
    for (const it of [vault, aws, gcp, azure]) {
      it.heard.splice(0);
      it.isAway = false;
    }
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((it) => it.close()));
  });

  const settings = () => ({
    vault: { address: vault.url, namespace: 'team', auth: { token: { env: 'TOKEN' } }, ...local },
    aws: {
      region: 'eu-west-1',
      access_key_id: { env: 'AKID' },
      secret_access_key: { env: 'AWS' },
      endpoint: `${aws.url}/`,
      ...local,
    },
    gcp: { project: 'p', credentials: { env: 'GCP' }, endpoint: gcp.url, ...local },
    azure: {
      vault_url: azure.url,
      tenant_id: 'tenant-1',
      client_id: 'app-1',
      client_secret: { env: 'AZURE' },
      authority: azure.url,
      ...local,
    },
  });
  function open(config: object = settings(), more: { readonly machine?: string; readonly clock?: StandingClock } = {}) {
    const { log, lines } = keepingLog();
    const runtime = systemRuntime(log);
    const stores = new SecretStores(SecretStoresConfig.parse(config), {
      ...runtime,
      ...(more.clock && { clock: more.clock }),
      async machine({ url, headers }) {
        machineCalls.push(`${url} ${JSON.stringify(headers)}`);
        return { status: more.machine ? 200 : 404, headers: {}, text: more.machine ?? '' };
      },
      async readLocal(ref) {
        const found = await findSecret(ref, { env, folder });
        if ('missing' in found) throw new Fault('unavailable', found.missing);
        return found.value;
      },
    });
    const machineCalls: string[] = [];
    opened.push(stores);
    const read = async (ref: SecretRef) => {
      const found = await findSecret(SecretRefSchema.parse(ref), { env, folder, stores });
      return 'value' in found ? found.value : `missing: ${found.missing}`;
    };
    return { stores, read, lines, machineCalls };
  }

  for (const [ref, value] of [
    [{ vault: 'team/git hub#token' }, 'vault-value'],
    [{ aws: 'plain' }, 'aws-value'],
    [{ aws: 'a/b#token' }, 'aws-field'],
    [{ gcp: 'plain' }, 'gcp-value'],
    [{ gcp: 'projects/q/secrets/other/versions/3#token' }, 'gcp-field'],
    [{ azure: 'plain' }, 'azure-value'],
    [{ azure: 'plain/0a1b' }, 'azure-version'],
  ] as const) {
    it(`are read by ${JSON.stringify(ref)}, with the credential that the store wants`, async () => {
      verifies('gateway.secrets.stores');
      assert.equal(await open().read(ref), value);
    });
  }

  for (const [ref, words] of [
    [
      { vault: 'team/none#token' },
      "missing: the secret 'team/none' of 'vault' cannot be read: Vault has no such secret",
    ],
    [{ vault: '../sys/x#token' }, "missing: the secret '../sys/x' of 'vault' cannot be read: Vault has no such path"],
    [
      { vault: 'team/git hub#none' },
      "missing: the secret 'team/git hub' of 'vault' has no field 'none' that can be used",
    ],
    [
      { vault: 'team/git hub#count' },
      "missing: the secret 'team/git hub' of 'vault' has no field 'count' that can be used",
    ],
    [
      { vault: 'team/git hub#empty' },
      "missing: the secret 'team/git hub' of 'vault' has no field 'empty' that can be used",
    ],
    [{ aws: 'none' }, "missing: the secret 'none' of 'aws' cannot be read: AWS Secrets Manager has no such secret"],
    [{ aws: 'plain#x' }, "missing: the secret 'plain' of 'aws' has no field 'x' that can be used"],
    [
      { gcp: 'none' },
      "missing: the secret 'none' of 'gcp' cannot be read: Google Cloud Secret Manager has no such secret",
    ],
    [{ azure: 'none' }, "missing: the secret 'none' of 'azure' cannot be read: Azure Key Vault has no such secret"],
  ] as const) {
    it(`are missing in words for ${JSON.stringify(ref)}`, async () => {
      assert.equal(await open().read(ref), words);
    });
  }

  it('are refused where the credential of the gateway is wrong, without a word of it', async () => {
    verifies('gateway.secrets.stores');
    Object.assign(env, { TOKEN: 'wrong-1', AWS: 'wrong-2', AZURE: 'wrong-3', GCP: '{"private_key":"wrong-4"}' });
    const { read, lines } = open();
    const said = await Promise.all([
      read({ vault: 'team/git hub#token' }),
      read({ aws: 'plain' }),
      read({ gcp: 'plain' }),
      read({ azure: 'plain' }),
    ]);
    assert.match(said[0]!, /Vault returned HTTP 403/);
    assert.match(said[1]!, /AWS Secrets Manager returned HTTP 400/);
    assert.match(said[2]!, /not the key of a service account/);
    assert.match(said[3]!, /Azure's authorization server returned HTTP 401/);
    assert.doesNotMatch([...said, ...lines].join('\n'), /wrong-\d/);
  });

  it('are read from Vault with AppRole or a Kubernetes account, and a new token where one was revoked', async () => {
    verifies('gateway.secrets.vault-sign-in');
    const { vault: of } = settings();
    const role = { approle: { role_id: { env: 'ROLE' }, secret_id: { env: 'SECRET' } } };
    const { stores, read } = open({ vault: { ...of, auth: role } });
    assert.equal(await read({ vault: 'team/git hub#token' }), 'vault-value');
    const signIns = () => vault.heard.filter((it) => it.path.endsWith('/login')).length;
    assert.equal(signIns(), 1);
    vault.tokens.clear();
    stores.expire();
    assert.equal(await read({ vault: 'team/git hub#token' }), 'vault-value');
    assert.equal(signIns(), 2);
    const kubernetes = { kubernetes: { role: 'gateway', token_file: join(folder, 'account-token') } };
    assert.equal(
      await open({ vault: { ...of, auth: kubernetes } }).read({ vault: 'team/git hub#token' }),
      'vault-value',
    );
    vault.tokens.add('root-token');
  });

  it('are read with one new token from Vault where several were refused together', async () => {
    verifies('gateway.secrets.vault-sign-in');
    const names = ['one', 'two', 'three'];
    for (const it of names) vault.secrets[it] = { token: it };
    const role = { approle: { role_id: { env: 'ROLE' }, secret_id: { env: 'SECRET' } } };
    const { stores, read } = open({ vault: { ...settings().vault, auth: role } });
    const all = () => Promise.all(names.map((it) => read({ vault: `${it}#token` })));
    assert.deepEqual(await all(), names);
    vault.tokens.clear();
    stores.expire();
    assert.deepEqual(await all(), names);
    assert.equal(vault.heard.filter((it) => it.path.endsWith('/login')).length, 2);
    vault.tokens.add('root-token');
  });

  it('are read with the identity of the machine where no other is configured', async () => {
    const { gcp: google, azure: microsoft } = settings();
    const { credentials: _c, ...ofGoogle } = google;
    const { client_secret: _s, ...ofMicrosoft } = microsoft;
    const found = open({ gcp: ofGoogle }, { machine: '{"access_token":"ya29.x","expires_in":3599}' });
    assert.equal(await found.read({ gcp: 'plain' }), 'gcp-value');
    assert.match(found.machineCalls[0]!, /^http:\/\/metadata\.google\.internal\/.*"metadata-flavor":"Google"/);
    const other = open({ azure: ofMicrosoft }, { machine: '{"access_token":"eyJ.x","expires_in":"3599"}' });
    assert.equal(await other.read({ azure: 'plain' }), 'azure-value');
    assert.match(other.machineCalls[0]!, /^http:\/\/169\.254\.169\.254\/.*client_id=app-1.*"metadata":"true"/);
    assert.match(
      await open({ gcp: ofGoogle }).read({ gcp: 'plain' }),
      /Google's authorization server returned HTTP 404/,
    );
  });

  it('are reached at no private address that is not allowed', async () => {
    verifies('gateway.secrets.stores');
    const { allow_private_network: _, ...of } = settings().vault;
    assert.match(await open({ vault: of }).read({ vault: 'team/git hub#token' }), /allow_private_network/);
    assert.deepEqual(vault.heard, []);
    assert.match(await open({}).read({ vault: 'a#b' }), /'secret_stores' has no 'vault'/);
  });

  it('are kept for refresh_s, and for keep_s while the store is away', async () => {
    verifies('gateway.secrets.refresh');
    const clock = new StandingClock('2026-01-01T00:00:00.000Z');
    const config = { vault: settings().vault, refresh_s: 60, keep_s: 600 };
    const { stores, read, lines } = open(config, { clock });
    const ref = { vault: 'team/git hub#token' };
    assert.equal(await read(ref), 'vault-value');
    assert.equal(await read({ vault: 'team/git hub#token' }), 'vault-value');
    assert.equal(vault.heard.length, 1, 'the fields of a secret are read together');
    vault.secrets['team/git hub'] = { token: 'vault-value-2' };
    assert.equal(await read(ref), 'vault-value');
    clock.pass(60_000);
    assert.equal(await read(ref), 'vault-value-2');
    vault.secrets['team/git hub'] = { token: 'vault-value' };
    stores.expire();
    assert.equal(await read(ref), 'vault-value');
    vault.isAway = true;
    clock.pass(599_000);
    assert.equal(await read(ref), 'vault-value');
    assert.match(lines.join('\n'), /A secret store did not respond\. The last value is used\./);
    clock.pass(1_000);
    assert.match(await read(ref), /^missing: .*Vault returned HTTP 503/);
    vault.isAway = false;
    assert.equal(await read(ref), 'vault-value');
  });

  it('are not asked for with every use while their store is away', async () => {
    verifies('gateway.secrets.refresh');
    const clock = new StandingClock('2026-01-01T00:00:00.000Z');
    const { stores, read } = open({ vault: settings().vault, refresh_s: 60, keep_s: 600 }, { clock });
    const ref = { vault: 'team/git hub#token' };
    assert.equal(await read(ref), 'vault-value');
    vault.isAway = true;
    clock.pass(60_000);
    for (let n = 0; n < 3; n += 1) assert.equal(await read(ref), 'vault-value');
    assert.equal(vault.heard.length, 2);
    clock.pass(10_000);
    await read(ref);
    stores.expire();
    await read(ref);
    assert.equal(vault.heard.length, 4);
    vault.isAway = false;
  });

  describe('of a gateway', () => {
    let stand: Stand;
    let configured: Configured;
    let right = 'vault-value';
    const { log, lines } = keepingLog();

    before(async () => {
      const file = join(folder, 'switchboard.jsonc');
      const config = {
        secret_stores: { vault: settings().vault },
        mcp_servers: {
          git: {
            url: 'http://127.0.0.1:1/mcp',
            allow_private_network: true,
            auth_type: 'bearer_token',
            credentials: { auth_value: { vault: 'team/git hub#token' } },
          },
        },
      };
      writeFileSync(file, JSON.stringify(config));
      configured = await openConfigured({ file, env: { TOKEN: 'root-token' }, runtime: systemRuntime(log) });
      const { apply, credentialRefused } = configured;
      stand = await openStand({ prepare: apply, credentialRefused });
      config.mcp_servers.git.url = `${stand.backend.url}/mcp`;
      writeFileSync(file, JSON.stringify(config));
      await configured.reload();
      stand.backend.answer = (heard, response) =>
        heard.headers.authorization === `Bearer ${right}`
          ? speakMcp(heard, response)
          : void response.writeHead(401).end();
    });
    after(async () => {
      await configured.close();
      await stand.close();
    });

    const listed = async () => {
      const answer = await stand.as(stand.adminKey, '/mcp-rest/tools/list?server_id=git');
      return ((await answer.json()) as { tools: unknown[] }).tools.length;
    };

    it('are sent to its server, and read anew as soon as the server refuses what was sent', async () => {
      verifies('gateway.secrets.refresh');
      assert.equal(await listed(), 1);
      right = 'vault-value-2';
      vault.secrets['team/git hub'] = { token: right };
      assert.equal(await listed(), 0);
      await until('the new secret is sent', async () => (await listed()) === 1);
    });

    it('are in no record, log, or answer', async () => {
      const answers = await Promise.all(
        ['/v1/mcp/server', '/audit', '/v1/mcp/server/git'].map((it) =>
          stand.as(stand.adminKey, it).then((at) => at.text()),
        ),
      );
      assert.doesNotMatch([...answers, ...lines, ...stand.logLines].join('\n'), /vault-value|root-token/);
    });
  });
});
