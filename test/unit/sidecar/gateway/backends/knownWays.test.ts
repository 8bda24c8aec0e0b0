import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Backends, CallFacts } from '../../../../../sidecar/gateway/backends/backends.ts';
import type { McpRegistration } from '../../../../../sidecar/gateway/backends/registration.ts';
import { openBackends } from '../../../../support/backends/backendsUnderTest.ts';
import { inboundOf } from '../../../../support/backends/callOf.ts';
import { verifies } from '../../../../support/verifies.ts';

const server: McpRegistration = {
  server_id: 's',
  server_name: 'math',
  transport: 'http',
  auth_type: 'api_key',
} as never;
const secrets = { auth_value: 'the-key' };

describe('the way of calls to a server', () => {
  let backends: Backends;
  beforeEach(() => {
    ({ backends } = openBackends());
  });
  afterEach(() => backends.close());
  const inbound = inboundOf({ accept: 'x' });
  const facts = (more: Partial<CallFacts> = {}): CallFacts => ({
    inbound,
    user: 'ann',
    signal: new AbortController().signal,
    ...more,
  });
  const way = (more: Partial<CallFacts> = {}, of = server, by: typeof secrets = secrets) =>
    backends.forServer(of, by, facts(more));

  it('is one value for calls with the same headers, whose credential is the same each time', () => {
    verifies('gateway.backend.known-way');
    assert.equal(way(), way());
    assert.equal(way({ inbound: { ...inbound } }), way());
  });

  for (const { says, other } of [
    { says: 'of a caller with other headers', other: () => way({ inbound: inboundOf({ accept: 'x' }) }) },
    { says: 'of another user', other: () => way({ user: 'bob' }) },
    { says: 'to a server that was changed', other: () => way({}, { ...server }) },
    { says: 'with a credential that was changed', other: () => way({}, server, { auth_value: 'the-next' }) },
    { says: 'that brings headers of a guardrail', other: () => way({ added: { 'x-assertion': 'a' } }) },
    { says: 'that brings variables of its caller', other: () => way({ userVariables: { NAME: 'ann' } }) },
  ]) {
    it(`is another one for a call ${says}, and stays what it was for the first`, () => {
      verifies('gateway.backend.known-way');
      const before = way();
      assert.notEqual(other(), before);
      assert.notEqual(other(), before);
    });
  }

  it('is made anew when servers are registered: headers of callers may be meant for them', () => {
    verifies('gateway.backend.known-way');
    const before = way();
    backends.setRegistered([server], []);
    const after = way();
    assert.notEqual(after, before);
    assert.equal(way(), after);
  });

  it('is another one for each call where a credential has to be waited for', async () => {
    verifies('gateway.backend.known-way');
    const passed = { ...server, auth_type: 'oauth2', oauth_passthrough: true } as never;
    const bearer = inboundOf({}, 'a-token');
    const [one, two] = [await way({ inbound: bearer }, passed), await way({ inbound: bearer }, passed)];
    assert.notEqual(one, two);
  });
});
