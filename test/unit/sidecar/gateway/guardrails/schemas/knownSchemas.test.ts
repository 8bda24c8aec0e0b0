import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { GuardedCall } from '../../../../../../sidecar/gateway/guardrails/call.ts';
import { withinTime } from '../../../../../../sidecar/gateway/guardrails/schemas/bounded.ts';
import { ArgumentChecks } from '../../../../../../sidecar/gateway/guardrails/schemas/checkArguments.ts';
import { ToolSchemas } from '../../../../../../sidecar/gateway/guardrails/schemas/toolSchemas.ts';
import { SetClock } from '../../../../../support/backends/setClock.ts';
import { guardedCall, guardrail } from '../../../../../support/guardrails/calls.ts';
import { guardrailsUnderTest } from '../../../../../support/guardrails/guardrailsUnderTest.ts';

/** What the guardrail says to a call of a tool with this schema. */
async function says(inputSchema: unknown, args: Record<string, unknown>) {
  const params = { guardrail: 'argument_schema', mode: 'pre_mcp_call', default_on: true };
  const under = guardrailsUnderTest([guardrail('schema', params)]);
  under.tools = [{ name: 'search', inputSchema }];
  return (await under.guardrails.preMcpCall(guardedCall(args))).refusal?.message;
}

describe('the schema of a tool', () => {
  it('is of one server alone, and asked for once where it is fresh', async () => {
    const clock = new SetClock();
    const asked: string[] = [];
    const listTools = async ({ server }: GuardedCall) => {
      asked.push(server.server_id);
      return [{ name: 'search', inputSchema: { required: [server.server_id] } }, { name: 5 }, { inputSchema: {} }];
    };
    const checks = new ArgumentChecks(new ToolSchemas(listTools, clock), clock);
    const at = (server_id: string) => checks.check(guardedCall({ s1: 1 }, { server: { server_id } }));
    assert.deepEqual(await at('s1'), {});
    assert.match(JSON.stringify(await at('s2')), /'s2'/);
    clock.pass(10 * 60_000 - 1);
    assert.deepEqual([await at('s1'), asked], [{}, ['s1', 's2']]);
    clock.pass(1);
    await at('s1');
    assert.deepEqual(asked, ['s1', 's2', 's1']);
  });

  it('is not known where the server cannot be asked: that is no answer, and it is asked again', async () => {
    const clock = new SetClock();
    let failure: Error | undefined = new Error('away');
    const listTools = async () => {
      if (failure) throw failure;
      return [{ name: 'search', inputSchema: {} }];
    };
    const checks = new ArgumentChecks(new ToolSchemas(listTools, clock), clock);
    await assert.rejects(checks.check(guardedCall()), /away/);
    failure = undefined;
    assert.deepEqual(await checks.check(guardedCall()), {});
  });

  it('goes for what was asked for longest ago when all of it is more than may be kept', async () => {
    const clock = new SetClock();
    const asked: string[] = [];
    const listTools = async ({ tool }: GuardedCall) => {
      asked.push(tool);
      return [{ name: tool, inputSchema: { description: 'x'.repeat(65_000) } }];
    };
    const schemas = new ToolSchemas(listTools, clock);
    const names = Array.from({ length: 122 }, (_, at) => `t${at}`);
    for (const tool of names) await schemas.of(guardedCall({}, { tool }));
    await schemas.of(guardedCall({}, { tool: 't0' }));
    assert.equal(asked.length, 122);
    await schemas.of(guardedCall({}, { tool: 'one more' }));
    await schemas.of(guardedCall({}, { tool: 't0' }));
    assert.equal(asked.length, 123);
    await schemas.of(guardedCall({}, { tool: 't1' }));
    assert.equal(asked.length, 124);
  });
});

describe('an argument that only looks like one of the schema', () => {
  it('is refused before the schema is asked', async () => {
    const schema = { properties: { path: { type: 'string' } } };
    assert.match((await says(schema, { 'pa\u200bth': 1 })) ?? '', /do not match the schema for 'search'/);
    assert.equal(
      await says({ properties: [] }, { path: 1 }),
      "The arguments for 'search' cannot be checked because its schema is not a valid JSON Schema or contains external references.",
    );
  });
});

describe('the limits of a schema', () => {
  it('are 65,536 characters', async () => {
    const of = (length: number) => says({ description: 'x'.repeat(length - '{"description":""}'.length) }, {});
    assert.equal(await of(65_536), undefined);
    assert.match((await of(65_537)) ?? '', /is longer than 65536 characters/);
  });

  it('end work that takes too long, and let the next one go on', () => {
    assert.equal(
      withinTime(5, () => /^(a+)+$/.test(`${'a'.repeat(60)}!`)),
      undefined,
    );
    assert.deepEqual(
      withinTime(60_000, () => 5),
      { result: 5 },
    );
    assert.throws(
      () =>
        withinTime(60_000, () => {
          throw new Error('own');
        }),
      /own/,
    );
    assert.deepEqual(
      withinTime(60_000, () => undefined),
      { result: undefined },
    );
  });
});
