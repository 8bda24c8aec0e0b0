import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Result } from '../../../../../../sidecar/protocol/methods.ts';
import { sessionChangesetUri } from '../../../../../../sidecar/protocol/uris.ts';
import type { PermissionRule } from '../../../../../../sidecar/protocol/window.ts';
import { echoAndEdit } from '../../../../../support/agents/echoAndEdit.ts';
import { openHostPlace } from '../../../../../support/host/hostPlace.ts';
import { openRepositoryPlace, type RepositoryPlace } from '../../../../../support/host/repositoryPlace.ts';
import { openWorkspace } from '../../../../../support/host/workspace.ts';
import { verifies } from '../../../../../support/verifies.ts';

describe('who wrote the lines of a file', () => {
  let at: RepositoryPlace;
  beforeEach(async () => {
    at = await openRepositoryPlace({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' });
  });
  afterEach(() => at.close());

  const text = (name = 'a.txt') => readFileSync(join(at.workspace.path, name), 'utf8');
  const ask = (name = 'a.txt', line?: number, shown = text(name)) =>
    at.peer.request('x-switchboard/lineAuthors', {
      uri: at.workspace.uriOf(name),
      text: shown,
      ...(line !== undefined && { line }),
    });
  /** Each line with the prompt that wrote it. */
  const shown = ({ ranges, authors }: Result<'x-switchboard/lineAuthors'>, lines: readonly string[]) =>
    lines.map((it, line) => {
      const range = ranges.find(({ start, end }) => start <= line && line < end);
      return [it, range && authors[range.author]!.prompt];
    });
  const write = (content: string) => `a.txt=${content}`;

  it('is the turn that wrote each line, over several turns and sessions, and nobody for what was there', async () => {
    verifies('host.authors.lines');
    const first = write('one\n2\nthree\nfour');
    await at.turn(first);
    const other = await at.peer.newSession({ workingDirectories: [at.workspace.uri] });
    const second = write('one\n2\nthree\nfour\nfive');
    await at.turn(second, other.chat);
    assert.deepEqual(shown(await ask(), text().trimEnd().split('\n')), [
      ['one', undefined],
      ['2', first],
      ['three', undefined],
      ['four', first],
      ['five', second],
    ]);
    const { authors } = await ask();
    assert.deepEqual(
      authors.map((it) => [it.session, it.provider]),
      [
        [at.session, 'scripted'],
        [other.session, 'scripted'],
      ],
    );
  });

  it('is nobody for lines that a person changed since, on the disk or in the editor', async () => {
    verifies('host.authors.person');
    const prompt = write('mine\ntwo\nthree\nlast');
    await at.turn(prompt);
    at.workspace.write({ 'a.txt': 'mine\ntwo\nthree\nlast, by me\n' });
    assert.deepEqual(shown(await ask(), ['mine', 'two', 'three', 'last, by me']), [
      ['mine', prompt],
      ['two', undefined],
      ['three', undefined],
      ['last, by me', undefined],
    ]);
    const typed = await ask('a.txt', undefined, 'new\r\nmine\r\n');
    assert.deepEqual(shown(typed, ['new', 'mine']), [
      ['new', undefined],
      ['mine', prompt],
    ]);
  });

  it('is the one that is left after an undo, and the one of a single line where that is asked', async () => {
    await at.turn(write('one\n2\nthree'));
    const again = write('one\n2\n3');
    const turn = await at.turn(again);
    assert.deepEqual(shown(await ask('a.txt', 2), ['one', '2', '3']), [
      ['one', undefined],
      ['2', undefined],
      ['3', again],
    ]);
    await at.peer.subscribe(sessionChangesetUri(at.uuid));
    await at.invoke(`host-changeset:/${at.uuid}/turn/${turn}`, 'undo');
    assert.equal(text(), 'one\n2\nthree\n');
    assert.deepEqual((await ask()).ranges, [{ start: 1, end: 2, author: 0 }]);
  });

  it('is asked of the turns that changed the file, by an index over its name', async () => {
    verifies('host.authors.by-file');
    await at.turn('b.txt=x');
    const { DatabaseSync } = await import('node:sqlite');
    const sql = new DatabaseSync(join(at.place.dataDir, 'host.db'), { readOnly: true });
    const plan = sql.prepare('EXPLAIN QUERY PLAN SELECT changeset, body FROM changeset_file WHERE id = ?').all('x');
    sql.close();
    assert.match(JSON.stringify(plan), /SEARCH changeset_file USING INDEX changeset_file_by_id/);
    assert.deepEqual((await ask()).ranges, []);
  });

  it('is written into a note of the commit, for lines of the commit alone', async () => {
    verifies('host.authors.note');
    await at.turn(write('one\n2\nthree'));
    at.workspace.write({ 'b.txt': 'by a person\n' });
    at.git('commit', '--quiet', '--all', '--message', 'two');
    const trusted = await at.place.connect('c2', { folders: [at.workspace.uri] });
    const send = { folder: at.workspace.uri, commit: 'HEAD' };
    const { lines } = await trusted.request('x-switchboard/noteAuthors', send);
    assert.equal(lines, 1);
    const note = at.git('notes', '--ref=switchboard', 'show', 'HEAD');
    assert.match(note, /^a\.txt\n {2}2 agent=scripted at=\S+ session=".*" prompt="a\.txt=one 2 three"/m);
    assert.doesNotMatch(note, /b\.txt\n/);
    await assert.rejects(trusted.request('x-switchboard/noteAuthors', { ...send, commit: 'HEAD~1' }), /No line/);
    await assert.rejects(trusted.request('x-switchboard/noteAuthors', { ...send, commit: 'nowhere' }), /not found/);
    await assert.rejects(trusted.request('x-switchboard/noteAuthors', { ...send, commit: '--all' }), /commit/);
    await assert.rejects(
      trusted.request('x-switchboard/noteAuthors', { ...send, folder: 'file:///' }),
      /not one of this window's folders/,
    );
    const untrusted = await at.place.connect('c3', { trusted: false, folders: [at.workspace.uri] });
    await assert.rejects(untrusted.request('x-switchboard/noteAuthors', send), /Trust this folder/);
  });
});

describe('who wrote a line with a tool', () => {
  it('is the call that wrote it, with the approval that it had', async () => {
    verifies('host.authors.lines');
    const workspace = openWorkspace({ 'a.txt': 'one\n' });
    const rule: PermissionRule = { id: 'r', effect: 'allow', target: 'edit', pattern: 'a.txt', source: 'user' };
    const place = await openHostPlace([echoAndEdit]);
    try {
      const peer = await place.connect('c1', { rules: [rule], folders: [workspace.uri] });
      const { chat } = await peer.newSession({ workingDirectories: [workspace.uri] });
      await peer.ended(chat, await peer.prompt(chat, 'write a.txt one\ntwo'));
      const text = readFileSync(join(workspace.path, 'a.txt'), 'utf8');
      const asked = { uri: workspace.uriOf('a.txt'), text };
      const { ranges, authors } = await peer.request('x-switchboard/lineAuthors', asked);
      assert.deepEqual(ranges, [{ start: 1, end: 2, author: 0 }]);
      assert.deepEqual(authors[0]?.tool, { name: 'Write a file', confirmed: 'setting' });
    } finally {
      await place.close();
      workspace.remove();
    }
  });
});
