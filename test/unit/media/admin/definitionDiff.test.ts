import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { definitionDiff } from '../../../../media/admin/pages/servers/definitionDiff.ts';

const shown = (before: unknown, after: unknown) => definitionDiff(before, after).map((it) => [it.kind, it.text.trim()]);

describe('what changed in the definition of a tool', () => {
  it('is shown line by line, what was approved first', () => {
    assert.deepEqual(shown({ name: 'echo', description: 'Says it' }, { name: 'echo', description: 'Sends it' }), [
      ['same', '{'],
      ['removed', '"description": "Says it",'],
      ['added', '"description": "Sends it",'],
      ['same', '"name": "echo"'],
      ['same', '}'],
    ]);
  });

  it('has only lines that are new where no definition was approved', () => {
    assert.deepEqual(shown(null, { name: 'echo' }), [
      ['added', '{'],
      ['added', '"name": "echo"'],
      ['added', '}'],
    ]);
  });

  it('leaves out what did not change far from it, and says where', () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`p${at}`, at]));
    assert.deepEqual(shown({ ...many, p8: 8 }, { ...many, p8: 'text' }), [
      ['gap', ''],
      ['same', '"p5": 5,'],
      ['same', '"p6": 6,'],
      ['same', '"p7": 7,'],
      ['removed', '"p8": 8'],
      ['added', '"p8": "text"'],
      ['same', '}'],
    ]);
    assert.deepEqual(shown({ ...many, p0: 0 }, { ...many, p0: 'text' }).at(-1), ['gap', '']);
  });

  it('is nothing where only the order of members differs', () => {
    assert.deepEqual(shown({ a: { x: 1, y: 2 }, b: 3 }, { b: 3, a: { y: 2, x: 1 } }), []);
  });
});
