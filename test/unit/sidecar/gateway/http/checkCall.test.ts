import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { checkCall } from '../../../../../sidecar/gateway/http/checkCall.ts';
import { allRoutes } from '../../../../../sidecar/gateway/http/routes.ts';
import { RouteTable } from '../../../../../sidecar/gateway/routing/routeTable.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { callContext } from '../../../../support/gateway/callContext.ts';

const table = new RouteTable(await allRoutes());

describe('allowed_routes of a key', () => {
  const rows: readonly (readonly [allowed: string, address: string, isAllowed: boolean, role?: 'proxy_admin'])[] = [
    ['/v1/agents/one', 'GET /v1/agents/one', true],
    ['/v1/agents/one', 'GET /v1/agents/two', false],
    ['/v1/agents/{agent_id}', 'GET /v1/agents/one', true],
    ['/v1/agents/*', 'DELETE /v1/agents/one', true],
    ['info_routes', 'GET /v1/agents/one', true],
    ['info_routes', 'DELETE /v1/agents/one', false],
    ['management_routes', 'DELETE /v1/agents/one', true],
    ['/mcp/{server}', 'POST /mcp/echo', true],
    ['/mcp/{server}', 'POST /echo/mcp', false],
    ['/a2a/{agent_id}', 'POST /v1/a2a/one/message/send', true],
    ['/cloudagents', 'POST /cloudagents/v0/agents', true],
    ['mcp_routes', 'GET /key/list', false, 'proxy_admin'],
    ['agent_routes', 'POST /mcp', true, 'proxy_admin'],
    ['agent_routes', 'GET /metrics', true, 'proxy_admin'],
  ];
  for (const [allowed, address, isAllowed, role] of rows)
    it(`that is ${allowed} ${isAllowed ? 'lets' : 'does not let'} ${role ?? 'it'} in at ${address}`, () => {
      const [method = '', pathname = ''] = address.split(' ');
      const { route } = table.find(method, pathname) ?? assert.fail();
      const { caller, holdsKey } = callContext({ caller: { key: { token: 't' } } });
      const own = { ...caller, key: { ...caller.key, allowed_routes: [allowed], ...(role && { role }) } };
      const check = () => checkCall(own, route, { pathname, search: '', clientAddress: '192.0.2.1', holdsKey });
      if (isAllowed) check();
      else assert.throws(check, (thrown) => thrown instanceof Fault && thrown.code === 'forbidden');
    });
});
