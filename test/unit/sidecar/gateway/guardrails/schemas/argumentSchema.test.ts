import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { guardedCall, guardrail } from '../../../../../support/guardrails/calls.ts';
import { guardrailsUnderTest } from '../../../../../support/guardrails/guardrailsUnderTest.ts';

const checking = (more: object = {}) => [
  guardrail('schema', { guardrail: 'argument_schema', mode: 'pre_mcp_call', default_on: true, ...more }),
];
const draft7 = 'http://json-schema.org/draft-07/schema#';

/** What the guardrail says to a call of a tool with this schema. */
async function says(inputSchema: unknown, args: Record<string, unknown>, more: object = {}) {
  const under = guardrailsUnderTest(checking(more));
  under.tools = [{ name: 'search', inputSchema }];
  return (await under.guardrails.preMcpCall(guardedCall(args))).refusal?.message;
}

describe('arguments and the schema of their tool', () => {
  const table: readonly (readonly [title: string, schema: object, args: Record<string, unknown>, words?: string])[] = [
    [
      'a tree',
      { properties: { n: { type: 'number' }, next: { $ref: '#' } } },
      { next: { next: { n: 'canary' } } },
      "'arguments/next/next/n' must be number (type)",
    ],
    ['a match', { type: 'object', properties: { q: { type: 'string' } } }, { q: 'x' }],
    [
      'a wrong type',
      { properties: { a: { properties: { b: { type: 'array', items: { type: 'integer' } } } } } },
      { a: { b: [1, 'canary'] } },
      "'arguments/a/b/1' must be integer (type)",
    ],
    ['a missing one', { required: ['q'] }, {}, "'arguments' must have required property 'q' (required)"],
    [
      'one too many',
      { properties: { q: {} }, additionalProperties: false },
      { q: 1, canary2: 'canary' },
      "'arguments/canary2' must NOT have additional properties (additionalProperties)",
    ],
    [
      'a pattern',
      { properties: { q: { pattern: '^a+$' } } },
      { q: 'canary' },
      `'arguments/q' must match pattern "^a+$" (pattern)`,
    ],
    [
      'a format',
      { properties: { q: { format: 'date' } } },
      { q: 'canary' },
      `'arguments/q' must match format "date" (format)`,
    ],
    [
      'a reference in the schema',
      { $defs: { n: { type: 'number' } }, properties: { q: { $ref: '#/$defs/n' } } },
      { q: 'canary' },
      "'arguments/q' must be number (type)",
    ],
    [
      'words of 2020-12',
      { properties: { q: { prefixItems: [{ const: 1 }] } } },
      { q: [2] },
      "'arguments/q/0' must be equal to constant (const)",
    ],
    [
      'words of draft-07',
      { $schema: draft7, properties: { q: { items: [{ const: 1 }], additionalItems: false } } },
      { q: [1, 2] },
      "'arguments/q' must NOT have more than 1 items (additionalItems)",
    ],
    [
      'a member like the prototype',
      { propertyNames: { maxLength: 3 } },
      JSON.parse('{"__proto__":1}') as Record<string, unknown>,
      "'arguments' must NOT have more than 3 characters (maxLength)",
    ],
  ];
  for (const [title, schema, args, words] of table) {
    it(`${title} is ${words === undefined ? 'let through' : 'refused by path and rule, never by value'}`, async () => {
      const expected = words && `The arguments do not match the schema for 'search': ${words}.`;
      const said = await says(schema, args);
      assert.equal(said, expected);
    });
  }

  it('are refused beside the call too', async () => {
    const under = guardrailsUnderTest(checking({ mode: 'during_mcp_call' }));
    under.tools = [{ name: 'search', inputSchema: { required: ['q'] } }];
    const call = guardedCall({});
    assert.deepEqual(await under.guardrails.preMcpCall(call), {});
    assert.match((await under.guardrails.duringMcpCall(call, call.context.signal))?.message ?? '', /\(required\)/);
  });

  it('are not changed by being looked at', async () => {
    const args = { n: '5' };
    await says({ properties: { n: { type: 'number' }, d: { default: 1 } } }, args);
    assert.deepEqual(args, { n: '5' });
  });
});

