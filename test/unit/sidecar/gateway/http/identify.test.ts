import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { beforeEach, describe, it } from 'mocha';
import type { Caller } from '../../../../../sidecar/gateway/auth/caller.ts';
import { defaultCredentialOptions } from '../../../../../sidecar/gateway/auth/credential.ts';
import { Progress } from '../../../../../sidecar/gateway/auth/progress.ts';
import { EarlierHeaders } from '../../../../../sidecar/gateway/http/earlierHeaders.ts';
import { type IdentifyDeps, identify, Unauthorized } from '../../../../../sidecar/gateway/http/identify.ts';
import { IncomingRequest } from '../../../../../sidecar/gateway/http/incomingRequest.ts';
import type { Route } from '../../../../../sidecar/gateway/routing/route.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';

const mcp = { method: 'POST', path: '/mcp', surface: 'mcp', auth: 'key' } as Route;
const rest = { method: 'POST', path: '/rest', surface: 'rest', auth: 'key' } as Route;

describe('the caller of a request', () => {
  let resolved: { readonly key: string | undefined; readonly identity: object }[];
  let rejected: string[];
  let deps: IdentifyDeps;
  let earlier: EarlierHeaders;
  beforeEach(() => {
    [resolved, rejected, earlier] = [[], [], new EarlierHeaders()];
    const caller = {} as Caller;
    deps = {
      callers: {
        async resolve(credential: { key: string } | undefined, identity: object) {
          if (!credential) throw new Fault('auth_required', 'A key is required.');
          if (credential.key === 'away') throw new Fault('unavailable', 'The database does not answer.');
          resolved.push({ key: credential.key, identity });
          return caller;
        },
      },
      accessTokens: { prefixes: [], isOurs: () => false },
      credentials: defaultCredentialOptions,
      identity: {},
      trustedProxies: () => false,
      maxBodyBytes: 1_000,
      rejected: (template: string) => void rejected.push(template),
    } as unknown as IdentifyDeps;
  });
  const ask = async (rawHeaders: readonly string[], socket: Socket, route = mcp, method = 'POST', body = '') => {
    const sent = { method, url: route.path, rawHeaders, socket };
    const incoming = Object.assign(Readable.from([Buffer.from(body)]), sent) as unknown as IncomingMessage;
    const request = new IncomingRequest(incoming, { once: () => undefined } as unknown as ServerResponse, earlier);
    return identify(
      deps,
      { request, requestId: 'r', progress: new Progress(() => 0) } as never,
      route,
      'http://gateway.test',
    );
  };
  const key = ['Authorization', 'Bearer k'];

  it('is read anew where a request on the same connection has one header more, one less, or another value', async () => {
    const socket = new Socket();
    for (const more of [
      ['X-MCP-Servers', 'a'],
      [],
      ['X-MCP-Servers', 'a'],
      ['X-MCP-Servers', 'b'],
      ['X-Mcp-Other', 'b'],
      ['Content-Length', '1'],
      ['Content-Length', '22'],
    ])
      await ask([...key, ...more], socket);
    await ask(['Authorization', 'Bearer other'], socket);
    assert.deepEqual(
      resolved.map(({ key, identity }) => [key, 'mcpServers' in identity ? identity.mcpServers : undefined]),
      [
        ['k', ['a']],
        ['k', undefined],
        ['k', ['a']],
        ['k', ['b']],
        ['k', undefined],
        ['k', undefined],
        ['k', undefined],
        ['other', undefined],
      ],
    );
    assert.equal(resolved[5]?.identity, resolved[6]?.identity, 'the length of the body is read for nothing');
  });

  it('is read as its route reads headers, also on a connection that another route was asked on', async () => {
    const socket = new Socket();
    const headers = [...key, 'X-MCP-Servers', 'a', 'X-Gateway-Tags', 't'];
    for (const route of [mcp, rest, mcp]) await ask(headers, socket, route, 'GET');
    assert.deepEqual(
      resolved.map(({ identity }) => ['mcpServers' in identity, 'tags' in identity && identity.tags]),
      [
        [true, []],
        [false, ['t']],
        [true, []],
      ],
    );
  });

  it('is read from the headers once, and again only for a request whose body names an end user', async () => {
    const socket = new Socket();
    const headers = [...key, 'Content-Type', 'application/json'];
    for (const body of ['{"method":"m"}', 'no JSON', '{"method":"other"}', '{"user":"u"}', '{"method":"m"}'])
      await ask(headers, socket, rest, 'POST', body);
    assert.deepEqual(
      resolved.map(({ identity }) => ('endUserId' in identity ? identity.endUserId : undefined)),
      [undefined, undefined, undefined, 'u', undefined],
    );
    assert.equal(new Set(resolved.map(({ identity }) => identity)).size, 2);
  });

  it('is counted as turned away once where it is unknown, with the way to sign in, and not where nobody could know it', async () => {
    const socket = new Socket();
    await assert.rejects(ask([], socket), (thrown) => thrown instanceof Unauthorized && thrown.challenge !== '');
    assert.deepEqual(rejected, ['/mcp']);
    await assert.rejects(ask(['Authorization', 'Bearer away'], socket), { code: 'unavailable' });
    assert.deepEqual(rejected, ['/mcp']);
  });
});
