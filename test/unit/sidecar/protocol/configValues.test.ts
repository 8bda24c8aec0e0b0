import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionConfigPropertySchema } from '../../../../sidecar/protocol/configSchemas.ts';
import { changeProblem, valueProblem } from '../../../../sidecar/protocol/configValues.ts';

const text: SessionConfigPropertySchema = { type: 'string', title: 'Text' };
const place: SessionConfigPropertySchema = {
  type: 'object',
  title: 'Place',
  properties: { host: text, port: { type: 'number', title: 'Port' } },
  required: ['host'],
};
const rows: readonly [SessionConfigPropertySchema, unknown, string | undefined][] = [
  [text, 'a', undefined],
  [text, 1, 'it: must be a string'],
  [text, null, 'it: must be a string'],
  [{ type: 'number', title: 'N' }, '1', 'it: must be a number'],
  [{ type: 'boolean', title: 'B' }, 'true', 'it: must be a boolean'],
  [{ ...text, enum: ['a', 'b'] }, 'c', 'it: is not one of the choices'],
  [{ ...text, enum: ['a'], enumDynamic: true }, 'c', undefined],
  [{ type: 'array', title: 'A', items: text }, 'a', 'it: must be an array'],
  [{ type: 'array', title: 'A', items: text }, ['a', 2], 'it[1]: must be a string'],
  [{ type: 'array', title: 'A' }, [1, 'a', null], undefined],
  [place, [], 'it: must be an object'],
  [place, { port: 1 }, 'it.host: is required'],
  [place, { host: 'h', port: 'x' }, 'it.port: must be a number'],
  [place, { host: 'h', other: 1 }, 'it.other: unknown member'],
  [place, { host: 'h', toString: 1 }, 'it.toString: unknown member'],
  [{ ...place, additionalProperties: text }, { host: 'h', other: 1 }, 'it.other: must be a string'],
  [{ type: 'object', title: 'O' }, { anything: [1] }, undefined],
];

describe('a value of a configuration', () => {
  for (const [property, value, problem] of rows) {
    const { title: _title, ...schema } = property;
    it(`${JSON.stringify(value)} for ${JSON.stringify(schema)}: ${problem ?? 'fits'}`, () => {
      assert.equal(valueProblem(property, value, 'it'), problem);
    });
  }
});

describe('a change of a configuration', () => {
  const schema = {
    properties: { open: { ...text, sessionMutable: true }, fixed: text },
    required: ['open'],
  };
  const state = { schema, values: { open: 'a', fixed: 'b' } };
  const change = (config: Record<string, unknown>, replace?: boolean) =>
    changeProblem(state, config, replace, (it) => it.sessionMutable === true);

  it('touches only what may change, and says again what it leaves as it is', () => {
    assert.equal(change({ open: 'c' }), undefined);
    assert.equal(change({ open: 'c', fixed: 'b' }), undefined);
    assert.equal(change({ fixed: 'c' }), 'config.fixed: cannot be changed now');
    assert.equal(change({ open: 1 }), 'config.open: must be a string');
    assert.equal(change({ other: 1 }), 'config.other: setting not found');
  });

  it('that replaces all takes nothing away that is required or fixed', () => {
    assert.equal(change({ open: 'c', fixed: 'b' }, true), undefined);
    assert.equal(change({ open: 'c' }, true), 'config.fixed: cannot be changed now');
    assert.equal(change({ fixed: 'b' }, true), 'config.open: is required');
  });
});
