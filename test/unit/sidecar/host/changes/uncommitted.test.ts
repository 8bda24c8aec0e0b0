import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { ChangesetAction, ChangesetState } from '../../../../../sidecar/protocol/channels/changeset/schema.ts';
import { uncommittedChangesetUri } from '../../../../../sidecar/protocol/uris.ts';
import { openRepositoryPlace, type RepositoryPlace, writeHook } from '../../../../support/host/repositoryPlace.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('what is not committed', () => {
  let at: RepositoryPlace;
  afterEach(() => at.close());
  const channel = () => uncommittedChangesetUri(at.uuid);
  const file = (name: string) => at.state(channel()).files.find((it) => it.id === at.workspace.uriOf(name));
  const operation = (id: string) => at.state(channel()).operations?.find((it) => it.id === id);

  async function open(files: Record<string, string> = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n', 'c.txt': 'c\n' }) {
    at = await openRepositoryPlace(files);
    await at.peer.subscribe(channel());
  }

  it('is a changeset that follows the disk and git while somebody looks', async () => {
    await open();
    await at.peer.until(() => at.state(channel()).status === 'ready');
    assert.deepEqual(at.state(channel()).files, []);
    at.workspace.write({ 'a.txt': 'one\n2\nthree\n', 'new/d.txt': 'x\ny\n' });
    at.workspace.remove('b.txt');
    await at.shows(channel(), ['a.txt', 'b.txt', 'new/d.txt']);
    await at.peer.until(() => file('a.txt')?.edit.diff?.added === 2);
    assert.deepEqual(file('a.txt')?.edit.diff, { added: 2, removed: 1 });
    assert.deepEqual(file('new/d.txt')?.edit.diff, { added: 2, removed: 0 });
    assert.deepEqual([file('b.txt')?.edit.after, file('new/d.txt')?.edit.before], [undefined, undefined]);
    const { edit } = file('a.txt')!;
    const read = (uri: string) => at.peer.request('resourceRead', { uri, encoding: 'utf-8' });
    assert.equal((await read(edit.before!.content.uri)).data, 'one\ntwo\n');
    assert.equal((await read(edit.after!.content.uri)).data, 'one\n2\nthree\n');
    at.git('add', '.');
    await at.peer.until(() => operation('commit')?.status === 'idle');
    at.git('commit', '--quiet', '--message', 'elsewhere');
    await at.shows(channel(), []);
  });

  it('is in the catalogue of a session, reviewed by clients, and reviewed no more when it changes', async () => {
    await open();
    await at.turn('hello');
    const entry = at.peer.session(at.session).changesets?.find((it) => it.changeKind === 'uncommitted');
    assert.deepEqual([entry?.uriTemplate, entry?.capabilities], [channel(), { review: {} }]);
    at.workspace.write({ 'a.txt': 'other\n', 'b.txt': 'other\n' });
    await at.shows(channel(), ['a.txt', 'b.txt']);
    const action: ChangesetAction = {
      type: 'changeset/filesReviewChanged',
      files: ['a.txt', 'b.txt'].map((it) => at.workspace.uriOf(it)),
      reviewed: true,
    };
    assert.equal((await at.peer.act(channel(), action)).rejectionReason, undefined);
    at.workspace.write({ 'a.txt': 'and again\n' });
    await at.peer.until(() => file('a.txt')?.reviewed !== true);
    assert.equal(file('b.txt')?.reviewed, true);
  });

  it('is staged file by file and committed with the title of the session, hooks included', async () => {
    verifies('host.command.invokeChangesetOperation');
    await open();
    writeHook(at.workspace, 'touch hooked');
    at.git('config', 'core.excludesFile', join(at.workspace.path, '.git', 'none'));
    await at.turn('Improve');
    at.workspace.write({ 'a.txt': 'other\n', 'b.txt': 'other\n' });
    await at.shows(channel(), ['a.txt', 'b.txt']);
    assert.deepEqual(
      [operation('stage')?.scopes, operation('commit')?.scopes],
      [['changeset', 'resource'], ['changeset']],
    );
    assert.equal(operation('commit')?.status, 'disabled');
    assert.match(JSON.stringify(operation('commit')?.confirmation), /session title.*hooks/s);
    assert.deepEqual(await at.invoke(channel(), 'stage', 'a.txt'), { message: 'Staged 1 file.' });
    await at.peer.until(() => operation('commit')?.status === 'idle');
    assert.equal(at.git('diff', '--cached', '--name-only'), 'a.txt\n');
    const { message } = await at.invoke(channel(), 'commit');
    const short = at.git('rev-parse', '--short', 'HEAD').trim();
    assert.equal(message, `Committed as ${short}.`);
    assert.equal(at.git('log', '-1', '--format=%s', '--name-only'), 'Improve\n\na.txt\n');
    await at.shows(channel(), ['b.txt', 'hooked']);
    await assert.rejects(at.invoke(channel(), 'commit'), { message: 'There is nothing to commit.' });
  });

  it('is not committed where a hook refuses, which is said without git’s own words', async () => {
    await open();
    writeHook(at.workspace, 'echo /secret/path >&2; exit 1');
    at.workspace.write({ 'a.txt': 'other\n' });
    await at.shows(channel(), ['a.txt']);
    await at.invoke(channel(), 'stage');
    await assert.rejects(at.invoke(channel(), 'commit'), (thrown: Error) => {
      assert.match(thrown.message, /^Git did not commit the changes\. A hook may have rejected/);
      assert.doesNotMatch(thrown.message, /secret/);
      return true;
    });
    assert.equal(at.git('log', '--format=%s'), 'start\n');
  });

  it('becomes a patch that git applies, new files included, whole or of one file', async () => {
    await open();
    at.workspace.write({ 'a.txt': 'other\n', 'new/d.txt': 'x\n' });
    at.workspace.remove('b.txt');
    await at.shows(channel(), ['a.txt', 'b.txt', 'new/d.txt']);
    const patchOf = async (name?: string) => {
      const { followUp } = await at.invoke(channel(), 'patch', name);
      assert.equal(followUp?.content.contentType, 'text/x-diff');
      return (await at.peer.request('resourceRead', { uri: followUp.content.uri, encoding: 'utf-8' })).data;
    };
    const whole = await patchOf();
    const one = await patchOf('new/d.txt');
    assert.equal(at.git('status', '--porcelain'), ' M a.txt\n D b.txt\n?? new/\n', 'the index is as it was');
    at.git('stash', '--quiet', '--include-untracked');
    at.workspace.write({ '.git/patch': one });
    at.git('apply', join('.git', 'patch'));
    assert.equal(at.git('status', '--porcelain'), '?? new/\n');
    at.workspace.remove('new');
    at.workspace.write({ '.git/patch': whole });
    at.git('apply', join('.git', 'patch'));
    assert.equal(at.git('status', '--porcelain'), ' M a.txt\n D b.txt\n?? new/\n');
  });

  it('is all of it before the first commit', async () => {
    at = await openRepositoryPlace({ 'a.txt': 'a\n' }, { isRepository: false });
    at.git('init', '--quiet');
    await at.peer.subscribe(channel());
    await at.shows(channel(), ['a.txt']);
    await at.invoke(channel(), 'stage');
    await at.peer.until(() => operation('commit')?.status === 'idle');
    assert.deepEqual(file('a.txt')?.edit.diff, { added: 1, removed: 0 });
  });

  it('is shown up to a limit, which is said', async () => {
    at = await openRepositoryPlace({ 'a.txt': 'a\n' });
    at.workspace.write(Object.fromEntries(Array.from({ length: 1_005 }, (_it, n) => [`many/${n}.txt`, ''])));
    await at.peer.subscribe(channel());
    await at.peer.until(() => at.state(channel()).status === 'error');
    assert.equal(at.state(channel()).files.length, 1_000);
    assert.equal(at.state(channel()).error?.errorType, 'tooMany');
    at.workspace.remove('many');
    await at.peer.until(() => at.state(channel()).status === 'ready');
  });

  it('cannot be said without a repository, and says so', async () => {
    at = await openRepositoryPlace({ 'a.txt': 'a\n' }, { isRepository: false });
    await at.peer.subscribe(channel());
    await at.peer.until(() => at.state(channel()).status === 'error');
    assert.deepEqual(at.state(channel()).error, {
      errorType: 'noRepository',
      message: "This session's folders do not contain a Git repository.",
    });
    assert.deepEqual(at.state(channel()).operations, []);
  });

  it('is nothing for a window that does not trust the folder: git starts nothing there', async () => {
    at = await openRepositoryPlace({ 'a.txt': 'a\n' }, { window: { trusted: false } });
    const trace = join(at.workspace.path, 'started');
    at.git('config', 'filter.spy.clean', `touch ${trace}; cat`);
    at.workspace.write({ '.gitattributes': '* filter=spy\n', 'a.txt': 'other\n' });
    await at.peer.subscribe(channel());
    await at.peer.until(() => at.state(channel()).status === 'error');
    assert.equal(at.state(channel()).error?.errorType, 'notTrusted');
    await assert.rejects(at.invoke(channel(), 'stage'), /operation not found/);
    assert.equal(existsSync(trace), false);
    const trusting = await at.place.connect('c2');
    await trusting.subscribe(channel());
    await trusting.until(() => (trusting.states.get(channel()) as ChangesetState).files.length > 0);
    await assert.rejects(at.invoke(channel(), 'stage'), {
      code: -32009,
      message: 'Trust this folder to run Git in it.',
    });
  });

  it('has no channel where session not found', async () => {
    await open();
    await assert.rejects(at.peer.request('subscribe', { channel: uncommittedChangesetUri('none') }), { code: -32001 });
  });
});
