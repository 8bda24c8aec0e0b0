import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { canonicalJson } from '../../../../../../sidecar/gateway/guardrails/pins/canonicalJson.ts';
import { cleanTool } from '../../../../../../sidecar/gateway/guardrails/pins/cleanTool.ts';
import { fingerprintOf } from '../../../../../../sidecar/gateway/guardrails/pins/fingerprint.ts';
import { shownText } from '../../../../../../sidecar/platform/shownText.ts';

/** The same value with the members of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, it]) => [name, reversed(it)] as const)
      .reverse(),
  );
}
const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
const members = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`);

describe('the canonical text of a value', () => {
  it('does not depend on the order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(canonicalJson(reversed(value)), canonicalJson(value));
      }),
    );
  });

  it('is JSON of that value, so that other values have other texts', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(JSON.parse(canonicalJson(value) ?? ''), JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('is not made of what is too deep', () => {
    for (const make of [nested, members]) {
      assert.equal(typeof canonicalJson(make(65)), 'string');
      assert.equal(canonicalJson(make(66)), undefined);
      assert.equal(canonicalJson(make(50_000)), undefined);
    }
  });
});

describe('the fingerprint of a tool', () => {
  const tool = { name: 't', description: 'd', inputSchema: { type: 'object' } };

  it('changes with everything that a model reads', () => {
    const changes = [
      { name: 'u' },
      { title: 'T' },
      { description: 'd ' },
      { inputSchema: { type: 'object', description: 'x' } },
      { outputSchema: {} },
      { annotations: { readOnlyHint: true } },
    ];
    const hashes = [tool, ...changes.map((it) => ({ ...tool, ...it }))].map((it) => fingerprintOf(it)?.hash);
    assert.equal(new Set(hashes).size, changes.length + 1);
  });

  it('does not change with what no model reads', () => {
    assert.deepEqual(fingerprintOf({ ...tool, _meta: { at: 1 } }), fingerprintOf(tool));
  });

  it('is not taken of what nobody could read through', () => {
    const rest = canonicalJson({ ...tool, description: '' })?.length ?? 0;
    const described = (length: number) => fingerprintOf({ ...tool, description: 'x'.repeat(length - rest) });
    assert.ok(described(262_144));
    assert.equal(described(262_145), undefined);
    assert.equal(fingerprintOf({ ...tool, inputSchema: { a: nested(70) } }), undefined);
  });
});

describe('a clean description', () => {
  const table: readonly (readonly [kind: string, text: string, clean: string])[] = [
    ['keeps plain words', 'Searches.\n\tFast – “really” 漢字 é', 'Searches.\n\tFast – “really” 漢字 é'],
    ['loses zero width characters', 'a\u200bb\u200cc\u200dd\ufeffe\u2060f', 'abcdef'],
    ['loses bidirectional controls', '\u202eevil\u202c \u2066x\u2069\u200f', 'evil x'],
    ['loses tags that spell hidden words', `a\u{e0068}\u{e0069}b`, 'ab'],
    ['loses variation selectors', `a\ufe0fb\u{e0100}`, 'ab'],
    ['loses fillers and soft hyphens', 'a\u00adb\u3164c\u115f', 'abc'],
    ['loses controls', 'a\u0000b\u001b[31mc\r\n', 'ab[31mc\n'],
    ['loses line separators', 'a\u2028b\u2029c', 'abc'],
    ['loses half a pair', 'a\ud800b', 'ab'],
  ];
  for (const [kind, text, clean] of table) {
    it(kind, () => assert.equal(shownText(text), clean));
  }

  it('is cut between characters, with an ellipsis', () => {
    assert.equal(shownText('abcdef', 6), 'abcdef');
    assert.equal(shownText('abcdefg', 6), 'abcde…');
    assert.equal(shownText('abcd😀fg', 6), 'abcd…');
  });

  it('stays the same when it is cleaned again, and is never longer than allowed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (text, max) => {
        const clean = shownText(text, max);
        assert.ok(clean.length <= max);
        assert.equal(shownText(clean, max), clean);
      }),
    );
  });

  it('leaves alone what is in the place of words or of members and is none', () => {
    const odd = { name: 't', title: 5, description: { a: 1 }, inputSchema: { properties: ['x'], $defs: null } };
    assert.deepEqual(cleanTool(odd), odd);
    const data = { const: { title: 'x\u200by' }, default: { description: 'x\u200by' } };
    assert.deepEqual(cleanTool({ name: 't', inputSchema: data }), { name: 't', inputSchema: data });
  });

  it('is made everywhere in a tool where words are, and nowhere in its data', () => {
    const bad = 'x\u200by';
    const tool = {
      name: 't',
      title: bad,
      description: bad,
      annotations: { title: bad },
      inputSchema: {
        properties: {
          description: { type: 'string', description: bad, default: bad, enum: [bad] },
          enum: { title: bad, items: { anyOf: [{ description: bad }] } },
        },
        required: ['description'],
      },
    };
    assert.deepEqual(cleanTool(tool), {
      name: 't',
      title: 'xy',
      description: 'xy',
      annotations: { title: 'xy' },
      inputSchema: {
        properties: {
          description: { type: 'string', description: 'xy', default: bad, enum: [bad] },
          enum: { title: 'xy', items: { anyOf: [{ description: 'xy' }] } },
        },
        required: ['description'],
      },
    });
  });
});
