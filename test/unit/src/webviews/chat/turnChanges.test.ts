import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChangesetOperation, ChangesetState } from '../../../../../sidecar/protocol/channels/changeset/schema.ts';
import { toTurnChanges } from '../../../../../src/webviews/chat/turnChanges.ts';

const operation = (id: string, status = 'idle'): ChangesetOperation => ({
  id,
  label: id,
  scopes: ['changeset'],
  status,
});
const file = (name: string, reviewed: boolean) => ({
  id: name,
  reviewed,
  edit: {
    after: { uri: `file:///${name}`, content: { uri: `host-content:/${name}` } },
    diff: { added: 2, removed: 1 },
  },
});
const all = [operation('keep'), operation('undo')];
const state = (more: Partial<ChangesetState>): ChangesetState => ({
  status: 'ready',
  files: [],
  operations: all,
  ...more,
});

describe('the bar of a turn', () => {
  it('is not there when nothing was changed', () => assert.equal(toTurnChanges(state({})), undefined));

  it('sums its files and offers what the host offers', () => {
    assert.deepEqual(toTurnChanges(state({ files: [file('a', true), file('b', false)] })), {
      files: 2,
      left: 1,
      added: 4,
      removed: 2,
      status: 'open',
      canKeep: true,
      canUndo: true,
      canRedo: false,
    });
  });

  it('is kept when every file was reviewed, and can still be undone', () => {
    const changes = toTurnChanges(state({ files: [file('a', true)] }));
    assert.deepEqual([changes?.status, changes?.canKeep, changes?.canUndo], ['kept', false, true]);
  });

  it('offers later what the host disabled', () => {
    const operations = [operation('keep', 'disabled'), operation('undo', 'disabled')];
    const changes = toTurnChanges(state({ files: [file('a', false)], operations }));
    assert.deepEqual([changes?.canKeep, changes?.canUndo, changes?.canRedo], ['later', 'later', false]);
  });

  it('stays after an undo, to take it back once', () => {
    const changes = toTurnChanges(state({ operations: [...all, operation('redo')] }));
    assert.deepEqual([changes?.status, changes?.canRedo], ['undone', true]);
  });
});
