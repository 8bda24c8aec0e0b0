import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  argumentsSkeleton,
  optionalNames,
  readArguments,
  resultText,
} from '../../../../../src/gateway/commands/toolArguments.ts';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer', default: 3 },
    kind: { enum: ['a', 'b'] },
    tags: { type: 'array' },
    loud: { type: 'boolean' },
  },
  required: ['text', 'count', 'kind', 'tags'],
};

describe('testing a tool', () => {
  it('begins with the arguments that are needed', () => {
    assert.equal(argumentsSkeleton(schema), '{"text":"","count":3,"kind":"a","tags":[]}');
    assert.equal(argumentsSkeleton({ properties: { loud: { type: 'boolean' } } }), '{}');
  });
  it('names the arguments that can be added', () => {
    const properties = { loud: { type: 'boolean' }, speed: { type: 'number' } };
    assert.deepEqual([schema, { properties }, undefined].map(optionalNames), ['loud', 'loud, speed', '']);
  });
  it('asks nothing for a tool without arguments', () => {
    for (const it of [undefined, null, {}, { type: 'object', properties: {} }])
      assert.equal(argumentsSkeleton(it), undefined);
  });
  it('takes a JSON object with all that is needed', () => {
    assert.deepEqual(readArguments('{"text":"x","count":1,"kind":"a","tags":[]}', schema), {
      values: { text: 'x', count: 1, kind: 'a', tags: [] },
    });
    assert.deepEqual(readArguments('', undefined), { values: {} });
  });
  it('says what is missing, and what is no JSON object', () => {
    assert.deepEqual(readArguments('{"text":"x"}', schema), { kind: 'missing', name: 'count' });
    for (const it of ['{"text":', '7', '[]', 'null']) assert.deepEqual(readArguments(it, schema), { kind: 'notJson' });
  });
  it('shows texts as they are, JSON in lines, and other content by its type and size', () => {
    const content = [
      { type: 'text', text: 'Hello' },
      { type: 'text', text: '{"a":1}' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    ];
    assert.equal(
      resultText({ content, structuredContent: { b: 2 } }),
      'Hello\n\n{\n  "a": 1\n}\n\n[image image/png (3 bytes)]\n\n{\n  "b": 2\n}',
    );
  });
});
