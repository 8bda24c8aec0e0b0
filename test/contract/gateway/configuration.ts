import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { Directory } from '../../../sidecar/gateway/auth/directory.ts';
import { applyConfig } from '../../../sidecar/gateway/configuration/applyConfig.ts';
import { readConfig } from '../../../sidecar/gateway/configuration/readConfig.ts';
import { readSealedValues, withSealedValues } from '../../../sidecar/gateway/storage/sealedValues.ts';
import type { GatewayStore } from '../../../sidecar/gateway/storage/store.ts';
import type { GatewayConfigInput } from '../../../sidecar/protocol/gateway/config.ts';
import { StandingClock } from '../../support/gateway/clock.ts';
import type { StorePlace } from '../../support/gateway/stores.ts';
import { verifies } from '../../support/verifies.ts';

const env: Record<string, string> = { TOKEN: 'tok-1', KEY: 'key-1' };
const url = 'https://mcp.example.com/mcp';
const full: GatewayConfigInput = {
  mcp_servers: {
    git: {
      url,
      auth_type: 'bearer_token',
      credentials: { auth_value: { env: 'TOKEN' }, scopes: ['a'] },
      static_headers: { 'x-open': 'yes', 'x-secret': { file: 'header' } },
      env_vars: [{ name: 'WHO', value: { env: 'KEY' } }],
    },
    files: { transport: 'stdio', command: 'node', env: { LEVEL: 'warn', API_KEY: { env: 'KEY' } } },
  },
  stdio: { allowed_commands: ['node'] },
  agents: { rev: { agent_card_params: { url }, gateway_params: { api_key: { env: 'KEY' }, cost_per_query: 0.5 } } },
  toolsets: { tri: { tools: [{ server_id: 'git', tool_name: 'list' }] } },
  organizations: { acme: { max_budget: 10 } },
  budgets: { small: { rpm_limit: 3 } },
  teams: { t: { organization_id: 'acme', budget_id: 'small', object_permission: { mcp_servers: ['git'] } } },
};

