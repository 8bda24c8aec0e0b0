import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { HostPort } from '../../../../src/client/port.ts';
import { WorktreeList } from '../../../../src/client/worktrees.ts';

describe('the sizes of worktrees', () => {
  let names: string[];
  let asked: string[];
  /** Gives the size that was asked for last. */
  let give: (() => void) | undefined;
  let list: WorktreeList;
  const soon = () => new Promise((resolve) => void setImmediate(resolve));
  const giveNext = async () => {
    await soon();
    give?.();
    await soon();
  };

  beforeEach(() => {
    [names, asked, give] = [['a', 'b'], [], undefined];
    const request = async (method: string, { worktree, again }: { worktree: string; again: boolean }) => {
      if (method === 'x-switchboard/worktrees')
        return { items: names.map((name) => ({ worktree: name, repository: 'r', sessions: [], holds: [] })) };
      asked.push(again ? `${worktree} again` : worktree);
      return new Promise((resolve) => {
        give = () => resolve({ bytes: asked.length, files: 1, isWhole: true });
      });
    };
    const port = { request } as unknown as HostPort;
    list = new WorktreeList({ port, folders: () => [], pins: () => new Set(), isShown: () => true });
  });
  const sizes = () => list.items.map((it) => [it.worktree, it.size?.bytes]);

  it('are asked for one after the other, also of a worktree that came meanwhile', async () => {
    const looking = list.look();
    await soon();
    names = ['a', 'b', 'c'];
    await list.look();
    assert.deepEqual(asked, ['a']);
    for (const _ of names) await giveNext();
    await looking;
    assert.deepEqual(sizes(), [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]);
  });

  it('are all there after a refresh that came while they were asked for', async () => {
    const looking = list.look();
    await giveNext();
    assert.deepEqual(asked, ['a', 'b']);
    await list.refresh();
    assert.deepEqual(sizes(), [
      ['a', undefined],
      ['b', undefined],
    ]);
    for (const _ of names) await giveNext();
    await looking;
    assert.deepEqual(asked, ['a', 'b', 'a again']);
    assert.deepEqual(sizes(), [
      ['a', 3],
      ['b', 2],
    ]);
    names.push('c');
    const later = list.look();
    await giveNext();
    await later;
    assert.equal(asked.at(-1), 'c');
  });
});
