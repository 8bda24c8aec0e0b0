import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { McpRequest } from '../../../../../../sidecar/gateway/mcp/mcpRequest.ts';
import { debugHeaders } from '../../../../../../sidecar/gateway/mcp/transport/debugHeaders.ts';

const key = 'Bearer sk-0123456789abcdefgh';

describe('debug headers', () => {
  const way = (n: number, resolution: string | null = 'server', more: object = {}) => ({
    server: { server_id: `id-${n}`, alias: `s${n}`, url: `https://user:pass@s${n}.example/mcp?key=secret#f`, ...more },
    outbound: { headers: {}, ...(resolution !== null && { resolution }) },
  });
  const shown = (ways: readonly object[], sent: Record<string, string> = {}, caller: object = { debug: true }) =>
    debugHeaders({ context: { caller }, ways } as unknown as McpRequest, new Headers(sent));

  for (const count of [1, 32, 33, 40])
    it(`name ${Math.min(count, 32)} of ${count} servers, and say ${count > 32 ? 'that there are more' : 'no more'}`, () => {
      const ways = Array.from({ length: count }, (_, n) => way(n));
      const resolutions = JSON.parse(shown(ways)['x-mcp-debug-auth-resolutions'] ?? '') as Record<string, unknown>;
      const { truncated, ...named } = resolutions;
      assert.equal(Object.keys(named).length, Math.min(count, 32));
      assert.equal(truncated, count > 32 ? true : undefined);
    });
  for (const [says, ways, word] of [
    ['nobody was asked', [], 'not-applicable'],
    ['all were asked alike', [way(1), way(2)], 'server'],
    ['they were asked in several ways', [way(1), way(2, 'caller')], 'multiple'],
    ['nothing is known of how', [way(1, null)], 'unresolved'],
  ] as const)
    it(`say ${word} where ${says}`, () => {
      assert.equal(shown(ways)['x-mcp-debug-auth-resolution'], word);
    });
  it('show the address of the last server without what is secret in it, and how it is asked', () => {
    const headers = shown([way(1), way(2, 'server', { auth_type: 'bearer_token' })]);
    assert.equal(headers['x-mcp-debug-outbound-url'], 'https://s2.example/mcp');
    assert.equal(headers['x-mcp-debug-server-auth-type'], 'bearer_token');
    const program = shown([way(1, 'server', { url: null })]);
    assert.deepEqual(
      [program['x-mcp-debug-outbound-url'], program['x-mcp-debug-server-auth-type']],
      ['(none)', 'none'],
    );
  });
  it('hide credentials but for their ends, and say where the token is the key', () => {
    const own = { 'x-gateway-api-key': key, authorization: 'Bearer token-of-somebody-else' };
    const headers = shown([], own);
    assert.equal(headers['x-mcp-debug-inbound-auth'], 'x-gateway-api-key=Bearer ***efgh; authorization=Bearer ***else');
    assert.equal(headers['x-mcp-debug-oauth2-token'], 'Bearer ***else');
    const same = shown([], { 'x-gateway-api-key': key, authorization: key });
    assert.equal(same['x-mcp-debug-oauth2-token'], 'Bearer ***efgh (equals the gateway key)');
    assert.equal(shown([])['x-mcp-debug-oauth2-token'], '(none)');
  });
  it('are for callers who asked for them and may have them', () => {
    assert.deepEqual(shown([way(1)], {}, { debug: false }), {});
    const refused = shown([way(1)], {}, { debug: false, isDebugRefused: true });
    assert.deepEqual(Object.keys(refused), ['x-mcp-debug-refused']);
  });
});