/** What applying a configuration file owes everybody, on either database. */
export function configurationContract(name: string, open: () => Promise<StorePlace>): void {
  describe(`the configuration file on ${name}`, () => {
    const clock = new StandingClock('2026-03-04T10:00:00.000Z');
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-config-'));
    let place: StorePlace;
    let store: GatewayStore;
    let ids = 0;
    before(async function start() {
      place = await open();
      store = await place.open(clock);
      writeFileSync(join(folder, 'header'), 'from-file\n');
    });
    afterEach(() => void (env['TOKEN'] = 'tok-1'));
    after(async () => {
      await store.close();
      place.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    async function apply(config: GatewayConfigInput, to = store, actor = 'config') {
      const read = readConfig(JSON.stringify(config));
      assert.ok('config' in read);
      const sources = { env, folder };
      return applyConfig(to, read.config, {
        actor,
        sources,
        now: () => clock.now(),
        newId: () => `${name} ${(ids += 1)}`,
      });
    }
    async function changesOf(config: GatewayConfigInput, to = store): Promise<string[]> {
      const applied = await apply(config, to);
      assert.ok('changes' in applied, JSON.stringify(applied));
      return applied.changes.map((it) => `${it.action} ${it.kind} ${it.id}`);
    }

    it('makes a record of each entry, its id being its name', async () => {
      assert.deepEqual(await changesOf(full), [
        'created budget small',
        'created organization acme',
        'created team t',
        'created mcp_server git',
        'created mcp_server files',
        'created agent rev',
        'created toolset tri',
      ]);
      const server = await store.mcp_server.get('git');
      assert.deepEqual(
        [server?.server_name, server?.from_config, server?.approval_status, server?.created_by],
        ['git', true, 'active', 'config'],
      );
      assert.deepEqual((await store.team.get('t'))?.object_permission, { mcp_servers: ['git'] });
      assert.equal((await store.agent.byAlias('rev'))?.gateway_params?.cost_per_query, 0.5);
    });

    it('seals what is secret beside the record, and gives it back for a call alone', async () => {
      const server = await store.mcp_server.get('git');
      assert.ok(server);
      assert.deepEqual(server.static_headers, { 'x-open': 'yes' });
      assert.doesNotMatch(
        JSON.stringify([await store.mcp_server.all(), await store.agent.all()]),
        /tok-1|key-1|from-file/,
      );
      assert.deepEqual(JSON.parse((await store.secrets.get('mcp_server', 'git', 'credentials')) ?? ''), {
        auth_value: 'tok-1',
        scopes: ['a'],
      });
      assert.deepEqual(JSON.parse((await store.secrets.get('agent', 'rev', 'credentials')) ?? ''), {
        api_key: 'key-1',
      });
      const opened = withSealedValues(server, await readSealedValues(store.secrets, 'mcp_server', 'git'));
      assert.deepEqual(opened.static_headers, { 'x-open': 'yes', 'x-secret': 'from-file' });
      assert.equal(opened.env_vars?.[0]?.value, 'key-1');
      const files = await store.mcp_server.get('files');
      assert.ok(files);
      const process = withSealedValues(files, await readSealedValues(store.secrets, 'mcp_server', 'files'));
      assert.deepEqual(process.env, { LEVEL: 'warn', API_KEY: 'key-1' });
    });

    it('serves calls from records that hold their sealed values', async () => {
      const { servers } = await new Directory(store).registered();
      const server = servers.find((it) => it.server_id === 'git');
      assert.deepEqual(server?.static_headers, { 'x-open': 'yes', 'x-secret': 'from-file' });
    });

    it('writes nothing when nothing changed, on any replica', async () => {
      const told: string[] = [];
      const stop = store.changes.listen((kind, id) => told.push(`${kind} ${id}`));
      clock.pass(60_000);
      assert.deepEqual(await changesOf(full), []);
      const replica = await place.open(clock, 'b');
      assert.deepEqual(await changesOf(full, replica), []);
      await replica.close();
      stop();
      assert.deepEqual(told, []);
    });

    it('brings records in line again that were changed in the database', async () => {
      const config: GatewayConfigInput = {
        mcp_servers: {
          ...full.mcp_servers,
          small: { url },
          rich: { url, mcp_info: { a: { b: [1, null] } }, env_vars: null, env: { A: '1', B: '2' } },
        },
      };
      await apply(config);
      assert.deepEqual(await changesOf(config), []);
      const small = (await store.mcp_server.get('small'))!;
      const { from_config: _, ...unmarked } = small;
      const { server_name: __, ...nameless } = small;
      const changed = [
        nameless,
        { ...small, description: 'added' },
        { ...small, alias: null },
        { ...small, url: 'https://other.example.com/mcp' },
        { ...small, approval_status: 'pending_review' as const },
      ];
      for (const it of changed) {
        await store.mcp_server.update('small', () => it);
        assert.deepEqual(await changesOf(config), ['updated mcp_server small']);
        assert.deepEqual(unstamped((await store.mcp_server.get('small'))!), unstamped(small));
      }
      for (const part of [{ mcp_info: { a: { b: [1] } } }, { env: { A: '1' } }, { mcp_info: null }]) {
        await store.mcp_server.update('rich', (it) => ({ ...it, ...part }));
        assert.deepEqual(await changesOf(config), ['updated mcp_server rich']);
      }
      await store.mcp_server.update('small', (it) => ({ ...it, updated_by: 'someone', updated_at: clock.now() }));
      assert.deepEqual(await changesOf(config), []);
      await store.mcp_server.update('small', () => unmarked);
      assert.ok('findings' in (await apply(config)));
      await store.mcp_server.remove('small');
      await apply(full);
    });

    it('writes the record again when only its secret changed, so that whoever keeps it lets go', async () => {
      const before = await store.mcp_server.get('git');
      env['TOKEN'] = 'tok-2';
      clock.pass(1_000);
      assert.deepEqual(await changesOf(full), ['updated mcp_server git']);
      const changed = await store.mcp_server.get('git');
      assert.notEqual(changed?.updated_at, before?.updated_at);
      assert.equal(changed?.created_at, before?.created_at);
      assert.match((await store.secrets.get('mcp_server', 'git', 'credentials')) ?? '', /tok-2/);
      env['TOKEN'] = 'tok-1';
      assert.deepEqual(await changesOf(full), ['updated mcp_server git']);
    });

    it('writes nothing at all when a secret is not there, and names the member', async () => {
      const more = {
        ...full,
        budgets: {},
        agents: { rev: { agent_card_params: {}, gateway_params: { api_key: { env: 'NOT_SET' } } } },
      };
      const applied = await apply(more);
      assert.ok('findings' in applied);
      assert.deepEqual(
        applied.findings.map((it) => [it.path.join('.'), it.message]),
        [['agents.rev.gateway_params.api_key', "the environment variable 'NOT_SET' is not set"]],
      );
      assert.ok(await store.budget.get('small'));
    });

    it('leaves alone what was registered otherwise, and says whose name is taken', async () => {
      const at = clock.now();
      await store.team.insert({ team_id: 'own', team_alias: 'Own', created_at: at, updated_at: at });
      for (const teams of [{ own: {} }, { other: { team_alias: 'Own' } }]) {
        const applied = await apply({ ...full, teams });
        assert.ok('findings' in applied);
        assert.match(applied.findings[0]?.message ?? '', /is already registered/);
      }
      assert.deepEqual(await changesOf(full), []);
    });

    it('removes what left the file with its secrets, and nothing else', async () => {
      const { git, ...servers } = full.mcp_servers ?? {};
      assert.ok(git);
      assert.deepEqual(await changesOf({ ...full, mcp_servers: servers, toolsets: {}, teams: {} }), [
        'deleted toolset tri',
        'deleted mcp_server git',
        'deleted team t',
      ]);
      assert.equal(await store.mcp_server.get('git'), undefined);
      assert.deepEqual(await store.secrets.names('mcp_server', 'git'), []);
      assert.ok(await store.team.get('own'));
      assert.equal((await changesOf(full)).length, 3);
    });

    it('keeps an audit of every change, by the configuration, without a secret in it', async () => {
      const entries = await store.audit.list({ kind: 'mcp_server', object_id: 'git', limit: 50 });
      assert.deepEqual(new Set(entries.map((it) => it.actor)), new Set(['config']));
      assert.deepEqual(entries.map((it) => it.action).sort(), ['created', 'created', 'deleted', 'updated', 'updated']);
      assert.doesNotMatch(JSON.stringify(entries), /tok-|key-1|from-file/);
      assert.match(entries.find((it) => it.action === 'deleted')?.before ?? '', /"server_id":"git"/);
    });

    it('ends with one set of records when replicas start at the same moment', async () => {
      await changesOf({});
      const replica = await place.open(clock, 'b');
      const changes = await Promise.all([changesOf(full), changesOf(full, replica)]);
      await replica.close();
      assert.deepEqual(await changesOf(full), []);
      assert.ok(changes.flat().length >= 7);
      assert.equal((await store.mcp_server.all()).length, 2);
    });

    it('is applied also where another replica is first with every record', async () => {
      await changesOf({});
      assert.ok((await changesOf(full, overtakenAlways(store))).length <= 1, 'all but the last were made by the other');
      assert.deepEqual(await changesOf(full), []);
      assert.equal((await store.mcp_server.all()).length, 2);
    });

    it('leaves the secrets of a server alone whose id somebody registered meanwhile', async () => {
      verifies('gateway.manage.secrets-with-record');
      await changesOf({});
      const { git } = full.mcp_servers ?? {};
      assert.ok(git);
      const at = clock.now();
      const theirs = { server_id: 'git', transport: 'http', url, approval_status: 'active' } as const;
      const applied = await apply(
        { mcp_servers: { git } },
        overtakenAlways(store, async () => {
          await store.mcp_server.insert({ ...theirs, created_at: at, updated_at: at }, (transaction) =>
            store.secrets.within(transaction).put('mcp_server', 'git', 'credentials', '{"auth_value":"theirs"}'),
          );
        }),
      );
      assert.ok('findings' in applied);
      assert.equal(await store.secrets.get('mcp_server', 'git', 'credentials'), '{"auth_value":"theirs"}');
      assert.equal(await store.secrets.get('mcp_server', 'git', 'values'), undefined);
      await store.mcp_server.remove('git', (transaction) =>
        store.secrets.within(transaction).remove('mcp_server', 'git'),
      );
    });

    it('lets a name move from one record of the file to another', async () => {
      const team = (id: string): GatewayConfigInput => ({ teams: { crew: { team_id: id } } });
      await apply(team('old'));
      await apply(team('new'));
      assert.deepEqual((await store.team.byAlias('crew'))?.team_id, 'new');
      assert.equal(await store.team.get('old'), undefined);
      await apply({});
    });

    it('seals a secret again that is gone from the database, and lets go of those that left the file', async () => {
      await apply(full);
      await store.secrets.remove('mcp_server', 'git', 'credentials');
      assert.deepEqual(await changesOf(full), ['updated mcp_server git']);
      assert.match((await store.secrets.get('mcp_server', 'git', 'credentials')) ?? '', /tok-1/);
      const { git, files } = full.mcp_servers!;
      const plain = { url, auth_type: git!.auth_type, credentials: git!.credentials } as typeof git;
      assert.deepEqual(await changesOf({ ...full, mcp_servers: { git: plain!, files: files! } }), [
        'updated mcp_server git',
      ]);
      const ofGit = (await store.secrets.names('mcp_server', 'git')).map((it) => it.name);
      assert.deepEqual(ofGit, ['credentials']);
      assert.deepEqual(await changesOf(full), ['updated mcp_server git']);
    });

    it('says who made a record also after somebody else changed it', async () => {
      const mine = (address: string) => ({ mcp_servers: { mine: { url: address } } });
      await apply(mine(url));
      await apply(mine(`${url}/moved`), store, 'operator');
      const { created_by, updated_by } = (await store.mcp_server.get('mine'))!;
      assert.deepEqual([created_by, updated_by], ['config', 'operator']);
    });

    it('names the file of an OpenAPI document as seen from its own folder', async () => {
      await apply({
        mcp_servers: {
          near: { spec_path: './apis/near.json', url },
          far: { spec_path: 'https://api.example/openapi.json' },
        },
      });
      assert.equal((await store.mcp_server.get('near'))?.spec_path, join(folder, 'apis', 'near.json'));
      assert.equal((await store.mcp_server.get('far'))?.spec_path, 'https://api.example/openapi.json');
    });
  });
}

/** A store in which somebody else makes each record, or does something else, just before it is made here. */
function overtakenAlways(
  store: GatewayStore,
  meanwhile: (make: () => unknown) => unknown = (make) => make(),
): GatewayStore {
  const bound = (target: object, name: string | symbol): unknown => {
    const value: unknown = Reflect.get(target, name);
    return typeof value === 'function' ? value.bind(target) : value;
  };
  return new Proxy(store, {
    get(target, name) {
      const records = bound(target, name);
      if (typeof records !== 'object' || records === null || !('insert' in records)) return records;
      const { insert } = records;
      if (typeof insert !== 'function') return records;
      return new Proxy(records, {
        get: (of, member) =>
          member === 'insert'
            ? async (...written: unknown[]) => {
                await meanwhile(() => insert.apply(of, written));
                return insert.apply(of, written);
              }
            : bound(of, member),
      });
    },
  });
}

function unstamped(record: object): object {
  const { updated_at: _, updated_by: __, ...rest } = record as Record<string, unknown>;
  return rest;
}
