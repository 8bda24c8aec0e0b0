import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get as getPlain, type IncomingMessage } from 'node:http';
import { Agent, get, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'mocha';
import { openProcessStand, type ProcessStand } from '../../support/gateway/processStand.ts';
import { postgresDatabase } from '../../support/network/postgres.ts';
import { selfSigned } from '../../support/network/selfSigned.ts';
import { until } from '../../support/until.ts';

describe('the gateway of a team listens', () => {
  const { cert, key } = selfSigned();
  const files = { cert_file: 'gateway.crt', key_file: 'gateway.key' };
  let stand: ProcessStand;
  before(async function start() {
    stand = openProcessStand({ database: await postgresDatabase() });
    writeFileSync(join(stand.folder, files.cert_file), cert);
    writeFileSync(join(stand.folder, files.key_file), key);
  });
  after(() => stand.close());
  const refusal = async (name: string) => {
    const replica = stand.start(name);
    assert.equal(await replica.exited, 69);
    return replica.said();
  };

  it('with the certificate that stands beside its configuration, and answers nobody in clear', async () => {
    stand.configure({ listen: { tls: files } });
    const replica = stand.start('secure');
    const baseUrl = await replica.baseUrl;
    assert.match(baseUrl, /^https:\/\/127\.0\.0\.1:\d+$/);
    const [answer] = (await once(get(`${baseUrl}/healthz`, { ca: cert }), 'response')) as [IncomingMessage];
    assert.equal(answer.statusCode, 200);
    assert.match(await text(answer), /"status":"ok"/);
    await assert.rejects(once(get(`${baseUrl}/healthz`), 'response'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    await assert.rejects(once(getPlain(`${baseUrl.replace('https', 'http')}/healthz`), 'response'));
    replica.signal('SIGINT');
    assert.equal(await replica.exited, 0);
  });

  it('with a certificate that is renewed while it runs: open connections stay, new ones get the new one', async () => {
    stand.configure({ listen: { tls: files } });
    const replica = stand.start('renewed');
    const url = `${await replica.baseUrl}/healthz`;
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: cert });
    const ask = async (options: RequestOptions) => {
      const request = get(url, options);
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      await text(answer);
      return { status: answer.statusCode, isOld: request.reusedSocket };
    };
    assert.deepEqual(await ask({ agent }), { status: 200, isOld: false });
    const next = selfSigned();
    const write = (name: string, pem: string) => writeFileSync(join(stand.folder, name), pem);
    write(files.cert_file, next.cert);
    await until('half of it is refused', () => replica.said().includes('The new certificate cannot be used yet'));
    assert.equal((await ask({ ca: cert, agent: false })).status, 200);
    write(files.key_file, next.key);
    await until('the new one is read', () => replica.said().includes('The certificate was reloaded'));
    assert.equal((await ask({ ca: next.cert, agent: false })).status, 200);
    await assert.rejects(ask({ ca: cert, agent: false }), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    assert.deepEqual(await ask({ agent }), { status: 200, isOld: true });
    agent.destroy();
    write(files.cert_file, cert);
    write(files.key_file, key);
    replica.signal('SIGINT');
    assert.equal(await replica.exited, 0);
  });

  it('beyond this machine only with a certificate, or where its configuration says so', async () => {
    stand.configure({ listen: { host: '0.0.0.0' } });
    assert.match(
      await refusal('open'),
      /switchboard\.jsonc:\d+:\d+: listen\.host: to accept connections from other machines, the gateway requires tls/,
    );
    stand.configure({ listen: { host: '0.0.0.0', allow_insecure: true } });
    const replica = stand.start('insecure');
    assert.match(await replica.baseUrl, /^http:\/\/0\.0\.0\.0:\d+$/);
    replica.signal('SIGINT');
    assert.equal(await replica.exited, 0);
  });

  it('on every address of this machine, and there serves its health checks but no foreign host', async () => {
    stand.configure({ listen: { host: '0.0.0.0', allow_insecure: true } });
    const replica = stand.start('everywhere');
    const { port } = new URL(await replica.baseUrl);
    const ask = async (host: string) => {
      const request = getPlain(`http://127.0.0.1:${port}/readyz`, { headers: { host }, agent: false });
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      await text(answer);
      return answer.statusCode;
    };
    const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `foreign.example:${port}`];
    assert.deepEqual(await Promise.all(hosts.map(ask)), [200, 200, 200, 403]);
    replica.signal('SIGINT');
    assert.equal(await replica.exited, 0);
  });

  it('not at all where a certificate is missing, and says which file', async () => {
    stand.configure({ listen: { tls: { ...files, key_file: 'nowhere.key' } } });
    assert.match(await refusal('keyless'), /The file specified by listen\.tls\.key_file cannot be read/);
  });

  it('not at all where the configuration has mistakes, and says each with its line', async () => {
    writeFileSync(
      stand.files.config,
      '{\n  "listen": { "port": "80" },\n  "mcp_servers": {\n    "a": { "transport": "http" }\n  }\n}\n',
    );
    const said = await refusal('mistaken');
    assert.match(said, /switchboard\.jsonc:2:23: listen\.port: must be a number/);
  });

  it('and reads its configuration again on SIGHUP', async () => {
    stand.configure({});
    const replica = stand.start('again');
    const baseUrl = await replica.baseUrl;
    const before_ = replica.said().length;
    replica.signal('SIGHUP');
    await until('it has read it', () => replica.said().slice(before_).includes('The configuration was reloaded.'));
    assert.equal((await fetch(`${baseUrl}/healthz`)).status, 200);
    replica.signal('SIGTERM');
    await until('it drains', () => replica.said().includes('The gateway is draining'));
    assert.equal((await fetch(`${baseUrl}/livez`)).status, 200);
    const late = await fetch(`${baseUrl}/healthz`);
    assert.deepEqual([late.status, late.headers.get('connection')], [503, 'close'], 'its connection ends');
    assert.equal(await replica.exited, 0);
  });
});
