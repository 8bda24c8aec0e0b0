import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { DataTransfer } from 'vscode';
import { type Dropped, dropOn } from '../../../../../src/views/sessions/drop.ts';

type Item = { asString(): Promise<string>; asFile(): object | undefined };
const text = (value: string): Item => ({ asString: async () => value, asFile: () => undefined });
const file = (of: object): Item => ({ asString: async () => '', asFile: () => of });
const transfer = (...items: [string, Item][]) => {
  const all = new Map(items);
  return { get: (type: string) => all.get(type), [Symbol.iterator]: () => all.entries() } as unknown as DataTransfer;
};
const row = { kind: 'session', id: 'host-session:/s' };

describe('1c-12 a drop on the row of a session', () => {
  for (const { of, data, added } of [
    {
      of: 'files of the explorer adds them',
      data: transfer(['text/uri-list', text('file:///a\r\n# note\r\nfile:///b')]),
      added: [{ kind: 'uris', uris: ['file:///a', 'file:///b'] }],
    },
    {
      of: 'a file of the desktop adds it by its place',
      data: transfer(['image/png', file({ name: 'a.png', uri: 'file:///a.png' })]),
      added: [{ kind: 'uris', uris: ['file:///a.png'] }],
    },
    {
      of: 'a file from outside a browser adds its bytes',
      data: transfer(['image/png', file({ name: 'a.png', data: async () => new Uint8Array([1, 2]) })]),
      added: [{ kind: 'bytes', name: 'a.png', contentType: 'image/png', data: 'AQI=' }],
    },
    { of: 'text adds nothing', data: transfer(['text/plain', text('hello')]), added: [] },
  ])
    it(`of ${of}`, async () => {
      const got: [string, Dropped][] = [];
      await dropOn(row, data, (session, dropped) => got.push([session, dropped]));
      assert.deepEqual(
        got,
        added.map((it) => [row.id, it]),
      );
    });

  it('on a group adds nothing', async () => {
    const data = transfer(['text/uri-list', text('file:///a')]);
    await dropOn({ kind: 'group', id: 'today' }, data, () => assert.fail('it was added'));
    await dropOn(undefined, data, () => assert.fail('it was added'));
  });
});
