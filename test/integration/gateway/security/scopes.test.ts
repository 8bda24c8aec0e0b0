import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { speakAll, speakMcp } from '../../../support/gateway/backendAnswers.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

/** Session hijack, timing and enumeration, shadowing, amplification by fan-out. */
describe('what a key reaches', () => {
  let stand: Stand;
  let key: string;
  let other: string;

  before(async () => {
    stand = await openStand();
    const { url } = stand.backend;
    await stand.addServer({ alias: 'one', url: `${url}/mcp/one`, mcp_access_groups: ['group'] });
    await stand.addServer({ alias: 'two', url: `${url}/mcp/two` });
    await stand.addServer({ alias: 'secret', url: `${url}/mcp/secret` });
    await stand.gateway.store.toolset.insert({
      toolset_id: 'set-1',
      toolset_name: 'set',
      tools: [{ server_id: 'id-secret', tool_name: 'echo' }],
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
    const object_permission = { mcp_servers: ['one', 'two'] };
    key = await stand.addKey({ object_permission });
    other = await stand.addKey({ object_permission });
  });
  after(() => stand.close());
  beforeEach(() => {
    stand.backend.heard.splice(0);
    stand.backend.answer = speakAll;
  });

  const namesOf = async (headers: Record<string, string>, path = '/mcp') => {
    const { status, json } = await stand.mcp(path, key, headers).request('tools/list');
    return [status, json.result?.tools?.map((it) => it.name)];
  };

  describe('through a session (session hijack)', () => {
    verifies('security.session-hijack');
    it('is nothing with the session of another key: 404 for calls, streams and its end', async () => {
      const session = await stand.mcp('/one/mcp', key).initialized();
      const stolen = session.with({ authorization: `Bearer ${other}` });
      for (const answer of [await stolen.request('tools/list'), await stolen.call('echo')])
        assert.deepEqual([answer.status, answer.json.error?.message], [404, 'Session not found']);
      for (const method of ['GET', 'DELETE'] as const) {
        const response = await stolen.send(method, { accept: 'text/event-stream' });
        assert.deepEqual([method, response.status], [method, 404]);
      }
      assert.equal((await session.call('echo')).status, 200, 'its owner still has it');
    });

    it('is nothing with it for another end user, at another address, or with one letter of it changed', async () => {
      const session = await stand.mcp('/one/mcp', key).initialized();
      const { headers } = await stand.mcp('/one/mcp', key).request('initialize', hello);
      const id = headers.get('mcp-session-id') ?? '';
      await stand.gateway.store.end_user.insert({ user_id: 'customer', created_at: '', updated_at: '' });
      const changed = `${id.slice(0, -2)}${id.at(-2) === 'A' ? 'B' : 'A'}${id.slice(-1)}`;
      for (const stolen of [
        session.with({ 'x-gateway-end-user-id': 'customer' }),
        session.at(`${stand.base}/two/mcp`),
        session.at(`${stand.base}/mcp`),
        stand.mcp('/one/mcp', key, { 'mcp-session-id': changed }),
        stand.mcp('/one/mcp', key, { 'mcp-session-id': 'a'.repeat(40) }),
      ])
        assert.equal((await stolen.request('tools/list')).status, 404);
    });

    it('is never guessed: an id is sealed, of 128 bits and more, and no two are alike', async () => {
      const ids = await Promise.all(
        Array.from({ length: 8 }, async () =>
          (await stand.mcp('/mcp', key).request('initialize', hello)).headers.get('mcp-session-id'),
        ),
      );
      assert.equal(new Set(ids).size, 8);
      for (const id of ids) assert.match(id ?? '', /^[\w-]{64,}$/);
    });
  });

  describe('by a name that it does not have (enumeration; Kong 3.13)', () => {
    verifies('security.enumeration', 'security.Kong-3.13');
    it('is the same for a tool that is hidden and one that is nowhere, in every byte but the name', async () => {
      for (const [path, hidden, nowhere] of [
        ['/mcp', 'secret__echo', 'nobody__echo'],
        ['/one/mcp', 'secret__echo', 'nobody__echo'],
      ] as const) {
        const [a, b] = [await stand.mcp(path, key).call(hidden), await stand.mcp(path, key).call(nowhere)];
        const said = (it: typeof a, name: string) => [
          it.status,
          JSON.stringify(it.json).replaceAll(name, 'X'),
          [...it.headers.keys()],
        ];
        if (path === '/mcp') assert.deepEqual(said(a, hidden), said(b, nowhere));
        else assert.equal(a.status, b.status);
      }
      assert.ok(
        stand.calls().every((it) => it.path !== '/mcp/secret'),
        'the hidden server was not asked',
      );
    });

    it('is the same on the REST routes', async () => {
      const call = async (body: object) => {
        const response = await fetch(`${stand.base}/mcp-rest/tools/call`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
          body: JSON.stringify(body),
        });
        return [response.status, (await response.text()).replaceAll(/secret|nobody/g, 'X')];
      };
      assert.deepEqual(await call({ name: 'secret__echo' }), await call({ name: 'nobody__echo' }));
      assert.deepEqual(
        await call({ name: 'echo', server_id: 'id-secret' }),
        await call({ name: 'echo', server_id: 'id-nobody' }),
      );
    });

    it('is 404 at the address of a hidden server, of a hidden toolset, and of none, with one body', async () => {
      const said = { hidden: new Set<string | undefined>(), odd: new Set<string | undefined>() };
      const messageAt = async (path: string) => {
        const { status, json } = await stand.mcp(path, key).request('tools/list');
        assert.equal(status, 404, path);
        return json.error?.message;
      };
      const hidden = ['/secret/mcp', '/mcp/secret', '/toolset/set/mcp', '/mcp/secret,nobody', '/set/mcp'];
      const none = [
        '/nobody/mcp',
        '/mcp/nobody',
        '/toolset/none/mcp',
        '/mcp/*',
        '/null/mcp',
        '/mcp/%20',
        '/mcp/id-secre',
      ];
      for (const path of [...hidden, ...none]) said.hidden.add(await messageAt(path));
      assert.deepEqual([...said.hidden], ['MCP server, toolset, or access group not found.']);
      for (const path of ['/mcp/one/two', '/one/mcp/two', '/toolset/mcp/', '/one/two/mcp'])
        said.odd.add(await messageAt(path));
      assert.deepEqual([...said.odd], ['No such address.']);
    });
  });

  describe('by x-mcp-servers (malformed scope, ContextForge #3892)', () => {
    verifies('security.ContextForge-3892');
    it('is what it names, never more', async () => {
      const cases = [
        ['one', ['one__echo']],
        ['ONE , two', ['one__echo', 'two__echo']],
        ['group', ['one__echo']],
        ['secret', []],
        ['one,secret', ['one__echo']],
        ['nobody', []],
        ['', []],
        [' , ,', []],
        ['*', []],
        ['null', []],
        ['one;two', []],
      ] as const;
      for (const [header, tools] of cases)
        assert.deepEqual(await namesOf({ 'x-mcp-servers': header }), [200, tools], header);
    });

    it('is nothing for calls that it does not name', async () => {
      const { json } = await stand.mcp('/mcp', key, { 'x-mcp-servers': 'two' }).call('one__echo');
      assert.equal(json.result?.isError, true);
      assert.deepEqual(stand.calls(), []);
    });

    it('is decided by the path where both name something', async () => {
      assert.deepEqual(await namesOf({ 'x-mcp-servers': 'two' }, '/one/mcp'), [200, ['echo']]);
    });
  });

  it('is each under its own name where two servers have a tool of one name (shadowing)', async () => {
    verifies('security.shadowing');
    assert.deepEqual(await namesOf({}), [200, ['one__echo', 'two__echo']]);
    await stand.mcp('/mcp', key).call('two__echo');
    assert.deepEqual(
      stand
        .calls()
        .filter((it) => it.body.includes('tools/call'))
        .map((it) => it.path),
      ['/mcp/two'],
    );
    const { json } = await stand.mcp('/mcp', key).call('echo');
    assert.equal(json.result?.isError, true, 'a bare name means neither');
  });

  it("is no neighbour's tool by a name that holds the separator (shadowing)", async () => {
    const { url } = stand.backend;
    stand.backend.answer = (heard, response) => {
      const tools = heard.path === '/mcp/one' ? [{ name: 'two__echo', inputSchema: { type: 'object' } }] : undefined;
      speakMcp(heard, response, tools);
    };
    await stand.mcp('/mcp', key).request('tools/list');
    await stand.mcp('/mcp', key).call('two__echo');
    const asked = stand.calls().filter((it) => it.body.includes('tools/call'));
    assert.deepEqual([url && asked.map((it) => it.path)], [['/mcp/two']]);
  });

  describe('with many requests at once (fan-out amplification)', () => {
    verifies('security.fan-out');
    it('is as much as may run side by side: the others are refused at once, for lists and calls', async () => {
      const narrow = await openStand();
      try {
        for (const alias of ['one', 'two'])
          await narrow.addServer({ alias, url: `${narrow.backend.url}/mcp/${alias}` });
        const few = await narrow.addKey({ max_parallel_requests: 2 });
        assert.equal((await narrow.mcp('/mcp', few).request('tools/list')).status, 200); // shakes hands
        const held: (() => void)[] = [];
        narrow.backend.answer = (heard, response) => {
          held.push(() => speakMcp(heard, response));
        };
        const { heard } = narrow.backend;
        for (const [path, method, params, each] of [
          ['/mcp', 'tools/list', {}, 2],
          ['/one/mcp', 'tools/call', { name: 'echo' }, 1],
        ] as const) {
          heard.splice(0);
          const statuses: number[] = [];
          const all = Array.from({ length: 10 }, async () => {
            const { status } = await narrow.mcp(path, few).request(method, params);
            statuses.push(status);
          });
          await until('eight are refused', () => statuses.length === 8);
          await until('two are at their servers', () => held.length === 2 * each);
          assert.deepEqual(new Set(statuses), new Set([429]));
          for (const let_ of held.splice(0)) let_();
          await Promise.all(all);
          assert.deepEqual(statuses.slice(8), [200, 200]);
          assert.equal(heard.length, 2 * each);
        }
      } finally {
        await narrow.close();
      }
    });
  });

  describe('with one request (fan-out amplification)', () => {
    verifies('security.fan-out');
    it('is at most 256 servers, however many it names', async () => {
      const wide = await openStand();
      try {
        const names = Array.from({ length: 300 }, (_, at) => `s${at}`);
        for (const alias of names) await wide.addServer({ alias, url: `${wide.backend.url}/mcp/${alias}` });
        const all = await wide.addKey();
        const asked = [...Array.from({ length: 4 }, () => names).flat(), 'nobody'].join(',');
        const { status } = await wide.mcp('/mcp', all, { 'x-mcp-servers': asked }).request('tools/list');
        assert.equal(status, 200);
        const paths = wide.calls().map((it) => it.path);
        assert.deepEqual([paths.length, new Set(paths).size], [256, 256]);
      } finally {
        await wide.close();
      }
    });
  });
});

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
