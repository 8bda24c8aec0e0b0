import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { a2aRoutes } from '../../../../../sidecar/gateway/a2a/routes.ts';
import { noSuchAddress } from '../../../../../sidecar/gateway/routing/route.ts';
import { RouteTable } from '../../../../../sidecar/gateway/routing/routeTable.ts';

const table = new RouteTable(a2aRoutes);

describe('an address of the A2A surface', () => {
  const rows: readonly [path: string, template: string | undefined, agent?: string][] = [
    ['/a2a/weather', '/a2a/{agent_id}', 'weather'],
    ['/a2a/weather/', '/a2a/{agent_id}', 'weather'],
    ['/a2a/my%20agent', '/a2a/{agent_id}', 'my agent'],
    ['/a2a/weather/message/send', '/a2a/{agent_id}/message/send', 'weather'],
    ['/a2a/weather/message/send/', '/a2a/{agent_id}/message/send', 'weather'],
    ['/v1/a2a/weather/message/send', '/v1/a2a/{agent_id}/message/send', 'weather'],
    ['/a2a/weather/.well-known/agent-card.json', '/a2a/{agent_id}/.well-known/agent-card.json', 'weather'],
    ['/a2a/weather/.well-known/agent.json', '/a2a/{agent_id}/.well-known/agent.json', 'weather'],
    ['/a2a', undefined],
    ['/a2a/', undefined],
    ['/v1/a2a/weather', undefined],
    ['/v1/a2a/weather/.well-known/agent-card.json', undefined],
    ['/a2a/weather/message/stream', undefined],
    ['/a2a/weather/message', undefined],
    ['/a2a/weather/.well-known/jwks.json', undefined],
    ['/a2a/weather/../other', undefined],
    ['/a2a/%2e%2e', undefined],
    ['/a2a/a%2fb', undefined],
    ['/a2a/a%5cb', undefined],
    ['/a2a/a%252fb', undefined],
    ['/a2a//weather', undefined],
    ['/a2a/weather//', undefined],
    ['/a2a/%00', undefined],
    ['/a2a/%', undefined],
    ['/A2A/weather', undefined],
    ['/mcp', undefined],
  ];
  for (const [path, template, agent] of rows) {
    it(`${path} is ${template ?? 'none of ours'}`, () => {
      const match = table.find(path.includes('.well-known') ? 'GET' : 'POST', path);
      const isThere = match !== undefined && match.route.handle !== noSuchAddress;
      assert.deepEqual(isThere ? [match.route.path, match.params['agent_id']] : [undefined, undefined], [
        template,
        agent,
      ]);
    });
  }
});
