import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { foldName } from '../../../../../sidecar/gateway/wire/fold.ts';
import { readShape, shapeOf, twinAmong } from '../../../../../sidecar/gateway/wire/shape.ts';

const shape = shapeOf({
  task: null,
  messageId: null,
  _meta: null,
  message: { contextId: null, parts: { text: null } },
});

/** CVE-2026-27896, GHSA-q382-vc8q-7jhj: readers that take `Method` for `method`. */
describe('a name of a member', () => {
  const folds: readonly [name: string, known: string, isOne: boolean][] = [
    ['Method', 'method', true],
    ['mEtHoD', 'method', true],
    ['param\u017f', 'params', true],
    ['tas\u212a', 'task', true],
    ['method\0', 'method', true],
    ['met\0hod', 'method', true],
    ['message_id', 'messageId', true],
    ['MESSAGE-ID', 'messageId', true],
    ['meta', '_meta', true],
    ['\u0131d', 'id', true],
    ['\u0130d', 'id', true],
    ['na\u200bme', 'name', true],
    ['me\u00dfage', 'message', true],
    ['methods', 'method', false],
    ['m\u00e9thod', 'method', false],
    ['messageIds', 'messageId', false],
  ];
  for (const [name, known, isOne] of folds) {
    it(`${JSON.stringify(name)} ${isOne ? 'folds' : 'does not fold'} to ${known}`, () =>
      assert.equal(foldName(name) === foldName(known), isOne));
  }

  const twins: readonly [says: string, value: unknown, path: string | undefined][] = [
    ['known ones', { task: 1, message: { contextId: 1, parts: [{ text: 1 }] } }, undefined],
    ['others', { other: { Task: 1 }, TASKS: 1 }, undefined],
    ['twins in what is free', { _meta: { Task: 1, message_id: 2 } }, undefined],
    ['a twin alone', { Task: 1 }, 'Task'],
    ['a twin beside the real one', { task: 1, tas\u212a: 2 }, 'tas\\u212a'],
    ['a twin within', { message: { context_id: 1 } }, 'message.context_id'],
    ['a twin within a list', { message: { parts: [{ text: 1 }, { TEXT: 1 }] } }, 'message.parts.1.TEXT'],
    ['a list where an object is known', { message: [{ ContextId: 1 }] }, 'message.0.ContextId'],
    ['a name that ends at a NUL for some', { 'other\0task': 1 }, 'other\\u0000task'],
    ['no object', 'task', undefined],
  ];
  for (const [says, value, path] of twins) {
    it(`${path === undefined ? 'is taken' : 'is refused'} of ${says}`, () => {
      const read = readShape(value, shape);
      assert.equal('twin' in read ? read.twin.path : undefined, path);
      if ('value' in read) assert.equal(read.value, value);
    });
  }

  it('in snake_case is its camelCase where messages are protobuf, at every place that is known', () => {
    const written = { message_id: 1, message: { context_id: 2, parts: [{ text: 3 }, { text: 4 }] }, x_y: { a_b: 5 } };
    const read = readShape(written, shape, '', true);
    const expected = { messageId: 1, message: { contextId: 2, parts: [{ text: 3 }, { text: 4 }] }, x_y: { a_b: 5 } };
    assert.deepEqual('value' in read && read.value, expected);
  });

  for (const value of [{ message_id: 1, messageId: 1 }, { messageId: 1, message_id: 1 }, { Message_Id: 1 }])
    it(`is refused in ${Object.keys(value).join(' beside ')} where messages are protobuf`, () =>
      assert.ok('twin' in readShape(value, shape, '', true)));

  it('is refused among arguments where it folds to another, or to a known one that it is not', () => {
    assert.equal(twinAmong(['a', 'b', 'A_'])?.path, 'A_');
    assert.equal(twinAmong(['Repo'], ['repo'])?.known, 'repo');
    assert.equal(twinAmong(['a\0b'])?.path, 'a\\u0000b');
    assert.equal(twinAmong(['repo', 'owner'], ['repo', 'owner']), undefined);
    assert.equal(twinAmong(['userId'], ['userId', 'user_id']), undefined);
  });
});
