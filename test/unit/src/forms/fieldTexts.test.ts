import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { choicesOf, fieldRows, readTyped, suggestions, valueText } from '../../../../src/forms/fieldTexts.ts';
import type { Field } from '../../../../src/forms/form.ts';
import { verifies } from '../../../support/verifies.ts';

const l10n = { t: (text: string) => text };
const text: Field = { type: 'string', title: 'Text' };
const branch: Field = {
  type: 'string',
  title: 'Branch',
  enum: ['main', 'develop'],
  enumDescriptions: ['what is released', ''],
  enumDynamic: true,
};

describe('a form', () => {
  it('shows every field with its value, and locks what may not be changed', () => {
    verifies('host.config.read-only', 'host.config.session-mutable');
    const plan: Field = { ...text, title: 'Plan', readOnly: true, description: 'Paid by others.' };
    const rows = fieldRows(l10n, {
      title: '',
      schema: { properties: { branch, plan }, required: ['branch'] },
      values: { plan: 'team' },
      mayChange: (it) => it.readOnly !== true,
      change: async () => undefined,
    });
    assert.deepEqual(rows, [
      { id: 'branch', title: 'Branch', value: 'not set · (required)', detail: '', isLocked: false },
      { id: 'plan', title: 'Plan', value: 'team · cannot be changed', detail: 'Paid by others.', isLocked: true },
    ]);
  });

  const size: Field = { type: 'number', title: 'Size', enum: [1, 2], enumLabels: ['One', 'Two'] };
  const place: Field = {
    type: 'object',
    title: 'Place',
    properties: { host: { ...text, title: 'Host' } },
    additionalProperties: text,
  };
  const shown: readonly [Field, unknown, string][] = [
    [text, undefined, 'not set'],
    [{ ...text, default: 'usual' }, undefined, 'usual'],
    [size, 2, 'Two'],
    [size, 3, '3'],
    [{ type: 'boolean', title: 'B' }, false, 'No'],
    [{ type: 'array', title: 'A', items: size }, [1, 2], 'One, Two'],
    [{ type: 'array', title: 'A' }, [], 'none'],
    [{ type: 'array', title: 'A' }, [{ a: 1 }], '{"a":1}'],
    [place, { host: 'h', more: 'm' }, 'Host: h, more: m'],
    [{ type: 'object', title: 'O' }, { a: [1] }, 'a: [1]'],
  ];
  for (const [field, value, words] of shown) {
    it(`says ${JSON.stringify(value)} of a field of type ${field.type} as "${words}"`, () => {
      assert.equal(valueText(l10n, field, value), words);
    });
  }

  it('offers seed values first, and nothing twice', () => {
    verifies('host.config.enum-seeds');
    const found = [
      { value: 'main', label: 'main' },
      { value: 'mail', label: 'mail', description: 'a branch' },
    ];
    assert.deepEqual(suggestions(branch, 'MAI', found), [
      { value: 'main', label: 'main', description: 'what is released', isSeed: true },
      { value: 'mail', label: 'mail', description: 'a branch', isSeed: false },
    ]);
    assert.deepEqual(
      suggestions(branch, '', []).map((it) => it.value),
      ['main', 'develop'],
    );
  });

  it('names the values of a choice by their labels', () => {
    assert.deepEqual(choicesOf(size), [
      { value: 1, label: 'One' },
      { value: 2, label: 'Two' },
    ]);
  });

  const typed: readonly [Field['type'], string, unknown][] = [
    ['string', '', ''],
    ['number', '1.5', 1.5],
    ['number', '', undefined],
    ['number', 'much', undefined],
    ['array', '["a"]', ['a']],
    ['object', '{', undefined],
  ];
  for (const [type, words, value] of typed) {
    it(`reads ${JSON.stringify(words)} as a ${type}: ${JSON.stringify(value)}`, () => {
      assert.deepEqual(readTyped({ type, title: 'It' }, words), value);
    });
  }
});
