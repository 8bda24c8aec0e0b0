import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { type Listening, listen } from '../../../support/backends/listen.ts';
import { bearer } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { type Programs, programs } from '../../../support/mcp/program.ts';
import { openSse } from '../../../support/mcp/sseClient.ts';
import { drive, type Road } from '../../../support/messages/drive.ts';
import {
  agentPathOf,
  leftAs,
  mcpRoadNames,
  mcpRoads,
  type Recorded,
  recordingGateway,
} from '../../../support/messages/roads.ts';
import { agentStyles } from '../../../support/messages/twins.ts';
import { askWhole, type WholeRequest } from '../../../support/network/askWhole.ts';
import { verifies } from '../../../support/verifies.ts';

const perRoad = 1_000;
const seed = 1_000_003;

/** What leaves is read as bytes, by readers that differ as those of servers do. */
describe('generated calls over sockets', () => {
  verifies('gateway.messages.repeats', 'gateway.messages.twins');

  async function check(road: Road): Promise<void> {
    const { hole, refused, allowed } = await drive(road, perRoad, seed);
    assert.equal(hole, undefined, `${road.name}: ${JSON.stringify(hole)}`);
    assert.ok(refused >= perRoad / 5 && allowed >= perRoad / 5, `${road.name}: ${allowed} sent, ${refused} refused`);
  }
  const over = (base: () => string) => (path: string, request: WholeRequest) => askWhole(`${base()}${path}`, request);

  describe('to an MCP server over HTTP', () => {
    let server: Listening;
    let recorded: Recorded;

    before(async () => {
      server = await listen(
        createServer((request, response) => {
          const chunks: Buffer[] = [];
          request.on('data', (it: Buffer) => chunks.push(it));
          request.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            if (request.method !== 'POST') return void response.writeHead(405).end();
            const { id, method } = JSON.parse(text) as { id?: unknown; method?: string };
            if (id === undefined) return void response.writeHead(202).end();
            if (method !== 'initialize') recorded.sent.push(text);
            const result = method === 'initialize' ? hello : { content: [] };
            response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
          });
        }),
      );
      recorded = await recordingGateway({ url: `${server.url}/mcp` });
    });
    after(async () => {
      await recorded.gateway.close();
      await server.close();
    });

    // A test each: a thousand calls take a slow machine half a minute.
    for (const name of mcpRoadNames)
      it(`leave as the call that was judged, or not at all: ${name}`, async () => {
        const ask = over(() => recorded.gateway.base);
        await check(named(await mcpRoads(recorded, ask), name));
      });

    it('leave as the call that was judged over the transport of 2024-11-05, or not at all', async () => {
      const sse = await openSse(recorded.gateway.base, 'caller');
      const headers = { 'content-type': 'application/json', authorization: 'Bearer caller' };
      await check({
        name: 'SSE',
        style: 'mcp',
        prefix: 'git__',
        async post(body) {
          const url = `${recorded.gateway.base}${sse.address}`;
          const { status } = await askWhole(url, { method: 'POST', headers, body });
          if (status === 202) await sse.next();
          const calls = recorded.judged.splice(0);
          return recorded.sent.splice(0).map((sent, at) => ({ sent, judged: calls[at] }));
        },
      });
      await sse.close();
    });
  });

  describe('to an MCP server that is a program', () => {
    let recorded: Recorded;
    let written: Programs;
    let folder: string;
    let file: string;

    before(async () => {
      written = programs();
      folder = mkdtempSync(join(tmpdir(), 'switchboard-lines-'));
      file = join(folder, 'lines');
      const program = written.write(`
onCall = (message) => setImmediate(() => reply(message, { content: [] }));
const input = require('node:readline').createInterface({ input: process.stdin });
input.on('line', (line) => { if (!line.includes('"initialize"') && !line.includes('notifications/')) require('node:fs').appendFileSync(${JSON.stringify(file)}, line + '\\n'); });`);
      recorded = await recordingGateway({ transport: 'stdio', url: null, ...program });
    });
    after(async () => {
      await recorded.gateway.close();
      written.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    it('are one line each, also with characters in a text that end a line for some readers', async () => {
      verifies('gateway.messages.lines');
      const hidden = '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"delete_repo"}}';
      for (const mark of ['\u2028', '\u2029', '\u0085']) {
        const args = { repo: `${mark}${hidden}${mark}` };
        const body = JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'list', arguments: args },
        });
        const headers = { 'content-type': 'application/json', authorization: 'Bearer caller' };
        const answer = await fetch(`${recorded.gateway.base}/git/mcp`, { method: 'POST', headers, body });
        assert.deepEqual(((await answer.json()) as { result?: object }).result, { content: [] });
        const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
        assert.deepEqual((JSON.parse(lines.at(-1) ?? '') as { params: unknown }).params, {
          name: 'list',
          arguments: args,
        });
        assert.ok(!lines.includes(hidden));
      }
      rmSync(file);
      recorded.judged.splice(0);
    });

    let read = 0;
    for (const name of mcpRoadNames.slice(0, 2))
      it(`leave as the call that was judged, or not at all: ${name}, to a program`, async () => {
        const ask = async (path: string, request: WholeRequest) => {
          const response = await over(() => recorded.gateway.base)(path, request);
          const body = await response.text();
          // The program writes a line down before it answers it.
          const lines = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
          const fresh = lines.subarray(read).toString();
          read = lines.length;
          recorded.sent.push(...fresh.split('\n').filter((it) => it !== ''));
          return new Response(body, { status: response.status, headers: response.headers });
        };
        await check(named(await mcpRoads(recorded, ask), name));
      });
  });

  describe('to an agent', () => {
    let stand: Stand;
    let key: string;

    before(async () => {
      stand = await openStand();
      await stand.addAgent({ agent_name: 'weather' });
      key = await stand.addKey();
    });
    after(() => stand.close());

    for (const style of agentStyles)
      it(`leave as the message that was judged, or not at all: ${style}`, () =>
        check({
          name: style,
          style,
          async post(body) {
            const headers = { 'content-type': 'application/json', ...bearer(key) };
            await askWhole(`${stand.base}${agentPathOf(style)}`, { method: 'POST', headers, body });
            const heard = stand.backend.heard.splice(0).filter((it) => it.method === 'POST');
            return heard.map((it) => leftAs(style, body, it.body.toString()));
          },
        }));
  });
});

function named(roads: readonly Road[], name: string): Road {
  const road = roads.find((it) => it.name === name);
  assert.ok(road, name);
  return road;
}

const hello = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'r', version: '1' } };
