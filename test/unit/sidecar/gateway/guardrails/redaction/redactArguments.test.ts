import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { piiFinders } from '../../../../../../sidecar/gateway/guardrails/redaction/pii.ts';
import { redactArguments } from '../../../../../../sidecar/gateway/guardrails/redaction/redactArguments.ts';
import { redactText, type Search } from '../../../../../../sidecar/gateway/guardrails/redaction/redactText.ts';
import { secretFinders } from '../../../../../../sidecar/gateway/guardrails/redaction/secrets.ts';

const all: readonly Search[] = Object.entries({ ...secretFinders, ...piiFinders }).map(([kind, find]) => ({
  kind,
  action: 'redact',
  find,
}));
const blocking = all.map((it): Search => ({ ...it, action: 'block' }));
const limit = 100_000;

/** Texts that nearly are, are, or run into what is looked for. */
const crafted = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '+14155550100',
        'a@b.co',
        '4111 1111 1111 1111',
        'AKIAIOSFODNN7EXAMPLE',
        'eyJhbGciOi',
        '.',
        ' ',
        '-',
      ),
      fc.constantFrom(
        'sk-abcdefghijklmnop',
        '10.0.0.1',
        'DE89370400440532013000',
        '-----BEGIN PRIVATE KEY-----',
        '[redacted:',
      ),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((it) => it.join(''));

describe('redaction of a text', () => {
  it('changes nothing when it is done again', () => {
    fc.assert(
      fc.property(crafted, (text) => {
        const once = redactText(text, all);
        if ('blocked' in once) return; // it said no: nothing goes on
        assert.deepEqual(redactText(once.text, all), once);
      }),
    );
  });

  it('leaves nothing that is looked for', () => {
    fc.assert(
      fc.property(crafted, (text) => {
        const once = redactText(text, all);
        if ('text' in once) for (const { find } of all) assert.deepEqual(find(once.text), []);
      }),
    );
  });

  it('takes what overlaps out as one, under the name of the longer', () => {
    const text = 'x AKIAIOSFODNN7EXAMPLE@mail.example.org y';
    assert.deepEqual(redactText(text, all), { text: 'x [redacted:email] y' });
  });

  it('blocks what always brings out something more', () => {
    const text = '+14155550100'.repeat(12);
    assert.deepEqual(redactText(text, all), { blocked: 'phone' });
  });

  it('blocks where one kind is to be blocked, whatever else is redacted', () => {
    const mixed = all.map((it): Search => (it.kind === 'email' ? { ...it, action: 'block' } : it));
    assert.deepEqual(redactText('10.0.0.1 a@b.co', mixed), { blocked: 'email' });
    assert.deepEqual(redactText('10.0.0.1', mixed), { text: '[redacted:ipv4]' });
  });
});

describe('redaction of arguments', () => {
  it('reaches every text in them and keeps everything else', () => {
    const args = { to: ['a@b.co', { cc: 'Ada <ada@b.co>' }], n: 3, is: true, none: null, deep: { list: [1, 'x'] } };
    assert.deepEqual(redactArguments(args, all, limit), {
      arguments: { ...args, to: ['[redacted:email]', { cc: 'Ada <[redacted:email]>' }] },
    });
  });

  it('gives the same object back where nothing is found', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (args) => {
        const redacted = redactArguments(args, [], limit);
        assert.ok('arguments' in redacted && redacted.arguments === args);
      }),
    );
  });

  it('finds a card that is sent as a number', () => {
    assert.deepEqual(redactArguments({ card: 4111111111111111, at: 1700000000000 }, all, limit), {
      arguments: { card: '[redacted:credit_card]', at: 1700000000000 },
    });
  });

  it('keeps a member that is called like the prototype', () => {
    const args = JSON.parse('{"__proto__": "a@b.co", "x": 1}') as Record<string, unknown>;
    const redacted = redactArguments(args, all, limit);
    assert.equal(JSON.stringify(redacted), '{"arguments":{"__proto__":"[redacted:email]","x":1}}');
  });

  it('names kind and place of what is blocked, never the value', () => {
    const args = { to: [{ address: 'x' }, { address: 'ada@b.co' }] };
    const blocked = { kind: 'email', path: 'to[1].address' };
    assert.deepEqual(redactArguments(args, blocking, limit), { blocked });
  });

  it('blocks a call whose names hold something, because a name cannot be rewritten', () => {
    const blocked = { kind: 'email', path: 'by.[a name]' };
    assert.deepEqual(redactArguments({ by: { 'ada@b.co': 1 } }, all, limit), { blocked });
  });

  it('refuses what is too long or too deep to be looked at', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(65)}${']'.repeat(65)}}`) as Record<string, unknown>;
    assert.deepEqual(redactArguments(deep, all, limit), { refused: 'The arguments are more than 64 levels deep.' });
    const refused = 'The arguments have more than 1000 characters.';
    assert.deepEqual(redactArguments({ text: 'x'.repeat(1000) }, all, 1000), { refused });
    assert.deepEqual(redactArguments({ list: new Array(1000).fill(null) }, all, 1000), { refused });
    assert.deepEqual(redactArguments({ list: new Array(1000).fill(7) }, all, 1000), { refused });
    assert.deepEqual(redactArguments({ ['x'.repeat(1000)]: 1 }, all, 1000), { refused });
    assert.ok('arguments' in redactArguments({ text: 'x'.repeat(900) }, all, 1000));
  });
});
