import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { sql } from 'kysely';
import { after, before, describe, it } from 'mocha';
import { hashKey } from '../../../../sidecar/gateway/auth/keys.ts';
import { a2aSend } from '../../../support/gateway/backendAnswers.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

/** A word that occurs nowhere else. */
const canary = (name: string) => `canary-${name}-${randomBytes(12).toString('hex')}`;
const fixture = new URL('../../../support/mcp/stdioFixture.child.ts', import.meta.url).pathname;

/** Secrets in logs and errors, secrets at rest, and secrets in the arguments of programs. */
/** Records of the good and bad calls below, with that of the key in a query, which is refused at the door. */
const CALLS = 13;

describe('secrets that are planted (secrets in logs and errors)', () => {
  verifies('security.secrets-in-logs');
  const planted: Record<string, string> = {};
  const plant = (name: string) => (planted[name] = canary(name));
  const answers: string[] = [];
  const childArguments: string[] = [];
  const hashes: string[] = [];
  let stand: Stand;
  let admin: string;

  /** Sends, and keeps the whole answer. */
  async function send(method: string, path: string, key: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${stand.base}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${key}`,
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    answers.push(`${method} ${path}: ${response.status} ${JSON.stringify([...response.headers])} ${text}`);
    return { status: response.status, text };
  }
  const call = (tool: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool } });

  before(async () => {
    stand = await openStand({ stdio: { isTrusted: true, allowedCommands: [process.execPath] } });
    admin = stand.adminKey;
    planted['admin key'] = admin;
    planted['sealing secret'] = Buffer.from(stand.secret).toString('base64');
    planted['sealing secret in hex'] = Buffer.from(stand.secret).toString('hex');
    hashes.push(hashKey(admin));
    await register();
    await goodAndBadCalls();
    childArguments.push(...commandLines().filter((it) => it.includes('stdioFixture')));
    await stand.records(CALLS);
  });
  after(() => stand.close());

  async function register(): Promise<void> {
    const { url } = stand.backend;
    const made = [
      await send('POST', '/v1/mcp/server', admin, {
        server_id: 'own',
        alias: 'own',
        transport: 'http',
        url: `${url}/mcp/own`,
        auth_type: 'bearer_token',
        credentials: { auth_value: plant('auth_value'), client_secret: plant('client_secret') },
        static_headers: { 'X-Static': plant('static header') },
        env_vars: [{ name: 'GLOBAL', value: plant('env_var'), scope: 'global' }],
        allow_private_network: true,
      }),
      await send('POST', '/v1/mcp/server', admin, {
        server_id: 'program',
        alias: 'program',
        transport: 'stdio',
        command: process.execPath,
        args: [fixture],
        env: { PROGRAM_TOKEN: plant('child environment') },
      }),
      await send('POST', '/v1/agents', admin, {
        agent_name: 'weather',
        agent_card_params: { name: 'weather', url: `${url}/agent` },
        gateway_params: { api_key: plant('agent api_key'), allow_private_network: true },
        static_headers: { 'X-Agent-Static': plant('agent static header') },
      }),
      await send('POST', '/credentials', admin, {
        credential_name: 'cloud',
        credential_info: { custom_llm_provider: 'cloudagents' },
        credential_values: { api_key: plant('cloud credential') },
      }),
    ];
    assert.ok(
      made.every((it) => it.status < 300),
      JSON.stringify(made),
    );
  }

  async function goodAndBadCalls(): Promise<void> {
    const key = await stand.addKey({ user_id: 'somebody' });
    planted['virtual key'] = key;
    hashes.push(hashKey(key));
    planted['unknown key'] = `sk-${canary('unknown')}`;
    const mine = {
      'x-gateway-api-key': `Bearer ${key}`,
      authorization: `Bearer ${plant('bearer of the caller')}`,
      'x-mcp-own-x-user': plant('per-user header'),
      'x-a2a-weather-x-user': plant('per-user header of an agent'),
      cookie: `session=${plant('cookie')}`,
    };
    await send('PUT', '/v1/mcp/server/own/user-credential', key, { credential: plant('user credential') });
    await send('POST', '/v1/mcp/server/own/user-credential', key, { credential: plant('user credential') });
    // Twelve calls leave a record.
    await send('POST', '/own/mcp', key, call('echo'), mine);
    await send('POST', '/mcp', key, call('program__env'), mine);
    await send('POST', '/mcp', key, call('nobody__echo'), mine);
    await send('POST', '/mcp-rest/tools/call', key, { name: 'own__echo' }, mine);
    await send('POST', '/a2a/weather', key, a2aSend(), mine);
    await send('POST', '/a2a/nobody', key, a2aSend(), mine);
    await send('GET', '/cloudagents/v0/me', key, undefined, mine);
    // A backend that fails, and one that throws the request back in its error.
    stand.backend.answer = (heard, response) =>
      void response.writeHead(500, { 'content-type': 'text/plain' }).end(JSON.stringify(heard.headers));
    await send('POST', '/own/mcp', key, call('echo'), mine);
    await send('POST', '/a2a/weather', key, a2aSend(), mine);
    stand.backend.answer = (_heard, response) => void response.destroy();
    await send('POST', '/own/mcp', key, call('echo'), mine);
    await send('POST', '/a2a/weather', key, a2aSend('message/stream'), mine);
    await send('GET', '/cloudagents/v0/me', key, undefined, mine);
    const unknown = planted['unknown key'];
    for (const path of ['/mcp', '/a2a/weather', '/cloudagents/v0/me', '/key/generate'])
      await send('POST', path, unknown, call('x'), { cookie: mine.cookie });
    await send('POST', `/mcp?key=${key}`, key, call('x'));
    await send('POST', '/key/generate', key, { key_alias: 'x', max_budget: 'much' });
    for (const path of [
      '/v1/mcp/server',
      '/v1/mcp/server/own',
      '/v1/agents',
      '/credentials',
      '/key/list?return_full_object=true',
      '/key/info',
      '/v1/mcp/user-credentials',
      '/spend/logs/v2',
      '/healthz',
      '/openapi.json',
      '/metrics',
      '/.well-known/jwks.json',
    ])
      for (const who of [admin, key]) await send('GET', path, who);
  }

  const spellings = (secret: string) => [
    secret,
    Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1),
    Buffer.from(`${secret}:`).toString('base64').slice(0, -4),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ];
  function isNowhereIn(what: string, text: string): void {
    for (const [name, secret] of Object.entries(planted))
      for (const it of spellings(secret)) assert.ok(!text.includes(it), `${name} is in ${what}: …${around(text, it)}…`);
  }

  it('were used: backend, agent, service and program got theirs', () => {
    const heard = JSON.stringify(stand.backend.heard.map((it) => it.headers));
    for (const name of ['auth_value', 'static header', 'agent static header', 'per-user header'])
      assert.ok(heard.includes(planted[name] ?? '?'), `${name} was never sent`);
    const basic = Buffer.from(`${planted['cloud credential']}:`).toString('base64');
    assert.ok(heard.includes(basic), 'the credential of the service was never sent');
    assert.ok(
      answers.some((it) => it.includes('PROGRAM_TOKEN')),
      'the program has its variable',
    );
  });
  it('are in no answer: neither in bodies nor in headers nor in errors', () => {
    for (const it of answers) isNowhereIn('an answer', it.replaceAll(/^POST \/mcp\?key=\S+/g, ''));
  });
  it('are in no line of the log, nor is the hash of a key', () => {
    const lines = stand.logLines.join('\n');
    assert.ok(stand.logLines.length > 3, 'something was logged');
    isNowhereIn('the log', lines);
    for (const it of hashes) assert.ok(!lines.includes(it), 'the hash of a key is in the log');
  });
  it('are in no byte of any file that the gateway keeps, the database and its log among them (secrets at rest)', async () => {
    verifies('security.secrets-at-rest');
    const entries = readdirSync(stand.folder, { recursive: true, withFileTypes: true });
    const files = entries.flatMap((it) =>
      it.isDirectory() ? [] : [relative(stand.folder, join(it.parentPath, it.name))],
    );
    assert.ok(files.includes('gateway.db') && files.includes('gateway.db-wal'), files.join());
    for (const name of files) isNowhereIn(name, readFileSync(join(stand.folder, name), 'latin1'));
    await sql`pragma wal_checkpoint(truncate)`.execute(stand.gateway.store.database.db);
    isNowhereIn('gateway.db', readFileSync(join(stand.folder, 'gateway.db'), 'latin1'));
  });
  it('are in no argument of a child process', () => {
    // Only Linux shows them in files; the other platforms start children by the same words.
    if (process.platform === 'linux') assert.ok(childArguments.length > 0);
    isNowhereIn('the arguments of a child', childArguments.join('\n'));
  });
  it('are in no record', async () => {
    isNowhereIn('the records', JSON.stringify(await stand.records(CALLS)));
  });

  it('open only at the row that they were sealed for (secrets at rest): moved to another, they are refused, and the backend is not called', async () => {
    verifies('security.secrets-at-rest');
    const { store } = stand.gateway;
    const { db } = store.database;
    const rows = await db.selectFrom('secrets').selectAll().execute();
    const sealed = (id: string) =>
      rows.find((it) => it.kind === 'mcp_server' && it.id === id && it.name === 'credentials')?.sealed;
    await stand.addServer(
      { alias: 'thief', url: `${stand.backend.url}/mcp/thief`, auth_type: 'bearer_token' },
      { auth_value: 'thiefs-own' },
    );
    assert.ok(sealed('own'));
    await db
      .updateTable('secrets')
      .set({ sealed: sealed('own') ?? '' })
      .where('id', '=', 'id-thief')
      .execute();
    stand.backend.heard.splice(0);
    const { status, text } = await send('POST', '/thief/mcp', planted['virtual key'] ?? '', call('echo'));
    assert.deepEqual(stand.backend.heard, []);
    assert.equal(status, 500);
    isNowhereIn('the answer', text);
  });

  it('are sealed with a nonce each: the same value twice is two texts', async () => {
    const { store } = stand.gateway;
    const sealed: string[] = [];
    // At one place: at two, the place alone would make the texts differ.
    for (let time = 0; time < 2; time += 1) {
      await store.secrets.put('test', 'a', 'x', 'the same');
      const query = store.database.db.selectFrom('secrets').select('sealed').where('kind', '=', 'test');
      sealed.push((await query.executeTakeFirstOrThrow()).sealed);
    }
    assert.notEqual(sealed[0], sealed[1]);
  });
});

/** Of all processes, where the platform shows them as files. */
function commandLines(): readonly string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((it) => /^\d+$/.test(it))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return ''; // it ended meanwhile
      }
    });
}
const around = (text: string, it: string) => text.slice(Math.max(0, text.indexOf(it) - 200), text.indexOf(it) + 20);
