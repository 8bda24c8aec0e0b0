import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChangesetState } from '../../../../../sidecar/protocol/channels/changeset/schema.ts';
import { status } from '../../../../../sidecar/protocol/status.ts';
import { filesBelow } from '../../../../../src/views/changes/folders.ts';
import {
  type ChangesNode,
  fileNodes,
  sessionsByFolder,
  setNodes,
  uncommittedNode,
} from '../../../../../src/views/changes/nodes.ts';
import { english, summary } from '../../../../support/extensionStates.ts';
import { verifies } from '../../../../support/verifies.ts';

const side = (uri: string) => ({ uri, content: { uri: `host-content:/${'0'.repeat(64)}/x` } });
const state: ChangesetState = {
  status: 'ready',
  files: [
    { id: '1', edit: { after: side('file:///w/src/a%20b.ts'), diff: { added: 3, removed: 0 } } },
    { id: '2', edit: { before: side('file:///w/old.ts'), diff: { added: 0, removed: 2 } }, reviewed: true },
    { id: '3', edit: { before: side('file:///w/old.ts'), after: side('file:///w/new.ts') } },
  ],
};
const changeset = 'host-changeset:/s1/session';

describe('the Changes view', () => {
  it('lists the sessions that changed files, and those whose undo can be taken back', () => {
    const sessions = [
      summary({ resource: 'host-session:/s1', changes: { files: 2, additions: 12, deletions: 3 } }),
      summary({ resource: 'host-session:/s2' }),
      summary({ resource: 'host-session:/s3', changes: { files: 0 } }),
    ];
    const nodes = setNodes(english, sessions, (it) => it === 'host-changeset:/s3/session');
    assert.deepEqual(
      nodes.map((it) => [it.changeset, it.description]),
      [
        ['host-changeset:/s1/session', '+12 −3 · 2 files'],
        ['host-changeset:/s3/session', 'undone'],
      ],
    );
  });

  it('1c-1 says why nothing can be undone while the agent works, and leaves room for the counts of a long title', () => {
    const title = 'a title that is much longer than any side bar of a person is wide';
    const changes = { files: 1, additions: 1, deletions: 0 };
    const [node] = setNodes(english, [summary({ title, changes, status: status.InProgress })], () => false);
    assert.deepEqual(
      [node?.isBusy, node?.label.length, node?.description],
      [true, 40, '+1 −0 · 1 file · the agent is working'],
    );
    assert.ok(node?.tooltip.startsWith(`${title}\n`));
    assert.match(node?.tooltip ?? '', /when the agent has finished/);
  });

  it('1c-1 asks git once for each folder, whichever sessions worked there', () => {
    const at = (resource: string, modifiedAt: string, ...workingDirectories: string[]) =>
      summary({ resource, modifiedAt, workingDirectories });
    const sessions = [
      at('host-session:/s1', '2026-01-01', 'file:///a'),
      at('host-session:/s2', '2026-01-03', 'file:///a'),
      at('host-session:/s3', '2026-01-02', 'file:///b', 'file:///a'),
      at('host-session:/far', '2026-01-01', 'file:///a'),
      summary({ resource: 'host-session:/none' }),
    ];
    const hostOf = (it: string) => (it === 'host-session:/far' ? 'wss://far' : '');
    assert.deepEqual(
      sessionsByFolder(sessions, hostOf)
        .map((it) => it.session)
        .sort(),
      ['host-session:/far', 'host-session:/none', 'host-session:/s2', 'host-session:/s3'],
    );
  });

  it('1c-1 shows files below their folders, with the counts of each folder, and one row for folders in a chain', () => {
    const file = (path: string, added: number) => ({
      id: path,
      edit: { before: side(`file:///w/${path}`), after: side(`file:///w/${path}`), diff: { added, removed: 1 } },
    });
    const files = [file('b/c/d/one.ts', 1), file('b/c/d/two.ts', 2), file('top.ts', 3), file('a/three.ts', 4)];
    const drawn = (nodes: readonly ChangesNode[], depth = 0): string[] =>
      nodes.flatMap((it) => [
        `${'  '.repeat(depth)}${it.label} ${'description' in it ? it.description : ''}`,
        ...(it.kind === 'folder' ? drawn(it.children, depth + 1) : []),
      ]);
    const nodes = fileNodes(english, changeset, { status: 'ready', files }, ['file:///w'], true);
    assert.deepEqual(drawn(nodes), [
      'a +4 −1 · 1 file',
      '  three.ts +4 −1',
      'b/c/d +3 −2 · 2 files',
      '  one.ts +1 −1',
      '  two.ts +2 −1',
      'top.ts +3 −1',
    ]);
    assert.deepEqual(
      filesBelow(nodes[1]!).map((it) => it.file.id),
      ['b/c/d/one.ts', 'b/c/d/two.ts'],
    );
    assert.equal(new Set(nodes.map((it) => it.id)).size, nodes.length);
  });

  it('1c-1 shows no session that was read from a file: its files are not here', () => {
    const imported = summary({ changes: { files: 2 }, _meta: { imported: { folders: [] } } });
    assert.deepEqual(
      setNodes(english, [imported], () => false),
      [],
    );
  });

  it('shows of each file what became of it, where it lies and whether it was kept', () => {
    const nodes = fileNodes(english, changeset, state, ['file:///w']);
    assert.deepEqual(
      nodes.map((it) => 'description' in it && [it.label, it.description]),
      [
        ['a b.ts', '+3 −0 · new · src'],
        ['old.ts', '+0 −2 · deleted · kept'],
        ['new.ts', 'renamed from old.ts'],
      ],
    );
  });

  it('shows of a file that an undo left as it is why, before all else', () => {
    verifies('host.changes.undo-partly');
    const left = { reason: 'conflict', message: 'it has changed since the agent wrote it' };
    const files = [{ ...state.files[0]!, _meta: { left } }, state.files[1]!];
    const nodes = fileNodes(english, changeset, { ...state, files }, ['file:///w']);
    assert.deepEqual(
      nodes.map((it) => 'description' in it && it.description),
      ['not undone: changed since · +3 −0 · new · src', '+0 −2 · deleted · kept'],
    );
    const [kept] = fileNodes(english, changeset, { ...state, files: [{ ...files[0]!, reviewed: true }] }, []);
    assert.ok(kept && 'description' in kept && !kept.description.includes('not undone'), 'who keeps it has decided');
    const refused = { ...files[0]!, _meta: { left: { reason: 'refused', message: 'it is elsewhere' } } };
    const [other] = fileNodes(english, changeset, { ...state, files: [refused] }, []);
    assert.ok(other && 'description' in other && other.description.startsWith('not undone: it is elsewhere · '));
  });

  it('shows of what is not committed whether it is staged, and what can be done with it', () => {
    const uri = 'host-changeset:/s1/uncommitted';
    const now: ChangesetState = {
      status: 'error',
      error: { errorType: 'tooMany', message: 'More.' },
      files: [
        { id: '1', edit: { after: side('file:///w/a.ts') }, _meta: { git: { staged: true, unstaged: false } } },
        { id: '2', edit: { after: side('file:///w/b.ts') }, _meta: { git: { staged: false, unstaged: true } } },
      ],
      operations: [
        { id: 'stage', label: 'Stage', scopes: ['changeset'], status: 'idle' },
        { id: 'commit', label: 'Commit', scopes: ['changeset'], status: 'disabled' },
      ],
    };
    const row = uncommittedNode(english, 'host-session:/s1', now);
    assert.deepEqual([row.changeset, row.description, row.contextValue], [uri, '2 files', 'uncommitted stage']);
    assert.deepEqual(
      fileNodes(english, uri, now, ['file:///w']).map((it) =>
        it.kind === 'file' ? [it.label, it.description, it.contextValue] : it.label,
      ),
      ['More.', ['a.ts', 'new · staged', 'new'], ['b.ts', 'new', 'new unstaged']],
    );
    assert.deepEqual(uncommittedNode(english, 'host-session:/s1', undefined).contextValue, 'uncommitted');
  });

  it('says what it waits for', () => {
    const label = (it: ChangesetState | undefined) => fileNodes(english, changeset, it, []).map((node) => node.label);
    assert.deepEqual(label(undefined), ['Reading changes…']);
    for (const status of ['computing', 'recomputing'])
      assert.deepEqual(label({ status, files: [] }), ['Looking for changes…']);
    assert.deepEqual(label({ status: 'ready', files: [] }), ['No changes.']);
    assert.deepEqual(label({ status: 'error', files: [], error: { errorType: 'x', message: 'No.' } }), ['No.']);
  });
});
