import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import * as z from 'zod';
import type { PreVerdict, ToolDefinition } from '../../sidecar/gateway/guardrails/call.ts';
import { Guardrail } from '../../sidecar/protocol/gateway/guardrail.ts';
import { allGuardrailModes } from '../../sidecar/protocol/gateway/guardrails/definition.ts';
import { type GuardrailKind, guardrailDefinitions } from '../../sidecar/protocol/gateway/guardrails/index.ts';
import { guardedCall, guardrail } from '../support/guardrails/calls.ts';
import { guardrailsUnderTest } from '../support/guardrails/guardrailsUnderTest.ts';
import { verifies } from '../support/verifies.ts';

type Args = Record<string, unknown>;

interface Case {
  /** Its own fields, with which it does what it is for in every mode that it has. */
  readonly params?: object;
  /** What the server lists. */
  readonly tools?: readonly ToolDefinition[];
  /** A call that it lets through as it is. Absent: it acts on each. */
  readonly passes?: Args;
  /** A call on which it acts, with values that no refusal may quote. */
  readonly actsOn: Args;
  /** It adds headers to the call. Absent: it refuses it. */
  readonly adds?: string;
}

const properties = { count: { type: 'number' }, text: { type: 'string' }, a_b: {}, aB: {} };
const search = { name: 'search', inputSchema: { type: 'object', properties } };

/** A new kind needs a row to compile, and passes the suite below with it. */
const cases: Readonly<Record<GuardrailKind, Case>> = {
  mcp_jwt_signer: { actsOn: { text: 'canary' }, adds: 'authorization' },
  secret_redaction: {
    params: { action: 'block' },
    passes: { text: 'clean' },
    actsOn: { text: 'AKIAIOSFODNN7EXAMPLE' },
  },
  pii_redaction: { params: { action: 'block' }, passes: { text: 'clean' }, actsOn: { text: 'canary@example.com' } },
  tool_definition_pin: { params: { pin_on_first_use: false }, tools: [search], actsOn: { text: 'canary' } },
  http: { params: { url: 'https://guard.example/judge' }, actsOn: { text: 'canary' } },
  argument_schema: { tools: [search], passes: { count: 1 }, actsOn: { count: 'canary' } },
};

for (const { guardrail: kind, modes, readsArguments, params: schema } of guardrailDefinitions) {
  const { params = {}, tools = [], passes, actsOn, adds } = cases[kind];

  describe(`guardrail '${kind}'`, () => {
    const read = (more: object) =>
      Guardrail.safeParse({ guardrail_name: 'g', gateway_params: { guardrail: kind, ...params, ...more } });
    const opened = (mode: string, more: object = {}) =>
      Object.assign(guardrailsUnderTest([guardrail('g', { guardrail: kind, mode, ...params, ...more })]), { tools });
    type Opened = ReturnType<typeof opened>;

    /** The way of one call: before it, when it is sent, and beside it. */
    async function outcomeOf({ guardrails }: Opened, args: Args, names?: readonly string[]): Promise<PreVerdict> {
      const call = guardedCall(args, names ? { names } : {});
      const before = structuredClone(args);
      const verdict = await guardrails.preMcpCall(call);
      const refusal =
        verdict.refusal ??
        (await guardrails.beforeSending(call)) ??
        (await guardrails.duringMcpCall(call, call.context.signal)) ??
        (await guardrails.postMcpCall(call)?.({ content: [] }))?.refusal;
      assert.deepEqual(args, before, "the caller's arguments were written to");
      return refusal ? { refusal } : verdict;
    }
    const acted = ({ refusal, headers }: PreVerdict) =>
      adds === undefined ? refusal?.guardrail_name === 'g' : headers?.[adds] !== undefined;

    it('works in the modes that it names, and is refused with another one', () => {
      for (const mode of allGuardrailModes) {
        const { success, error } = read({ mode });
        assert.equal(success, (modes as readonly string[]).includes(mode), mode);
        if (error) assert.deepEqual(error.issues[0]?.path, ['gateway_params', 'mode']);
      }
      assert.ok(read({ mode: [...modes] }).success);
    });

    it('is refused with a field that it does not have, by the name of the field', () => {
      const [issue] = read({ mode: modes[0], made_up: 1 }).error?.issues ?? [];
      assert.match(issue?.message ?? '', /made_up/);
    });

    it('explains itself and each of its fields to whoever writes the configuration', () => {
      const { description, properties: fields = {} } = z.toJSONSchema(schema, { io: 'input' });
      assert.ok(description);
      for (const [name, field] of Object.entries(fields))
        assert.ok(typeof field === 'object' && field.description, name);
    });

    for (const mode of modes) {
      it(`acts on calls that it is for, in mode ${mode}, and lets others through as they are`, async () => {
        verifies('gateway.guardrail.pre_mcp_call', 'gateway.guardrail.during_mcp_call');
        const under = opened(mode, { default_on: true });
        assert.ok(acted(await outcomeOf(under, actsOn)));
        if (passes) assert.deepEqual(await outcomeOf(under, passes), {});
      });
    }

    it('acts where it is on by default or asked for by name, and nowhere else', async () => {
      const under = opened(modes[0]);
      assert.deepEqual(await outcomeOf(under, actsOn), {});
      assert.ok(acted(await outcomeOf(under, actsOn, ['g'])));
    });

    it('quotes no value of the arguments when it refuses', async () => {
      const { refusal } = await outcomeOf(opened(modes[0], { default_on: true }), actsOn);
      for (const value of Object.values(actsOn)) assert.ok(!JSON.stringify(refusal ?? {}).includes(String(value)));
    });

    it(`${readsArguments ? 'refuses' : 'does not judge'} arguments that its server could read differently`, async () => {
      const { guardrails } = opened(modes[0], { default_on: true });
      const { refusal } = await guardrails.preMcpCall(guardedCall({ a_b: 1, aB: 2 }));
      assert.equal(refusal !== undefined && /^The arguments cannot be checked/.test(refusal.message), readsArguments);
    });
  });
}

describe('the list of guardrails', () => {
  it('has each kind once', () => {
    const names = guardrailDefinitions.map((it) => it.guardrail);
    assert.deepEqual(names.toSorted(), Object.keys(cases).toSorted());
  });

  it('explains a field that several kinds have with the same words', () => {
    const words = new Map<string, string | undefined>();
    for (const { guardrail: kind, params } of guardrailDefinitions)
      for (const [name, { description }] of Object.entries<z.ZodType>(params.shape)) {
        assert.equal(description, words.get(name) ?? description, `${kind}.${name}`);
        words.set(name, description);
      }
  });
});
