import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { prefixed, splitName } from '../../../../../../sidecar/gateway/mcp/aggregation/names.ts';
import { select } from '../../../../../../sidecar/gateway/mcp/aggregation/scope.ts';
import type { VisibleServer } from '../../../../../../sidecar/gateway/mcp/mcpDeps.ts';
import { mcpRouteAt } from '../../../../../../sidecar/gateway/mcp/routes.ts';

const server = (server_id: string, more: Partial<VisibleServer['server']> = {}): VisibleServer => ({
  server: { server_id, transport: 'http', ...more },
  allows: () => true,
  isWhole: true,
});
const idsOf = (servers: readonly VisibleServer[]) => servers.map((it) => it.server.server_id);

describe('a prefixed name', () => {
  const servers = [
    server('1', { alias: 'a' }),
    server('2', { alias: 'a-b' }),
    server('3', { server_name: 'my server' }),
  ];

  it('is split at the first separator, so that tools may contain it', () => {
    assert.deepEqual(splitName(servers, '__', 'a__get__all'), { server: servers[0], name: 'get__all' });
    assert.deepEqual(splitName(servers, '__', 'a-b__x'), { server: servers[1], name: 'x' });
    assert.deepEqual(splitName(servers, '__', 'my_server__x'), { server: servers[2], name: 'x' });
  });

  it('means nothing without a server, and with one in other letters', () => {
    for (const name of ['x', '__x', 'A__x', 'c__x', '']) assert.equal(splitName(servers, '__', name), undefined, name);
  });

  it('comes back as it was, whatever the tool is called', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom('__', '.', '::'),
        fc.constantFrom(...servers),
        (name, separator, own) => {
          assert.deepEqual(splitName(servers, separator, prefixed(own, separator, name)), { server: own, name });
        },
      ),
    );
  });
});

describe('an address', () => {
  const rows: readonly [string, string | undefined, string?][] = [
    ['/mcp', '/mcp'],
    ['/mcp/', '/mcp'],
    ['/sse', '/sse'],
    ['/a/sse', '/{server}/sse', 'a'],
    ['/my%20server/sse', '/{server}/sse', 'my server'],
    ['/mcp/sse', '/mcp/{server}', 'sse'],
    ['/ui/sse', undefined],
    ['/a%252fb/sse', undefined],
    ['/mcp/a', '/mcp/{server}', 'a'],
    ['/mcp/a,b', '/mcp/{server}', 'a,b'],
    ['/mcp/mcp', '/mcp/{server}', 'mcp'],
    ['/a/mcp', '/{server}/mcp', 'a'],
    ['/my%20server/mcp', '/{server}/mcp', 'my server'],
    ['/toolset/t/mcp', '/toolset/{name}/mcp', 't'],
    ['/', undefined],
    ['//mcp', undefined],
    ['/mcp//a', undefined],
    ['/mcp/a/b', undefined],
    ['/v1/mcp', undefined],
    ['/a2a/mcp', undefined],
    ['/../mcp', undefined],
    ['/%2e%2e/mcp', undefined],
    ['/mcp/a%2fb', undefined],
    ['/mcp/a%5cb', undefined],
    ['/mcp/a%252fb', undefined],
    ['/mcp/%00', undefined],
    ['/mcp/%', undefined],
    ['/MCP', undefined],
  ];
  for (const [path, template, name] of rows) {
    it(`${path} is ${template ?? 'none of ours'}`, () => {
      const route = mcpRouteAt(path);
      assert.equal(route?.template, template);
      if (route && route.kind !== 'all') assert.equal(route.name, name);
    });
  }
});

describe('x-mcp-servers', () => {
  const visible = [
    server('id-1', { alias: 'web', server_name: 'Web Server' }),
    server('id-2', { alias: 'wiki', mcp_access_groups: ['staff', 'all'] }),
    server('id-3', { server_name: 'web', mcp_access_groups: ['staff'] }),
  ];
  const rows: readonly [string, readonly string[], readonly string[]][] = [
    ['an alias', ['WEB'], ['id-1']],
    ['a name', ['web server'], ['id-1']],
    ['an id', ['id-3'], ['id-3']],
    ['an access group', ['staff'], ['id-2', 'id-3']],
    ['both, in the order of the servers', ['staff', 'web'], ['id-1', 'id-2', 'id-3']],
    ['spaces around', [' wiki '], ['id-2']],
    ['what is not there', ['nobody'], []],
    ['nothing', [], []],
    ['an empty entry', [''], []],
    ['a group in other letters', ['STAFF'], []],
  ];
  for (const [what, entries, ids] of rows) {
    it(`with ${what} means ${ids.join(' and ') || 'no server'}`, () =>
      assert.deepEqual(idsOf(select(visible, entries)), ids));
  }

  it('never means more than the caller may use, however long it is', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (entries) => select(visible, entries).every((it) => visible.includes(it))),
    );
    const many = Array.from({ length: 1_000 }, (_it, at) => `nobody-${at}`);
    assert.deepEqual(idsOf(select(visible, [...many, 'web'])), []);
  });
});
