import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { acpProvider } from '../../sidecar/agents/acp/provider.ts';
import { runbookProvider } from '../../sidecar/agents/runbook/provider.ts';
import { type Children, openChildren } from '../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import type { ChatState } from '../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';
import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import { creationBanner } from '../../src/webviews/chat/chatBanners.ts';
import { errorAction } from '../../src/webviews/chat/chatRows.ts';
import type { HostPeer } from '../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../support/host/hostPlace.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

interface Recorded {
  readonly event: string;
  readonly cwd: string;
  readonly given?: string;
}

/** Real processes, which write down where they run. */
describe('the folder of a session', () => {
  let root: string;
  let folder: string;
  let record: string;
  let children: Children;
  let place: HostPlace;
  let clients = 0;
  beforeEach(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-folders-')));
    folder = join(root, 'work');
    record = join(root, 'record');
    writeFileSync(record, '');
    children = openChildren(join(root, 'children.json'), () => '2026-01-01T00:00:00Z');
    const modal = fileURLToPath(new URL('./peers/acp/modal.ts', import.meta.url));
    const args = [modal, record, 'ask', 'modes', '--load'];
    const agent = { id: 'modal', displayName: 'Modal', command: process.execPath, args, env: [] };
    place = await openHostPlace([
      acpProvider(agent, { timers: systemTimers, children }),
      runbookProvider({ timers: systemTimers, children }),
    ]);
  });
  afterEach(async () => {
    // Whatever was asked for, nothing ran at the root or where nobody sent it.
    const allowed = [folder, join(root, 'other'), join(root, 'renamed'), join(place.dataDir, 'empty')];
    for (const it of recorded()) {
      assert.ok(allowed.includes(it.cwd), `ran in ${it.cwd}`);
      assert.notEqual(it.given, '/');
    }
    await place.close();
    await children.stopAll();
    rmSync(root, { recursive: true, force: true });
  });

  const env = { PATH: process.env['PATH'] ?? '', HOME: tmpdir() };
  const connect = () => {
    clients += 1;
    return place.connect(`c${clients}`, { env });
  };
  const recorded = () =>
    readFileSync(record, 'utf8')
      .split('\n')
      .filter((it) => it !== '')
      .map((it) => JSON.parse(it) as Recorded);
  const uriOf = (path: string) => pathToFileURL(path).href;
  const inFolder = () => ({ workingDirectories: [uriOf(folder)] });
  const play = async (peer: HostPeer, chat: string, text = 'go') => peer.ended(chat, await peer.prompt(chat, text));

  /** Ways in which a folder is none any more. */
  const ways: readonly (readonly [says: string, errorType: string, lose: () => void])[] = [
    ['was renamed', 'folderGone', () => renameSync(folder, join(root, 'renamed'))],
    ['was deleted', 'folderGone', () => rmSync(folder, { recursive: true })],
    [
      'is a file now',
      'folderGone',
      () => {
        rmSync(folder, { recursive: true });
        writeFileSync(folder, 'a file');
      },
    ],
    [
      'is a link to the root now',
      'folderGone',
      () => {
        rmSync(folder, { recursive: true });
        symlinkSync('/', folder);
      },
    ],
  ];
  const hasWayOut = (error: { errorType: string; message: string } | undefined, errorType: string) => {
    assert.equal(error?.errorType, errorType);
    assert.match(
      error.message,
      errorType === 'folderGone'
        ? /its folder "work" (?:was replaced|cannot be opened|is the root)/
        : /This session has no working folder\. Open a folder, and then start a new session/,
    );
    // Both places where an error is shown have a button for it.
    assert.equal(errorAction({ error, responseParts: [] }), 'folder');
    assert.equal(creationBanner(error).kind, errorType === 'folderGone' ? 'folderGone' : 'noFolder');
  };

  for (const [says, errorType, lose] of [
    ...ways,
    ['was never there', 'folderGone', () => rmSync(folder, { recursive: true })] as const,
  ]) {
    it(`that ${says} makes no session: it says so with a button, and again when it is prompted`, async () => {
      verifies('host.folder.checked', 'host.folder.no-root');
      mkdirSync(folder);
      lose();
      for (const isKnown of [false, true]) {
        const peer = await connect();
        if (isKnown) await peer.newSession({ workingDirectories: [uriOf(mkdirp('other'))] });
        const { session, chat } = await peer.newSession(inFolder());
        assert.equal(peer.session(session).lifecycle, 'creationFailed');
        hasWayOut(peer.session(session).creationError, errorType);
        const from = recorded().length;
        hasWayOut((await play(peer, chat)).error, errorType);
        assert.equal(recorded().length, from, 'nothing was started');
      }
    });
  }
  for (const [says, errorType, lose] of ways) {
    it(`that ${says} while the host was down is an error with a button when the session is opened and prompted, until it is back`, async () => {
      verifies('host.folder.checked', 'host.folder.no-root');
      mkdirSync(folder);
      const before = await connect();
      const { session, chat } = await before.newSession(inFolder());
      assert.equal((await play(before, chat)).state, 'complete');
      await place.restart();
      lose();
      const peer = await connect();
      await peer.subscribe<SessionState>(session);
      await peer.subscribe<ChatState>(chat);
      await peer.until(() => problem(peer, session)?.kind === 'folderGone');
      const from = recorded().length;
      hasWayOut((await play(peer, chat)).error, errorType);
      assert.equal(recorded().length, from, 'nothing was started');
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      assert.equal((await play(peer, chat)).state, 'complete');
      await peer.until(() => problem(peer, session) === undefined);
    });
    it(`that ${says} between two turns is an error with a button, and its agent is ended`, async () => {
      verifies('host.folder.checked', 'host.folder.no-root');
      mkdirSync(folder);
      const peer = await connect();
      const { chat } = await peer.newSession(inFolder());
      await play(peer, chat);
      lose();
      const from = recorded().length;
      hasWayOut((await play(peer, chat)).error, errorType);
      assert.equal(recorded().length, from, 'the agent was not asked');
      await until('its process ended', () => children.list().length === 0);
      // One of the same name is another folder: an agent that was in the first one is not in it.
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      assert.equal((await play(peer, chat)).state, 'complete');
    });
  }

  it('that was replaced by another of its name is the one in which the next turn works', async () => {
    verifies('host.folder.checked');
    mkdirSync(folder);
    const peer = await connect();
    const { session, chat } = await peer.newSession(inFolder());
    await play(peer, chat);
    renameSync(folder, join(root, 'renamed'));
    mkdirSync(folder);
    const turnId = await peer.prompt(chat, 'edit file');
    await peer.until(() => (peer.session(session).inputNeeded ?? []).length === 1);
    const [request] = peer.session(session).inputNeeded as unknown as { toolCall: { toolCallId: string } }[];
    const { toolCallId } = request!.toolCall;
    const confirmed = { type: 'chat/toolCallConfirmed', turnId, toolCallId, approved: true, confirmed: 'user-action' };
    await peer.act(chat, confirmed as AnyAction);
    await peer.ended(chat, turnId);
    assert.deepEqual([existsSync(join(folder, 'file')), existsSync(join(root, 'renamed/file'))], [true, false]);
  });

  for (const isKnown of [false, true]) {
    it(`has to be there for an agent that works on files: without one there is an error with a button (${isKnown ? 'known' : 'unknown'} agent)`, async () => {
      verifies('host.folder.checked', 'host.folder.no-root');
      const peer = await connect();
      if (isKnown) await peer.newSession({ workingDirectories: [uriOf(mkdirp('other'))] });
      const { session, chat } = await peer.newSession(isKnown ? {} : { workingDirectories: [] });
      assert.equal(peer.session(session).lifecycle, 'creationFailed');
      hasWayOut(peer.session(session).creationError, 'folderNeeded');
      hasWayOut((await play(peer, chat)).error, 'folderNeeded');
      await place.restart();
      const later = await connect();
      await later.subscribe(session);
      await later.subscribe(chat);
      hasWayOut((await play(later, chat)).error, 'folderNeeded');
    });
  }

  it('has to be there for the steps of a runbook that act: without one there is an error with a button, and nothing runs', async () => {
    verifies('host.folder.runbook', 'host.folder.no-root');
    const peer = await connect();
    const { session, chat } = await peer.newSession({ provider: 'runbook', workingDirectories: [] });
    assert.equal(peer.session(session).lifecycle, 'ready');
    assert.equal((await play(peer, chat, '/')).state, 'complete');
    for (const block of ['sh\ntouch ran', 'write ran\nx']) {
      const { error, responseParts } = await play(peer, chat, `\`\`\`${block}\n\`\`\`\n`);
      hasWayOut(error, 'folderNeeded');
      assert.deepEqual(responseParts, []);
    }
    assert.equal(existsSync(join(place.dataDir, 'empty/ran')), false);
    assert.equal((await play(peer, chat, '/')).state, 'complete');
  });

  it('is the empty one for an agent that is only started to say what it offers', async () => {
    verifies('host.folder.no-root');
    const peer = await connect();
    await peer.request('resolveSessionConfig', {});
    assert.deepEqual(
      recorded().map((it) => [it.event, it.cwd]),
      ['started', 'opened'].map((it) => [it, join(place.dataDir, 'empty')]),
    );
  });

  for (const uri of ['notauri', 'https://a/b', 'vscode-remote://ssh/x', 'file:///', 'file://', 'file:///a%00b']) {
    it(`is refused as “${uri}”, with the field`, async () => {
      verifies('host.folder.uri', 'host.folder.no-root');
      const peer = await connect();
      const good = uriOf(mkdirp('other'));
      const refused = (field: string) => ({ code: -32602, message: new RegExp(`^${field}: must be the file URI`) });
      const channel = 'host-session:/refused';
      await assert.rejects(
        peer.request('createSession', { channel, workingDirectories: [good, uri] }),
        refused('workingDirectories.1'),
      );
      await assert.rejects(
        peer.request('resolveSessionConfig', { workingDirectory: uri }),
        refused('workingDirectory'),
      );
      await assert.rejects(peer.request('subscribe', { channel }), 'nothing was made');
      assert.deepEqual(recorded(), []);
    });
  }

  function mkdirp(name: string): string {
    mkdirSync(join(root, name), { recursive: true });
    return join(root, name);
  }
  function problem(peer: HostPeer, session: string): { kind: string } | undefined {
    return peer.session(session)._meta?.['problem'] as { kind: string } | undefined;
  }
});
