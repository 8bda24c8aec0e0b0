import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { LogLine } from '../../../../sidecar/protocol/gateway/config/logs.ts';
import { type Listening, listen } from '../../../support/backends/listen.ts';
import { projectRoot } from '../../../support/cache.ts';
import { openProcessStand, type ProcessStand } from '../../../support/gateway/processStand.ts';
import { readSamples, sumBy } from '../../../support/telemetry/metricLines.ts';
import { startOtlpCollector } from '../../../support/telemetry/otlpCollector.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

const SECRET = 'of-the-log-service-1234';
const linesIn = (text: string): readonly LogLine[] =>
  text.split('\n').flatMap((it) => (it === '' ? [] : [LogLine.parse(JSON.parse(it))]));
const saidIn = (text: string) => linesIn(text).map((it) => it.msg);

/** Keeps the lines that it is sent. */
async function startEndpoint(): Promise<Listening & { readonly text: () => string; readonly credentials: string[] }> {
  let text = '';
  const credentials: string[] = [];
  const server = createServer((request, response) => {
    credentials.push(String(request.headers['x-api-key']));
    request.setEncoding('utf8').on('data', (it: string) => (text += it));
    request.on('end', () => response.writeHead(202).end());
  });
  return { ...(await listen(server)), text: () => text, credentials };
}

async function dropped(stand: ProcessStand, base: string): Promise<Record<string, number>> {
  const headers = { authorization: `Bearer ${stand.adminKey}` };
  const text = await (await fetch(`${base}/metrics`, { headers })).text();
  return sumBy(readSamples(text), 'switchboard_log_lines_dropped_total', 'sink');
}

describe('the log of a gateway', () => {
  it('is described in GATEWAY.md as its schema has it', () => {
    verifies('gateway.logs.schema');
    const text = readFileSync(join(projectRoot, 'GATEWAY.md'), 'utf8');
    const [, section = ''] = /^## Logs\n([\s\S]*?)^## /m.exec(text) ?? [];
    const table = [...section.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name, content]) => [name, content]);
    assert.deepEqual(
      table,
      Object.entries(LogLine.shape).map(([name, schema]) => [name, schema.description]),
    );
  });

  it('goes whole to a file, a collector and an endpoint, and holds no secret', async function sinks() {
    verifies('gateway.logs.schema', 'gateway.logs.sent', 'gateway.logs.rotation');
    const [collector, endpoint] = [await startOtlpCollector(), await startEndpoint()];
    const headers = { 'x-api-key': { env: 'LOG_KEY' } };
    const logs = {
      file: { path: 'gateway.log' },
      otlp: { endpoint: collector.url, headers, allow_private_network: true },
      http: { url: `${endpoint.url}/in`, headers, allow_private_network: true },
    };
    const stand = openProcessStand({ config: { logs }, env: { LOG_KEY: SECRET } });
    try {
      const gateway = stand.start('a');
      const base = await gateway.baseUrl;
      const broken = `{ "logs": ${JSON.stringify(logs)}, "no_such": "${SECRET}" }`;
      writeFileSync(stand.files.config, broken);
      gateway.signal('SIGHUP');
      await until('the mistake is reported', () => gateway.said().includes('no_such'));
      assert.deepEqual(await dropped(stand, base), { file: 0, otlp: 0, http: 0 });
      gateway.signal('SIGINT');
      assert.equal(await gateway.exited, 0);
      const all = saidIn(gateway.said());
      assert.ok(all.length >= 4, gateway.said());
      const file = readFileSync(join(stand.folder, 'gateway.log'), 'utf8');
      assert.deepEqual(saidIn(file), all);
      assert.deepEqual(saidIn(endpoint.text()), all);
      assert.deepEqual(
        collector.logs.map((it) => it.body),
        all,
      );
      const error = collector.logs.find((it) => it.body.includes('configuration has errors'));
      assert.deepEqual([error?.severityNumber, error?.severityText], [17, 'ERROR']);
      const draining = collector.logs.find((it) => it.attributes['grace_s'] !== undefined);
      assert.deepEqual([draining?.severityText, draining?.attributes], ['INFO', { leave_s: 0, grace_s: 20 }]);
      assert.deepEqual(new Set(endpoint.credentials), new Set([SECRET]));
      for (const text of [file, endpoint.text(), JSON.stringify(collector.logs), gateway.said()])
        assert.ok(!text.includes(SECRET) && !text.includes(stand.adminKey));
    } finally {
      await stand.close();
      await collector.close();
      await endpoint.close();
    }
  });

  it('disturbs no call while its destinations are away, and is written from the configured level on', async function away() {
    verifies('gateway.logs.dropped', 'gateway.logs.level');
    const gone = await listen(createServer());
    await gone.close();
    const http = { url: gone.url, allow_private_network: true };
    const stand = openProcessStand({
      config: { logs: { level: 'warn', file: { path: '/dev/full', daily: false }, http } },
    });
    try {
      const gateway = stand.start('a');
      const base = await gateway.baseUrl;
      writeFileSync(stand.files.config, '{ "no_such": 1 }');
      gateway.signal('SIGHUP');
      const lost = await until('the file lost lines', async () => {
        const counts = await dropped(stand, base);
        return (counts['file'] ?? 0) > 0 && counts;
      });
      assert.equal(lost['http'], 0); // they wait
      await until('both say so', () => linesIn(gateway.said()).filter((it) => 'sink' in it).length === 2);
      gateway.signal('SIGINT');
      assert.equal(await gateway.exited, 0);
      assert.deepEqual(
        linesIn(gateway.said()).filter((it) => it.level < 40),
        [],
      );
    } finally {
      await stand.close();
    }
  });

  it('to a file that cannot be written keeps the gateway from starting', async function refused() {
    verifies('gateway.logs.dropped');
    const stand = openProcessStand({ config: { logs: { file: { path: 'none/gateway.log' } } } });
    try {
      await assert.rejects(stand.start('a').baseUrl, /The file in logs\.file\.path cannot be written/);
    } finally {
      await stand.close();
    }
  });
});
