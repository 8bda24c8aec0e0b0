import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChangesetFile } from '../../../../sidecar/protocol/channels/changeset/schema.ts';
import {
  countReviewed,
  othersPending,
  pathOf,
  pendingPaths,
  type ReviewSet,
  reviewFileAt,
} from '../../../../src/changes/review/reviewFiles.ts';

const side = (path: string) => ({ uri: `file://${path}`, content: { uri: `host-content:/${'0'.repeat(64)}/x` } });
const file = (path: string, more: Partial<ChangesetFile> = {}): ChangesetFile => ({
  id: path,
  edit: { before: side(path), after: side(path) },
  ...more,
});
const set = (changeset: string, files: readonly ChangesetFile[], authority = ''): ReviewSet => ({
  changeset,
  authority,
  files,
});
const names = (all: readonly { readonly file: ChangesetFile }[]) => all.map((it) => it.file.id);

describe('files to review', () => {
  const kept = { reviewed: true };

  it('are named as the editor names them, and where they were if they are gone', () => {
    assert.equal(pathOf(file('/a%20b.ts')), '/a b.ts');
    assert.equal(pathOf(file('/100%.ts')), '/100%.ts');
    assert.equal(pathOf({ id: 'x', edit: { before: side('/gone.ts') } }), '/gone.ts');
    assert.equal(pathOf({ id: 'x', edit: { before: side('/old.ts'), after: side('/new.ts') } }), '/new.ts');
  });

  it('wait until they are kept, each path once', () => {
    const sets = [set('one', [file('/b'), file('/a', kept)]), set('two', [file('/b'), file('/c')])];
    assert.deepEqual(pendingPaths(sets), ['/b', '/c']);
  });

  it('are found first where they wait, and only on the host that the editor shows', () => {
    const sets = [set('one', [file('/a', kept)]), set('two', [file('/a')]), set('far', [file('/a')], 'ws.host')];
    const at = (scheme: string, authority: string) => reviewFileAt(sets, { scheme, authority, path: '/a' });
    assert.equal(at('file', '')?.set.changeset, 'two');
    assert.equal(at('switchboard-content', 'ws.host')?.set.changeset, 'far');
    assert.equal(at('switchboard-content', 'ws.other'), undefined);
    assert.equal(reviewFileAt(sets.slice(0, 1), { scheme: 'file', authority: '', path: '/a' })?.set.changeset, 'one');
  });

  it('follow one another, beginning again after the last, without those that are kept', () => {
    const files = [file('/a'), file('/b', kept), file('/c'), file('/d')];
    const all = set('one', files);
    assert.deepEqual(names(othersPending({ set: all, file: files[2]! })), ['/d', '/a']);
    assert.deepEqual(names(othersPending({ set: all, file: files[3]! })), ['/a', '/c']);
    assert.deepEqual(names(othersPending({ set: set('one', [files[0]!]), file: files[0]! })), []);
  });

  it('are counted', () => {
    assert.deepEqual(countReviewed(set('one', [file('/a'), file('/b', kept)])), { reviewed: 1, all: 2 });
  });
});
