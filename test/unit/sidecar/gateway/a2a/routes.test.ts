import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { a2aRoutes } from '../../../../../sidecar/gateway/a2a/routes.ts';
import { noSuchAddress } from '../../../../../sidecar/gateway/routing/route.ts';
import { RouteTable } from '../../../../../sidecar/gateway/routing/routeTable.ts';
import { verifies } from '../../../../support/verifies.ts';

const table = new RouteTable(a2aRoutes);

/** The operations over HTTP+JSON, each with what its row is called. */
const operations: readonly [address: string, row: string][] = [
  ['POST message:send', 'message:send'],
  ['POST message:stream', 'message:stream'],
  ['GET tasks', 'tasks'],
  ['GET tasks/t', 'tasks/{task}'],
  ['GET tasks/t:subscribe', 'tasks/{task}'],
  ['POST tasks/t:subscribe', 'tasks/{task}'],
  ['POST tasks/t:cancel', 'tasks/{task}'],
  ['POST tasks/t/pushNotificationConfigs', 'tasks/{task}/pushNotificationConfigs'],
  ['GET tasks/t/pushNotificationConfigs', 'tasks/{task}/pushNotificationConfigs'],
  ['GET tasks/t/pushNotificationConfigs/c', 'tasks/{task}/pushNotificationConfigs/{config}'],
  ['DELETE tasks/t/pushNotificationConfigs/c', 'tasks/{task}/pushNotificationConfigs/{config}'],
];
describe('an operation over HTTP+JSON', () => {
  for (const [prefix, card] of [
    ['', 'extendedAgentCard'],
    ['v1/', 'card'],
    ['{tenant}/', 'extendedAgentCard'],
  ] as const)
    for (const [address, row] of [...operations, [`GET ${card}`, card] as const])
      it(`has a row below /a2a/{agent_id}/${prefix}: ${address}`, () => {
        verifies('gateway.a2a.http-json');
        const [method = '', path = ''] = address.split(' ');
        const match = table.find(method, `/a2a/weather/${prefix.replace('{tenant}', 'acme')}${path}`);
        assert.equal(match?.route.path, `/a2a/{agent_id}/${prefix}${row}`);
        assert.equal(match.params['tenant'], prefix === '{tenant}/' ? 'acme' : undefined);
      });

  it('has no row for another method', () => {
    for (const [method, path] of [
      ['GET', 'message:send'],
      ['PUT', 'tasks/t'],
      ['DELETE', 'tasks/t'],
      ['POST', 'extendedAgentCard'],
      ['GET', 'card'],
    ] as const)
      assert.equal(table.find(method, `/a2a/weather/${path}`)?.route.handle, noSuchAddress, path);
  });
});

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
    ['/a2a/weather/message:send', '/a2a/{agent_id}/message:send', 'weather'],
    ['/a2a/weather/v1/message:stream', '/a2a/{agent_id}/v1/message:stream', 'weather'],
    ['/a2a/weather/tenant/message:send', '/a2a/{agent_id}/{tenant}/message:send', 'weather'],
    ['/a2a/weather/tasks/t:cancel', '/a2a/{agent_id}/tasks/{task}', 'weather'],
    [
      '/a2a/weather/v1/tasks/t/pushNotificationConfigs',
      '/a2a/{agent_id}/v1/tasks/{task}/pushNotificationConfigs',
      'weather',
    ],
    ['/a2a/weather/tasks/a%252fb:cancel', undefined],
    ['/a2a/weather/tasks/a%2fb:cancel', undefined],
    ['/a2a/weather/tasks/..:cancel/', '/a2a/{agent_id}/tasks/{task}', 'weather'],
    ['/a2a/weather/.well-known/message:send', undefined],
    ['/a2a/weather/a%25/message:send', undefined],
    ['/a2a/weather/v1/v1/message:send', undefined],
    ['/a2a/weather/message:other', undefined],
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