describe('a schema that cannot be used', () => {
  const nested = (levels: number): unknown => (levels === 0 ? {} : { not: nested(levels - 1) });
  const table: readonly (readonly [title: string, schema: unknown, words: string])[] = [
    ['is missing', undefined, 'is missing'],
    ['is no object', true, 'is missing'],
    [
      'refers to another place',
      { $ref: 'https://schemas.example/x.json' },
      'is not a valid JSON Schema or contains external references',
    ],
    ['refers to nothing', { $ref: '#/$defs/none' }, 'is not a valid JSON Schema or contains external references'],
    ['is no schema', { type: 5 }, 'is not a valid JSON Schema or contains external references'],
    [
      'has a pattern that is none',
      { properties: { q: { pattern: '(' } } },
      'is not a valid JSON Schema or contains external references',
    ],
    [
      'is of a draft that we do not know',
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      'uses a draft other than 2020-12 or draft-07',
    ],
    ['is too long', { description: 'x'.repeat(70_000) }, 'is longer than 65536 characters'],
    ['is nested too deeply', nested(70), 'is nested too deeply'],
    ['leads back to itself', { $ref: '#' }, 'is infinitely recursive'],
    [
      'tries a text for longer than the universe lasts',
      { properties: { q: { pattern: '^(a+)+$' } } },
      'takes too long to check',
    ],
  ];
  const args = { q: `${'a'.repeat(60)}!` };
  for (const [title, schema, words] of table) {
    it(`because it ${title} refuses the call, or lets it through where that is configured`, async () => {
      assert.equal(
        await says(schema, args),
        `The arguments for 'search' cannot be checked because its schema ${words}.`,
      );
      assert.equal(await says(schema, args, { when_unchecked: 'allow' }), undefined);
    });
  }

  it('is not tried again for a minute when it took too long', async () => {
    const under = guardrailsUnderTest(checking());
    under.tools = [{ name: 'search', inputSchema: { properties: { q: { pattern: '^(a+)+$' } } } }];
    const good = guardedCall({ q: 'aaa' });
    assert.deepEqual(await under.guardrails.preMcpCall(good), {});
    assert.ok((await under.guardrails.preMcpCall(guardedCall(args))).refusal);
    assert.ok((await under.guardrails.preMcpCall(good)).refusal);
    under.clock.pass(60_000);
    assert.deepEqual(await under.guardrails.preMcpCall(good), {});
  });

  it('may have the $id of another one', async () => {
    const under = guardrailsUnderTest(checking());
    const inputSchema = (name: string) => ({ $id: 'https://x.example/s', required: [name] });
    under.tools = ['a', 'b'].map((name) => ({ name, inputSchema: inputSchema(name) }));
    for (const tool of ['a', 'b']) {
      assert.deepEqual(await under.guardrails.preMcpCall(guardedCall({ [tool]: 1 }, { tool })), {});
    }
  });
});

describe('what is known of a tool', () => {
  it('comes from the last list, without asking the server again', async () => {
    const under = guardrailsUnderTest(checking());
    const list = (name: string) => [{ name: 'search', inputSchema: { required: [name] } }];
    await under.guardrails.toolsListed(guardedCall(), list('a'));
    assert.match((await under.guardrails.preMcpCall(guardedCall())).refusal?.message ?? '', /'a'/);
    await under.guardrails.toolsListed(guardedCall(), list('b'));
    assert.match((await under.guardrails.preMcpCall(guardedCall())).refusal?.message ?? '', /'b'/);
  });

  it('is asked for where it is not known or is old', async () => {
    const under = guardrailsUnderTest(checking());
    under.tools = [{ name: 'search', inputSchema: {} }];
    assert.deepEqual(await under.guardrails.preMcpCall(guardedCall()), {});
    under.tools = [{ name: 'search', inputSchema: { required: ['q'] } }];
    assert.deepEqual(await under.guardrails.preMcpCall(guardedCall()), {});
    under.clock.pass(10 * 60_000);
    assert.ok((await under.guardrails.preMcpCall(guardedCall())).refusal);
  });

  it('is that there is none, for a minute', async () => {
    const under = guardrailsUnderTest(checking());
    const words = "The arguments for 'search' cannot be checked because its schema is unknown.";
    assert.equal((await under.guardrails.preMcpCall(guardedCall())).refusal?.message, words);
    under.tools = [{ name: 'search', inputSchema: {} }];
    assert.equal((await under.guardrails.preMcpCall(guardedCall())).refusal?.message, words);
    under.clock.pass(60_000);
    assert.deepEqual(await under.guardrails.preMcpCall(guardedCall()), {});
  });
});
