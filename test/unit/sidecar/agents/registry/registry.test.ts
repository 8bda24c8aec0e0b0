import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { fetchBytes } from '../../../../../sidecar/agents/registry/download.ts';
import { Registry } from '../../../../../sidecar/agents/registry/registry.ts';
import { momentOf } from '../../../../../sidecar/platform/clock.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { type AgentServer, openAgentServer } from '../../../../support/registry/agentServer.ts';
import { verifies } from '../../../../support/verifies.ts';

const entry = (id: string, more: object = {}) => ({
  id,
  name: id,
  version: '1.0.0',
  distribution: { npx: { package: `${id}@1.0.0` } },
  ...more,
});
const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';

describe('the list of agents', () => {
  let server: AgentServer;
  let folder: string;
  let nowMs: number;
  let registry: Registry;
  const signal = new AbortController().signal;
  beforeEach(async () => {
    server = await openAgentServer();
    folder = mkdtempSync(join(tmpdir(), 'switchboard-registry-'));
    nowMs = Date.parse('2026-03-01T10:00:00.000Z');
    registry = open();
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  function open(): Registry {
    const clock = { now: () => momentOf(nowMs), nowMs: () => nowMs, monotonicMs: () => nowMs };
    return new Registry({ clock, timers: systemTimers, folder });
  }
  const read = (address = server.address) => registry.read(address, {}, signal);
  const fetched = () => server.asked.filter((it) => it === '/registry.json').length;
  const ids = async () => (await read()).entries.map((it) => it.id);

  it('is fetched at most once an hour, also by the next host, and has the date of that', async () => {
    verifies('host.agents.hourly');
    server.list([entry('one')]);
    assert.deepEqual([(await read()).origin, (await read()).date], ['fetched', '2026-03-01T10:00:00.000Z']);
    server.list([entry('two')]);
    nowMs += 3_599_000;
    registry = open();
    assert.deepEqual([await ids(), (await read()).origin, fetched()], [['one'], 'kept', 1]);
    nowMs += 2_000;
    assert.deepEqual([await ids(), fetched()], [['two'], 2]);
  });

  it('is the one that was kept, with its date and the reason, where it cannot be fetched any more', async () => {
    verifies('host.agents.hourly');
    server.list([entry('one')]);
    await read();
    nowMs += 86_400_000;
    server.put('/registry.json', (_request, response) => void response.writeHead(503).end());
    const { entries, origin, date, problem } = await read();
    assert.deepEqual([entries[0]?.id, origin, date], ['one', 'kept', '2026-03-01T10:00:00.000Z']);
    assert.match(problem ?? '', /^127\.0\.0\.1:\d+ responded with status 503\.$/);
  });

  it('is the one that is shipped where nothing was ever fetched, and where no address is set', async () => {
    verifies('host.agents.hourly');
    const { address } = server;
    await server.close();
    const unreachable = await read(address);
    assert.deepEqual([unreachable.origin, unreachable.date], ['shipped', '2026-11-22']);
    assert.match(unreachable.problem ?? '', /could not be reached \(ECONNREFUSED\)/);
    assert.ok(unreachable.entries.some((it) => it.id === 'claude-acp'));
    const without = await read('');
    assert.deepEqual([without.origin, without.problem], ['shipped', undefined]);
  });

  it('is not the one that was kept of another address, or that was changed to something else', async () => {
    server.list([entry('one')]);
    await read();
    assert.equal((await read(`${server.origin}/other.json`)).origin, 'shipped');
    writeFileSync(join(folder, 'registry.json'), '{');
    assert.equal((await read()).origin, 'fetched');
  });

  it('is refused where it is no list, is too large, or does not end', async () => {
    for (const [served, problem] of [
      ['<html>', /did not send a list of agents/],
      [Buffer.alloc(9 * 1024 * 1024, ' '), /sent more than 8 MB/],
    ] as const) {
      server.put('/registry.json', served);
      const answer = await read();
      assert.equal(answer.origin, 'shipped');
      assert.match(answer.problem ?? '', problem);
    }
    server.put('/registry.json', (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{');
      response.destroy();
    });
    assert.match((await read()).problem ?? '', /could not be reached/);
  });

  it('has pictures from where it comes from alone, and of SVGs alone', async () => {
    const other = await openAgentServer();
    server.put('/a.svg', `<?xml version="1.0"?>\n${svg}`);
    server.put('/b.svg', '<html>');
    server.put('/c.svg', Buffer.alloc(64 * 1024, svg));
    other.put('/d.svg', svg);
    server.list([
      entry('a', { icon: `${server.origin}/a.svg` }),
      entry('b', { icon: 'b.svg' }),
      entry('c', { icon: 'c.svg' }),
      entry('d', { icon: `${other.origin}/d.svg` }),
      entry('e', { icon: svg }),
      entry('f', { icon: 'data:text/html,x' }),
    ]);
    const { icons } = await read();
    assert.deepEqual(Object.keys(icons).sort(), ['a', 'e']);
    assert.match(icons['a'] ?? '', /^data:image\/svg\+xml;base64,/);
    assert.deepEqual(other.asked, []);
    await other.close();
    assert.deepEqual((await read()).icons, icons, 'kept with the list');
    assert.ok(readFileSync(join(folder, 'registry.json'), 'utf8').includes(icons['a']!));
  });

  const options = { env: {}, signal, silentMs: 5_000, mostBytes: 1_000 };
  it('is fetched through redirects on this machine, but neither through too many nor to http elsewhere', async () => {
    verifies('host.agents.https');
    const redirect = (to: string) =>
      server.put('/from', (_request, response) => void response.writeHead(302, { location: to }).end());
    server.put('/to', 'here');
    assert.equal(String(await fetchBytes(redirect('/to'), options)), 'here');
    await assert.rejects(fetchBytes(redirect('http://example.test/'), options), {
      message: /redirected to an address that is not https/,
    });
    await assert.rejects(fetchBytes(redirect('/from'), options), { message: /redirected more than 5 times/ });
    await assert.rejects(fetchBytes('http://example.test/', options), { message: /not https/ });
  });
});
