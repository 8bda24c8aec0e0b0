import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as z from 'zod';
import { GatewayClient, withQuery } from '../../../../src/gateway/client.ts';
import { GatewayError } from '../../../../src/gateway/gatewayError.ts';
import { english } from '../../../support/extensionStates.ts';

const KEY = 'sk-canary-0123456789abcdef';

describe('the client of the gateway', () => {
  let server: Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let seen: IncomingMessage[];
  let addresses: string[];
  let forgotten: number;
  let client: GatewayClient;
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const json = (status: number, body: unknown) => (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const refusal = (asking: Promise<unknown>): Promise<GatewayError> =>
    asking.then(
      () => assert.fail('it was answered'),
      (it: unknown) => (it instanceof GatewayError ? it : assert.fail(String(it))),
    );

  beforeEach(async () => {
    seen = [];
    forgotten = 0;
    server = createServer((request, response) => {
      seen.push(request);
      answer(request, response);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    addresses = [url()];
    const door = {
      address: async () => ({ baseUrl: addresses[0]!, key: KEY }),
      forget() {
        forgotten += 1;
        if (addresses.length > 1) addresses.shift();
      },
    };
    client = new GatewayClient({ door, l10n: english });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('sends the key in one header, and reads the answer by its schema', async () => {
    answer = json(200, { keys: 3, more: true });
    const got = await client.get('/key/list', { page: 2, search: '', team_id: undefined }, z.object({ keys: z.int() }));
    assert.deepEqual(got, { keys: 3 });
    assert.deepEqual(
      [seen[0]?.url, seen[0]?.headers['x-gateway-api-key'], seen[0]?.headers['authorization']],
      ['/key/list?page=2', `Bearer ${KEY}`, undefined],
    );
  });

  it('tells what was refused in the words of the gateway, with the field', async () => {
    const error = { message: "'alias' is taken.", type: 'invalid_request_error', param: 'alias', code: '409' };
    answer = json(409, { error });
    const fault = await refusal(client.send('POST', '/key/generate', {}, z.unknown()));
    assert.deepEqual([fault.message, fault.param, fault.status], ["'alias' is taken.", 'alias', 409]);
  });

  it('says which answer it does not understand', async () => {
    answer = json(200, { keys: 'many' });
    const { message } = await refusal(client.get('/key/list', {}, z.object({ keys: z.int() })));
    assert.match(message, /response to \/key\/list is invalid \(keys\)/);
  });

  it('finds a gateway again that moved to another port', async () => {
    addresses = [await deadAddress(), url()];
    answer = json(200, 'here');
    assert.equal(await client.send('POST', '/x', { a: 1 }, z.string()), 'here');
    assert.equal(forgotten, 1);
  });

  it('makes itself known again where its key is not known any more', async () => {
    let tries = 0;
    answer = (request, response) => json(++tries === 1 ? 401 : 200, 'in')(request, response);
    assert.equal(await client.get('/x', {}, z.string()), 'in');
    assert.deepEqual([tries, forgotten], [2, 1]);
  });

  it('says what to do where nothing answers, and never what the key is', async () => {
    addresses = [await deadAddress()];
    const { message, cause } = await refusal(client.get('/x', {}, z.unknown()));
    assert.match(message, /is not responding \(.*ECONNREFUSED.*\)\. Try again, or run "Switchboard: Restart Host"/);
    assert.equal(`${message} ${String(cause)}`.includes(KEY), false);
  });

  it('never repeats what may have been done: a connection that breaks is an error', async () => {
    answer = (request) => request.socket.destroy();
    await refusal(client.send('POST', '/key/generate', {}, z.unknown()));
    assert.equal(seen.length, 1);
  });

  it('follows no redirect with the key', async () => {
    answer = (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end();
    await refusal(client.get('/x', {}, z.unknown()));
    assert.equal(seen.length, 1);
  });

  it('leaves out what a query does not say', () => {
    assert.equal(withQuery('/x', { a: undefined, b: '', c: 0, d: false, e: 'ü &' }), '/x?c=0&d=false&e=%C3%BC+%26');
    assert.equal(withQuery('/x', {}), '/x');
  });
});

/** Where nothing listens: a port that was just given back. */
async function deadAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
