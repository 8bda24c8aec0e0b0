import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { McpDeps } from '../../../../../sidecar/gateway/mcp/mcpDeps.ts';
import { callContext } from '../../../../support/gateway/callContext.ts';
import { guardedCall, guardrail } from '../../../../support/guardrails/calls.ts';
import { guardrailsUnderTest } from '../../../../support/guardrails/guardrailsUnderTest.ts';

const mode = 'pre_mcp_call';
const secrets = (name: string, more: object = {}) => guardrail(name, { guardrail: 'secret_redaction', mode, ...more });
const pii = (name: string, more: object = {}) => guardrail(name, { guardrail: 'pii_redaction', mode, ...more });
const dirty = { text: 'AKIAIOSFODNN7EXAMPLE of a@b.co' };

describe('guardrails', () => {
  it('are what the MCP surface asks for', async () => {
    const { guardrails } = guardrailsUnderTest([]);
    const deps: Pick<McpDeps, 'preMcpCall' | 'duringMcpCall'> = guardrails;
    const context = callContext({ caller: { key: { token: 'hash' } } });
    const call = { context, server: { server_id: 's', transport: 'http' as const }, tool: 't', arguments: dirty };
    assert.deepEqual(await deps.preMcpCall(call), {});
    assert.equal(await deps.duringMcpCall(call, context.signal), undefined);
  });

  it('run where they are on for all, or asked for by name', async () => {
    const { guardrails } = guardrailsUnderTest([secrets('always', { default_on: true }), pii('asked')]);
    const textOf = async (names?: readonly string[]) =>
      (await guardrails.preMcpCall(guardedCall(dirty, names ? { names } : {}))).arguments?.['text'];
    assert.equal(await textOf(), '[redacted:aws_access_key] of a@b.co');
    assert.equal(await textOf(['asked', 'always', 'asked']), '[redacted:aws_access_key] of [redacted:email]');
  });

  it('refuse everything when one is asked for that does not exist', async () => {
    const { guardrails } = guardrailsUnderTest([secrets('always', { default_on: true })]);
    const call = guardedCall({}, { names: ['always', 'nope'] });
    const refusal = {
      guardrail_name: 'nope',
      error: 'guardrail_violation',
      message: "The requested guardrail 'nope' does not exist.",
    } as const;
    assert.deepEqual(await guardrails.preMcpCall(call), { refusal });
    assert.deepEqual(await guardrails.preMcpList(call), { refusal });
    assert.deepEqual(await guardrails.duringMcpCall(call, call.context.signal), refusal);
    assert.deepEqual(await guardrails.toolsListed(call, [{ name: 'a' }]), []);
  });

  it('run in the order of registration, each on what the one before it left', async () => {
    const on = { default_on: true };
    const redactsFirst = [pii('redacts', on), pii('blocks', { ...on, action: 'block' })];
    const first = guardrailsUnderTest(redactsFirst);
    assert.deepEqual(await first.guardrails.preMcpCall(guardedCall(dirty)), {
      arguments: { text: 'AKIAIOSFODNN7EXAMPLE of [redacted:email]' },
    });
    const other = guardrailsUnderTest(redactsFirst.toReversed());
    const { refusal, arguments: rewritten } = await other.guardrails.preMcpCall(guardedCall(dirty));
    assert.deepEqual([refusal?.guardrail_name, rewritten], ['blocks', undefined]);
  });

  it('run in their mode and no other', async () => {
    const beside = { mode: 'during_mcp_call', action: 'block', default_on: true };
    const { guardrails } = guardrailsUnderTest([
      pii('second', { ...beside, action: 'block' }),
      secrets('first', beside),
    ]);
    const call = guardedCall(dirty);
    assert.deepEqual(await guardrails.preMcpCall(call), {});
    const refusal = await guardrails.duringMcpCall(call, call.context.signal);
    assert.deepEqual([refusal?.guardrail_name, refusal?.error], ['second', 'blocked_pii_entity']);
  });

  it('compose: what is redacted is also signed', async () => {
    const sign = guardrail('sign', { guardrail: 'mcp_jwt_signer', mode, default_on: true });
    const { guardrails } = guardrailsUnderTest([sign, secrets('clean', { default_on: true })]);
    const verdict = await guardrails.preMcpCall(guardedCall(dirty));
    assert.deepEqual(verdict.arguments, { text: '[redacted:aws_access_key] of a@b.co' });
    assert.match(verdict.headers?.['authorization'] ?? '', /^Bearer eyJ/);
  });

  it('follow what is configured from the next call on', async () => {
    const under = guardrailsUnderTest([]);
    assert.deepEqual(await under.guardrails.preMcpCall(guardedCall(dirty)), {});
    under.configured = [secrets('s', { default_on: true, action: 'block' })];
    assert.ok((await under.guardrails.preMcpCall(guardedCall(dirty))).refusal);
  });

  it('leave tools as they are where nothing pins them', async () => {
    const { guardrails } = guardrailsUnderTest([]);
    const tools = [{ name: 'a', description: 'x\u200b' }];
    assert.equal(await guardrails.toolsListed(guardedCall(), tools), tools);
  });

  it('publish no key, for a minute, where nothing signs', async () => {
    const under = guardrailsUnderTest([]);
    assert.deepEqual(await under.guardrails.jwks(), { keys: [], maxAgeSeconds: 60 });
    assert.equal(under.keys.reads, 0);
  });
});
