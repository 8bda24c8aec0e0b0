import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { type Programs, programs } from '../../../support/mcp/program.ts';
import { verifies } from '../../../support/verifies.ts';

const canary = 'canary-of-the-environment';
/** What stands in the environment of a gateway and is nobody else's. */
const secret = {
  AWS_SECRET_ACCESS_KEY: canary,
  GITHUB_TOKEN: canary,
  DATABASE_URL: `postgres://u:${canary}@db`,
  CLOUDAGENTS_API_KEY: canary,
  NODE_OPTIONS: `--require=/${canary}.js`,
  LD_PRELOAD: `/${canary}.so`,
  ELECTRON_RUN_AS_NODE: canary,
  VSCODE_IPC_HOOK: canary,
  GIT_ASKPASS: canary,
  PATHOLOGICAL: canary,
  npm_config__auth: canary,
};
/** What a shell would make something else of. */
const words = ['a b', '$HOME', '$(id)', '; id', '`id`', '*', "'", ''];
const plain = { PATH: process.env['PATH'] ?? '', HOME: '/home/nobody', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' };

/** What runs as a server's program sees what was given to it, and nothing of the gateway or its callers. */
describe('a program that prints its environment (supply chain)', () => {
  verifies('security.supply-chain');
  let stand: Stand;
  let written: Programs;
  let key: string;
  let seen: Readonly<Record<string, string>>;
  let argv: readonly string[];
  const stdio = { isTrusted: true, allowedCommands: [process.execPath] };

  before(async () => {
    process.env['SWITCHBOARD_TEST_CANARY'] = canary;
    written = programs();
    stand = await openStand({ stdio, env: { ...plain, ...secret } });
    key = await stand.addKey({ user_id: 'me' });
    const dump = written.write(
      'onCall = (m) => reply(m, { content: [], structuredContent: { env: process.env, argv: process.argv.slice(2) } });',
    );
    await stand.addServer({
      alias: 'dump',
      transport: 'stdio',
      command: dump.command,
      args: [...dump.args, ...words],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of other gateways, which read request headers by them
      env: { OWN: 'its-own', FROM_HEADER: '${X-MINE}' },
      extra_headers: ['x-mine'],
    });
    const headers = { 'x-mine': canary, 'x-mcp-dump-path': canary, 'x-mcp-dump-authorization': `Bearer ${canary}` };
    const { json } = await stand.mcp('/dump/mcp', key, headers).call('any');
    const result = json.result?.['structuredContent'] as { env: Record<string, string>; argv: string[] };
    seen = result.env;
    ({ argv } = result);
  });
  after(async () => {
    delete process.env['SWITCHBOARD_TEST_CANARY'];
    await stand.close();
    written.remove();
  });

  it('got its arguments one by one, through no shell (CVE-2025-54994)', () => {
    verifies('security.CVE-2025-54994');
    assert.deepEqual(argv, words);
  });

  it('has the plain variables and those of its registration', () => {
    const { PATH, HOME, LANG, LC_ALL, OWN } = seen;
    assert.deepEqual({ PATH, HOME, LANG, LC_ALL, OWN }, { ...plain, OWN: 'its-own' });
  });

  it('has nothing of the gateway, of the process that it runs in, or of a request', () => {
    const names = Object.entries(seen).filter(([, value]) => value.includes(canary));
    assert.deepEqual(names, []);
    assert.ok(!JSON.stringify(seen).includes(key), 'the key of the caller');
    assert.notEqual(seen['FROM_HEADER'], canary);
  });

  it('has no variable that nobody listed, but what the shell that holds it by its leash sets', () => {
    const leash = ['SWITCHBOARD_LEASH', 'PWD', 'OLDPWD', 'SHLVL', '_'];
    const known = [...Object.keys(plain), ...leash, 'OWN', 'FROM_HEADER'];
    assert.deepEqual(
      Object.keys(seen).filter((it) => !known.includes(it)),
      [],
    );
  });
});

/** A gateway of a team runs no program that may be another one tomorrow. */
describe('a package that is fetched as a program (supply chain)', () => {
  verifies('security.supply-chain');
  let stand: Stand;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-npx-'));
    const runner = process.platform === 'win32' ? 'npx.cmd' : 'npx';
    writeFileSync(join(folder, runner), process.platform === 'win32' ? 'exit 1' : '#!/bin/sh\nexit 1\n', {
      mode: 0o755,
    });
    const PATH = `${folder}${delimiter}${plain.PATH}`;
    const stdio = { isTrusted: true, allowedCommands: ['npx'], wantsVersions: true };
    stand = await openStand({ stdio, env: { ...plain, PATH } });
  });
  after(async () => {
    await stand.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const post = async (path: string, args: readonly string[]) => {
    const body = JSON.stringify({ alias: 'fetched', transport: 'stdio', command: 'npx', args });
    const response = await stand.as(stand.adminKey, path, { method: 'POST', body });
    return { status: response.status, text: await response.text() };
  };

  for (const path of ['/v1/mcp/server', '/mcp-rest/test/connection', '/mcp-rest/test/tools/list'])
    it(`is neither kept nor started without its exact version: ${path}`, async () => {
      for (const name of ['server', 'server@latest', 'server@^1.0.0']) {
        const { status, text } = await post(path, ['-y', name]);
        assert.match(text, /runs a package without an exact version/, name);
        if (path === '/v1/mcp/server') assert.equal(status, 403);
      }
    });

  it('is kept with it', async () => {
    const { status, text } = await post('/v1/mcp/server', ['-y', '@scope/server@1.2.3', '--port', '1']);
    assert.equal(status, 201, text);
  });
});

/** CVE-2026-42271: the default of a gateway that nobody configured for programs. */
describe('a gateway that was not told which programs may run', () => {
  let stand: Stand;
  let written: Programs;
  before(async () => {
    written = programs();
    stand = await openStand();
  });
  after(async () => {
    await stand.close();
    written.remove();
  });

  it('starts none over REST, nor keeps one, for its administrator either (CVE-2026-42271)', async () => {
    verifies('security.CVE-2026-42271');
    const body = JSON.stringify({ alias: 'dump', transport: 'stdio', ...written.write('') });
    for (const path of ['/mcp-rest/test/connection', '/mcp-rest/test/tools/list', '/v1/mcp/server']) {
      const response = await stand.as(stand.adminKey, path, { method: 'POST', body });
      const text = await response.text();
      assert.match(text, /cannot be started because this workspace is not trusted\. Trust its folder first/, path);
    }
    const { data } = (await stand.manage('GET', '/v1/mcp/server').then((it) => ({ data: it }))) as {
      data: unknown;
    };
    assert.deepEqual(data, []);
  });
});
