import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { chmodSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { chatUri, sessionChangesetUri, turnChangesetUri } from '../../../../../sidecar/protocol/uris.ts';
import { inBench, pixels } from '../../../../support/changes/changes.ts';
import { openRepositoryPlace, type RepositoryPlace } from '../../../../support/host/repositoryPlace.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('changes of a session in a repository', () => {
  let at: RepositoryPlace;
  afterEach(() => at.close());
  const open = async (isRepository = true) => {
    at = await openRepositoryPlace({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' }, { isRepository });
  };
  const whole = () => sessionChangesetUri(at.uuid);
  const operations = (channel: string) => at.state(channel).operations ?? [];

  it('are staged and committed without anything else, and count as kept then', async () => {
    await open();
    at.workspace.write({ 'mine.txt': 'of the person\n' });
    at.git('add', 'mine.txt');
    const turnId = await at.turn('a.txt=1 new/d.txt=2');
    await at.turn('b.txt=3');
    await at.peer.subscribe(whole());
    const turn = turnChangesetUri(at.uuid, turnId);
    await at.peer.subscribe(turn);
    assert.deepEqual(
      operations(turn).flatMap(({ id, scopes, confirmation }) =>
        id === 'stage' || id === 'commit' || id === 'patch' ? [[id, scopes, confirmation !== undefined]] : [],
      ),
      [
        ['stage', ['changeset', 'resource'], false],
        ['commit', ['changeset'], true],
        ['patch', ['changeset', 'resource'], false],
      ],
    );
    assert.deepEqual(await at.invoke(turn, 'stage', 'a.txt'), { message: 'Staged 1 file.' });
    assert.equal(at.git('diff', '--cached', '--name-only'), 'a.txt\nmine.txt\n');
    const { message } = await at.invoke(turn, 'commit');
    assert.equal(message, `Committed as ${at.git('rev-parse', '--short', 'HEAD').trim()}.`);
    assert.equal(at.git('log', '-1', '--format=%s', '--name-only'), 'a.txt=1 new/d.txt=2\n\na.txt\nnew/d.txt\n');
    assert.equal(at.git('status', '--porcelain'), ' M b.txt\nA  mine.txt\n');
    await at.peer.until(() => at.state(turn).files.every((it) => it.reviewed));
  });

  it('are not staged by who does not trust the folder, nor where git ignores them', async () => {
    await open();
    at.workspace.write({ '.gitignore': '*.log\n' });
    await at.turn('x.log=1 a.txt=1');
    const other = await at.place.connect('c2', { trusted: false });
    const channel = whole();
    await other.subscribe(channel);
    for (const operationId of ['stage', 'commit']) {
      await assert.rejects(other.request('invokeChangesetOperation', { channel, operationId }), {
        code: -32009,
        message: 'Trust this folder to run Git in it.',
      });
    }
    await at.invoke(channel, 'stage');
    assert.equal(at.git('diff', '--cached', '--name-only'), 'a.txt\n');
  });

  it('have no operations of git without one, and become a patch all the same', async () => {
    await open(false);
    await at.turn('a.txt=1');
    await at.peer.subscribe(whole());
    assert.deepEqual(
      operations(whole()).map((it) => it.id),
      ['keep', 'undo', 'undo-overwrite', 'patch'],
    );
    await assert.rejects(at.invoke(whole(), 'stage'), { code: -32602 });
    const { followUp, message } = await at.invoke(whole(), 'patch');
    assert.equal(message, 'Created a patch for 1 file.');
    assert.match(followUp!.content.uri, /\/a-txt-1\.patch$/);
    const { data } = await at.peer.request('resourceRead', { uri: followUp!.content.uri, encoding: 'utf-8' });
    assert.match(data, /^diff --git a\/a\.txt b\/a\.txt\n/);
  });

  it('are compared between two turns of any chats, forwards and backwards', async () => {
    await open();
    const other = chatUri(randomUUID());
    await at.peer.request('createChat', { channel: at.session, chat: other });
    await at.peer.subscribe(other);
    const first = await at.turn('a.txt=1');
    await at.turn('b.txt=2 c.txt=2', other);
    await at.turn('b.txt=3 d.txt=3');
    const last = await at.turn('c.txt=c', other); // as it was before
    const entry = at.peer.session(at.session).changesets?.find((it) => it.changeKind === 'compare-turns');
    assert.match(entry?.uriTemplate ?? '', /\{originalTurnId\}.*\{modifiedTurnId\}/);
    const uri = (from: string, to: string) =>
      entry!.uriTemplate.replace('{originalTurnId}', from).replace('{modifiedTurnId}', to);
    const compare = async (from: string, to: string) => {
      const channel = uri(from, to);
      await at.peer.subscribe(channel);
      await at.peer.until(() => at.state(channel).status === 'ready');
      const read = async (it?: { content: { uri: string } }) =>
        it && (await at.peer.request('resourceRead', { uri: it.content.uri, encoding: 'utf-8' })).data;
      const rows = at
        .state(channel)
        .files.map(async ({ id, edit }) => [id.split('/').at(-1), await read(edit.before), await read(edit.after)]);
      return (await Promise.all(rows)).toSorted((a, b) => String(a[0]).localeCompare(String(b[0])));
    };
    const expected = [
      ['b.txt', 'b\n', '3\n'],
      ['d.txt', undefined, '3\n'],
    ];
    assert.deepEqual(await compare(first, last), expected);
    assert.deepEqual(
      await compare(last, first),
      expected.map(([name, before, after]) => [name, after, before]),
    );
    assert.deepEqual(await compare(last, last), []);
    assert.deepEqual(
      operations(uri(first, last)).map((it) => [it.id, it.status]),
      [['patch', 'idle']],
    );
    await assert.rejects(at.peer.request('subscribe', { channel: uri(first, 'none') }), { code: -32001 });
  });

  it('are summed over all chats in the summary of the session', async () => {
    verifies('host.summary.changes-source', 'host.summary.changes');
    await open();
    const other = chatUri(randomUUID());
    await at.peer.request('createChat', { channel: at.session, chat: other });
    await at.peer.subscribe(other);
    await at.turn('a.txt=1');
    await at.turn('b.txt=2 d.txt=3', other);
    const { items } = await at.peer.request('root/listSessions', {});
    assert.deepEqual(items[0]?.changes, { additions: 3, deletions: 2, files: 3 });
  });
});

describe('the patch of a session', () => {
  it('brings the folder from before to after: bytes, modes, links, and files that came and went', () =>
    inBench({ git: true }, async (bench) => {
      await bench.turn('t1', () => {
        bench.write('a.txt', 'one\nTWO\nthree');
        bench.write('noend.txt', 'no end, still');
        bench.write('image.bin', pixels.toReversed());
        bench.write('a name with "quotes" and ü.txt', 'x\n');
        bench.write('--- diff --git a/x b/x', '--- a/x\n+++ b/x\ndiff --git a/y a/y\n');
        chmodSync(bench.path('run.sh'), 0o755);
        symlinkSync('a.txt', bench.path('link'));
        bench.git('rm', '--quiet', '--cached', 'crlf.txt');
        writeFileSync(bench.path('crlf.txt'), 'now\r\nother\r\n');
      });
      const after = bench.tree();
      const result = (await bench.invoke('patch')) as { followUp: { content: { uri: string } } };
      const bytes = await bench.changes.readContent(result.followUp.content.uri);
      writeFileSync(join(bench.folder, '.git', 'patch'), bytes);
      await bench.invoke('undo');
      bench.git('apply', '--binary', '.git/patch');
      const modeOf = (name: string) => lstatSync(bench.path(name)).mode & 0o111;
      assert.deepEqual(Object.keys(bench.tree()), Object.keys(after));
      for (const name of ['a.txt', 'noend.txt', 'image.bin', 'crlf.txt', '--- diff --git a/x b/x'])
        assert.equal(bench.tree()[name], after[name], name);
      assert.notEqual(modeOf('run.sh'), 0);
      assert.equal(lstatSync(bench.path('link')).isSymbolicLink(), true);
      assert.doesNotMatch(readFileSync(bench.path('.git/patch'), 'latin1'), /^diff --git b\//m);
    }));
});
