import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, it } from 'mocha';
import { findLocalServers, localAddresses } from '../../../../src/gateway/localModels.ts';

describe('local model servers', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const it of servers.splice(0)) {
      it.closeAllConnections();
      it.close();
    }
  });

  /** @param body `undefined`: it never responds */
  async function serve(body: string | undefined, status = 200): Promise<string> {
    const server = createServer((request, response) => {
      if (body === undefined) return;
      const statuses: Readonly<Record<string, number>> = { '/v1/models': status, '/v1/moved': 200 };
      response.writeHead(statuses[request.url ?? ''] ?? 404, { location: '/v1/moved' }).end(body);
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }
  const list = (...ids: readonly unknown[]) => JSON.stringify({ data: ids.map((id) => ({ id })) });
  const foundAt = async (url: string) =>
    (await findLocalServers([{ provider: 'ollama', name: 'Ollama', url }])).map((it) => it.models);

  it('are found with the models that they list, but without those that only embed', async () =>
    assert.deepEqual(await foundAt(await serve(list('qwen3:8b', 'nomic-embed-text', 'gpt-oss:20b'))), [
      ['qwen3:8b', 'gpt-oss:20b'],
    ]));

  it('of llama.cpp are told by their owner from other programs at the same port', async () => {
    const data = [{ id: 'qwen', owned_by: 'llamacpp' }, { id: 'other', owned_by: 'me' }, { id: 'none' }];
    const url = await serve(JSON.stringify({ data }));
    const address = localAddresses({}).find((it) => it.name === 'llama.cpp')!;
    assert.equal(address.url, 'http://127.0.0.1:8080/v1');
    const [found] = await findLocalServers([{ ...address, url }]);
    assert.deepEqual(found?.models, ['qwen']);
  });

  for (const [what, body, status] of [
    ['has no model', list(), 200],
    ['lists something else', list(7), 200],
    ['responds with another format', '<html>', 200],
    ['responds with an error', list('a'), 500],
    ['redirects', list('a'), 302],
    ['responds with more than 1 MB', list('a').padEnd(1_000_001), 200],
    ['never responds', undefined, 200],
  ] as const)
    it(`leave out a program that ${what}`, async () => assert.deepEqual(await foundAt(await serve(body, status)), []));

  it('leave out an address where nothing listens', async () => {
    const url = await serve(list('a'));
    const [server] = servers;
    server?.close();
    await once(server!, 'close');
    assert.deepEqual(await foundAt(url), []);
  });

  for (const [value, url] of [
    [undefined, 'http://127.0.0.1:11434/v1'],
    ['127.0.0.1:9000', 'http://127.0.0.1:9000/v1'],
    ['http://localhost', 'http://127.0.0.1:11434/v1'],
    ['0.0.0.0:9000', 'http://127.0.0.1:11434/v1'],
    ['models.example:9000', 'http://127.0.0.1:11434/v1'],
  ] as const)
    it(`are asked for at ${url} where OLLAMA_HOST is ${value ?? 'not set'}`, () =>
      assert.deepEqual(
        localAddresses(value === undefined ? {} : { OLLAMA_HOST: value }).map((it) => it.url),
        [url, 'http://127.0.0.1:1234/v1', 'http://127.0.0.1:8080/v1'],
      ));
});
