import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { thrownToRpcError } from '../../../../../sidecar/host/rpc/rpcFaults.ts';
import { Fault, type FaultCode } from '../../../../../sidecar/platform/faults.ts';
import { AuthRequiredData } from '../../../../../sidecar/protocol/errors.ts';
import { verifies } from '../../../../support/verifies.ts';

const noReport = () => assert.fail('an expected failure is not reported');

describe('what a command throws', () => {
  for (const [code, number] of [
    ['session_not_found', -32001],
    ['provider_not_found', -32002],
    ['session_exists', -32003],
    ['turn_in_progress', -32004],
    ['unsupported_version', -32005],
    ['content_not_found', -32006],
    ['not_found', -32008],
    ['forbidden', -32009],
    ['already_exists', -32010],
    ['conflict', -32011],
    ['unavailable', -32012],
    ['command_missing', -32012],
    ['invalid_params', -32602],
  ] satisfies [FaultCode, number][]) {
    it(`${code} is ${number}, with its sentence and its data`, () => {
      verifies('host.error.-32004', 'host.error.-32012');
      const fault = new Fault(code, 'a sentence', { data: { a: 1 } });
      assert.deepEqual(thrownToRpcError(fault, noReport), { code: number, message: 'a sentence', data: { a: 1 } });
    });
  }

  const metadata = { resource: 'https://vault.test' };
  for (const [what, data, resources] of [
    [
      'of the agent itself',
      { agent: 'my agent', methods: [] },
      [{ resource: 'https://agent.invalid/my%20agent', resource_name: 'my agent' }],
    ],
    ['of declared resources', { agent: 'a', resources: [metadata] }, [metadata]],
    ['of which nothing is known', undefined, []],
  ] as const) {
    it(`a sign-in ${what} is -32007 with its resources and all else that was said`, () => {
      verifies('host.error.-32007', 'host.auth.resources-always');
      const error = thrownToRpcError(new Fault('auth_required', 'a sentence', { data }), noReport);
      assert.deepEqual(error, { code: -32007, message: 'a sentence', data: { ...data, resources } });
      assert.ok(AuthRequiredData.safeParse(error.data).success);
    });
  }

  it('a bug is -32603, and its text stays in the log under an id', () => {
    verifies('host.error.-32603');
    const reported: unknown[] = [];
    const bug = new Error('/home/me/secret');
    const error = thrownToRpcError(bug, (id, thrown) => reported.push(id, thrown));
    assert.equal(error.code, -32603);
    assert.equal(error.message, `internal error (${String(reported[0])})`);
    assert.equal(reported[1], bug);
  });
});
