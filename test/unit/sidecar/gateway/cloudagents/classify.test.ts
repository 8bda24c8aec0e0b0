import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { classify } from '../../../../../sidecar/gateway/cloudagents/classify.ts';
import { targetOf } from '../../../../../sidecar/gateway/cloudagents/target.ts';

describe('a call to the cloud-agents service', () => {
  const rows: readonly [string, string, string, string][] = [
    ['POST', '/v0/agents', 'p:agent:create', '/v0/agents'],
    ['GET', '/v0/agents', 'p:agent:list', '/v0/agents'],
    ['GET', '/v0/agents/bc_1', 'p:agent:status', '/v0/agents/{id}'],
    ['DELETE', '/v0/agents/bc_1', 'p:agent:delete', '/v0/agents/{id}'],
    ['GET', '/v0/agents/bc_1/conversation', 'p:agent:conversation', '/v0/agents/{id}/conversation'],
    ['POST', '/v0/agents/bc_1/followup', 'p:agent:followup', '/v0/agents/{id}/followup'],
    ['POST', '/v0/agents/bc_1/stop', 'p:agent:stop', '/v0/agents/{id}/stop'],
    ['GET', '/v0/me', 'p:account:info', '/v0/me'],
    ['GET', '/v0/models', 'p:models:list', '/v0/models'],
    ['GET', '/v0/repositories', 'p:repositories:list', '/v0/repositories'],
    ['POST', '/v1/agents/a/runs', 'p:run:create', '/v1/agents/{id}/runs'],
    ['GET', '/v1/agents/a/runs/r/stream', 'p:run:stream', '/v1/agents/{id}/runs/{id}/stream'],
    ['GET', '/v0/agents/a/artifacts', 'p:get:/v0/agents/{id}/artifacts', '/v0/agents/{id}/artifacts'],
    ['PATCH', '/v7/secret-id', 'p:patch:/{id}/{id}', '/{id}/{id}'],
  ];
  for (const [method, path, name, template] of rows) {
    it(`${method} ${path} is ${name}`, () => assert.deepEqual(classify('p', method, path), { name, template }));
  }
});

describe('the address at the cloud-agents service', () => {
  it('is the base address, the path as it came, and the query', () => {
    assert.equal(
      targetOf('https://api.example/', '/v0/agents', '?limit=2').href,
      'https://api.example/v0/agents?limit=2',
    );
    assert.equal(targetOf('https://api.example/base', '/v0/a%20b', '').href, 'https://api.example/base/v0/a%20b');
  });

  for (const path of [
    'v0/agents',
    '//evil.example/v0',
    '/v0//agents',
    '/v0/../admin',
    '/v0/%2e%2e/admin',
    '/v0/.%2E/admin',
    '/v0/..%2fadmin',
    '/v0/%5cadmin',
    '/v0\\admin',
    '/v0/a\nb',
    '/v0/%00',
    '/v0/%zz',
    '/@evil.example/v0/..',
  ]) {
    it(`is refused for ${JSON.stringify(path)}`, () =>
      assert.throws(() => targetOf('https://api.example', path, ''), {
        code: 'invalid_params',
        data: { field: 'path' },
      }));
  }
});
