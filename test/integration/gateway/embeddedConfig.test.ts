import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openEmbeddedGateway } from '../../../sidecar/gateway/editions/embedded.ts';
import type { EmbeddedGateway } from '../../../sidecar/launch/gateway/gatewayContract.ts';
import { systemRuntime } from '../../../sidecar/platform/runtime.ts';
import { projectRoot } from '../../support/cache.ts';
import { type HttpFixture, httpFixture } from '../../support/mcp/httpFixture.ts';
import { startOtlpCollector } from '../../support/telemetry/otlpCollector.ts';
import { keepingLog } from '../../support/testLog.ts';
import { until } from '../../support/until.ts';
import { verifies } from '../../support/verifies.ts';

describe('the configuration file of a personal gateway', () => {
  const request = {
    secret: randomBytes(32).toString('base64'),
    adminKey: `sk-${randomBytes(32).toString('base64url')}`,
  };
  let fixture: HttpFixture;
  let folder: string;
  let lines: readonly string[];
  let gateway: EmbeddedGateway;
  let baseUrl: string;

  beforeEach(async () => {
    fixture = await httpFixture();
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-own-')));
    const kept = keepingLog();
    lines = kept.lines;
    const build = { version: '0.1.0', builtAtMs: 1 };
    gateway = openEmbeddedGateway({ dataDir: folder, pagesFolder: folder, build, runtime: systemRuntime(kept.log) });
  });
  afterEach(async () => {
    await gateway.close();
    await fixture.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (config: object) => writeFileSync(join(folder, 'switchboard.jsonc'), JSON.stringify(config));
  const start = async (isTrusted = true) => ({ baseUrl } = await gateway.start({ ...request, isTrusted }));
  const overHttp = () => ({ web: { url: fixture.url, allow_private_network: true } });
  const asProgram = {
    own: {
      transport: 'stdio',
      command: process.execPath,
      args: [join(projectRoot, 'test', 'support', 'mcp', 'stdioFixture.child.ts')],
    },
  };
  async function ask(path: string, body?: object): Promise<string> {
    const headers = { 'x-gateway-api-key': `Bearer ${request.adminKey}`, 'content-type': 'application/json' };
    const init = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    return (await fetch(`${baseUrl}${path}`, { headers, ...init })).text();
  }
  const serverIds = async () =>
    (JSON.parse(await ask('/v1/mcp/server')) as { server_id: string }[]).map((it) => it.server_id);
  const echo = (server_id: string, text: string) =>
    ask('/mcp-rest/tools/call', { server_id, name: 'echo', arguments: { text } });

  it('can name a collector, and sends nothing to it', async () => {
    verifies('gateway.traces.off');
    const collector = await startOtlpCollector();
    try {
      write({ mcp_servers: overHttp(), telemetry: { otlp: { endpoint: collector.url } } });
      await start();
      await until('the server is there', async () => (await serverIds()).length === 1);
      const [id = ''] = await serverIds();
      assert.match(await echo(id, 'heard'), /heard/);
      await gateway.close(); // what was not sent yet would be sent now
      assert.deepEqual(collector.requests, []);
    } finally {
      await collector.close();
    }
  });

  it('need not be there, is followed from when it is, and takes its servers with it when it goes', async () => {
    await start();
    assert.deepEqual(await serverIds(), []);
    write({ mcp_servers: overHttp() });
    await until('the server is there', async () => (await serverIds()).includes('web'));
    assert.match(await echo('web', 'hello'), /hello/);
    rmSync(join(folder, 'switchboard.jsonc'));
    await until('the server is gone', async () => (await serverIds()).length === 0);
  });

  it('lets the programs of its own servers run, where a window trusts its folders', async () => {
    write({ mcp_servers: asProgram });
    await start(false);
    assert.deepEqual(await serverIds(), ['own']);
    assert.match(
      await echo('own', 'hello'),
      /cannot be started because this workspace is not trusted\. Trust its folder first/,
    );
    await start(true);
    await until('it runs', async () => (await echo('own', 'hello')).includes('"text":"hello"'));
    write({ mcp_servers: overHttp() });
    await until('the other server is there', async () => (await serverIds()).includes('web'));
    const server = { server_name: 'late', ...asProgram.own };
    assert.match(await ask('/v1/mcp/server', server), /has a command that is not allowed/);
  });

  it('lets no imported file run programs, and says so', async () => {
    writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ servers: asProgram }));
    write({ import: ['mcp.json'] });
    await start();
    assert.deepEqual(await serverIds(), ['own']);
    assert.match(await echo('own', 'hello'), /has a command that is not allowed/);
  });

  it('brings its guardrails and the way tools are named', async () => {
    const redaction = { guardrail: 'secret_redaction', mode: 'pre_mcp_call', default_on: true };
    write({
      mcp_servers: overHttp(),
      guardrails: [{ guardrail_name: 'secrets', gateway_params: redaction }],
      always_prefix: true,
      separator: '..',
    });
    await start();
    assert.doesNotMatch(await echo('web', `use ghp_${'a1B2'.repeat(9)} now`), /ghp_a1B2/);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    assert.match(await ask('/mcp', list), /"name":"web\.\.echo"/);
  });

  it('that is wrong at the start keeps the gateway from starting, says where, and can be put right', async () => {
    write({ guardrails: [{ guardrail_name: 'secrets', gateway_params: { guardrail: 'secret_reduction' } }] });
    await assert.rejects(start(), /switchboard\.jsonc:1:\d+: guardrails\.0\.gateway_params\.guardrail: '/);
    write({ mcp_servers: overHttp() });
    await start();
    assert.deepEqual(await serverIds(), ['web']);
    write({ mcp_servers: 1 });
    await until('the log tells', () => lines.some((it) => it.includes('remains in use')));
    assert.deepEqual(await serverIds(), ['web']);
  });
});
