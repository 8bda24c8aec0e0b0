import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { AgentProvider } from '../../../../../../sidecar/agents/provider.ts';
import type { ChangesetState } from '../../../../../../sidecar/protocol/channels/changeset/schema.ts';
import type { ChatState } from '../../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../../../../sidecar/protocol/channels/session/schema.ts';
import { SessionHead, SessionRecord } from '../../../../../../sidecar/protocol/channels/session/sessionFile.ts';
import { hasFlag, status } from '../../../../../../sidecar/protocol/status.ts';
import { sessionChangesetUri, sessionUri } from '../../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../../support/host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../../../../../support/host/workspace.ts';
import { scriptedProvider } from '../../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../../support/verifies.ts';

const TOKEN = 'ghp_0123456789abcdefghij';
const KNOWN = 'a-token-that-a-window-pushed';

/** A session with two chats, a tool call that failed, an edit of a file, and secrets in all of them. */
describe('a session as a file', () => {
  let place: HostPlace;
  let workspace: Workspace;
  let peer: HostPeer;
  let session: string;
  let chat: string;
  let heard: string[];

  const agent = scriptedProvider(async function* ({ text, attachments }) {
    heard.push([text, ...attachments.map((it) => ('text' in it ? it.text : ''))].join('\n'));
    if (text.startsWith('write')) workspace.write({ 'src/app.ts': `one\n2\nthree\n// ${TOKEN}\n` });
    yield { kind: 'toolStarted', toolCallId: `call ${text}`, toolName: 'look', displayName: 'Look' };
    yield {
      kind: 'toolEnded',
      toolCallId: `call ${text}`,
      success: false,
      pastTenseMessage: 'Looked',
      content: [{ kind: 'text', text: `output with ${TOKEN}` }],
      error: 'nothing there',
    };
    yield { kind: 'text', partId: 'a', text: `answer to ${text}` };
  });
  const other: AgentProvider = { ...agent, id: 'other', displayName: 'Other' };

  beforeEach(async () => {
    heard = [];
    workspace = openWorkspace({ 'src/app.ts': 'one\ntwo\nthree\n' });
    place = await openHostPlace([{ ...agent, multipleChats: { fork: true, sideChat: true } } as AgentProvider, other]);
    peer = await place.connect();
    ({ session, chat } = await peer.newSession({ workingDirectories: [workspace.uri] }));
  });
  afterEach(async () => {
    await place.close();
    workspace.remove();
  });

  const say = async (text: string, where = chat) => peer.ended(where, await peer.prompt(where, text));

  async function exported(uri: string, format: 'json' | 'markdown' = 'json', pieces: string[] = []) {
    let cursor: string | undefined;
    do {
      const answer = await peer.request('x-switchboard/exportSession', {
        channel: uri,
        format,
        ...(cursor !== undefined && { cursor }),
      });
      pieces.push(answer.text);
      cursor = answer.nextCursor;
    } while (cursor !== undefined);
    return pieces.join('');
  }

  async function imported(text: string, size = 3): Promise<string> {
    const { records, ...head } = JSON.parse(text) as { records: SessionRecord[] } & SessionHead;
    const made = sessionUri(crypto.randomUUID());
    await peer.request('x-switchboard/importSession', { session: made, head, records: [], isLast: false });
    for (let at = 0; at < records.length; at += size)
      await peer.request('x-switchboard/importSession', {
        session: made,
        records: records.slice(at, at + size),
        isLast: at + size >= records.length,
      });
    return made;
  }

  it('1b-24 is the same after it was exported, imported and exported again', async () => {
    verifies('host.transfer.round-trip');
    await say('write it');
    await say('say more');
    const first = await exported(session);
    const copy = await imported(first);
    assert.equal(await exported(copy), first);
    assert.equal(await exported(await imported(await exported(copy), 1_000)), first);
  });

  it('1b-24 has all chats, turns, outputs and patches, and each record is one of the schema', async () => {
    await say('write it');
    const text = await exported(session);
    const { records, ...head } = JSON.parse(text) as { records: unknown[] };
    SessionHead.parse(head);
    const parsed = records.map((it) => SessionRecord.parse(it));
    assert.deepEqual([...new Set(parsed.map((it) => it.kind))].toSorted(), ['change', 'chat', 'content', 'turn']);
    const [change] = parsed.flatMap((it) => (it.kind === 'change' && it.turn === undefined ? [it.patch] : []));
    assert.equal(change, '--- a/src/app.ts\n+++ b/src/app.ts\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+// [hidden]\n');
    assert.match(text, /answer to write it/);
    assert.match(text, /nothing there/);
  });

  it('1b-24 holds no secret that the host knows or recognizes, and says so', async () => {
    verifies('host.transfer.no-secrets');
    place.host.setNotices([]);
    const window = await place.connect('c2', { env: { MY_API_KEY: KNOWN } });
    await say(`write ${KNOWN} ${TOKEN} Bearer abcdefghijkl`);
    for (const format of ['json', 'markdown'] as const) {
      const text = await exported(session, format);
      for (const secret of [TOKEN, KNOWN, 'abcdefghijkl']) assert.ok(!text.includes(secret), `${format}: ${secret}`);
      assert.match(text, /replaced with \[hidden\]/);
    }
    window.close();
  });

  it('1b-24 is written for people too: prompts, answers, tool calls with outputs, and what changed', async () => {
    await say('write it');
    const text = await exported(session, 'markdown');
    for (const it of [
      '### Prompt',
      'write it',
      'answer to write it',
      '**Tool: Look**',
      'nothing there',
      '```diff',
      '+2',
    ])
      assert.ok(text.includes(it), it);
  });

  it('1b-24 can be read and searched when it was imported, archived and read-only, with its changes', async () => {
    verifies('host.transfer.read-only');
    await say('write it');
    const copy = await imported(await exported(session));
    const state = await peer.subscribe<SessionState>(copy);
    assert.deepEqual([hasFlag(state.status, status.IsArchived), state.workingDirectories], [true, []]);
    const shown = await peer.subscribe<ChatState>(state.defaultChat!);
    assert.deepEqual([shown.interactivity, shown.turns.map((it) => it.message.text)], ['read-only', ['write it']]);
    await assert.rejects(peer.prompt(state.defaultChat!, 'go on'), /this chat is read-only/);
    await assert.rejects(
      peer.request('createChat', { channel: copy, chat: `host-chat:/${crypto.randomUUID()}` }),
      /the session was imported and is read-only/,
    );
    const { items } = await peer.request('listSessions', {});
    assert.deepEqual(
      items.filter((it) => it._meta?.['imported'] !== undefined).map((it) => it.resource),
      [copy],
    );
    const found = await peer.request('x-switchboard/searchTranscripts', { query: 'write it' });
    assert.ok(found.items.some((it) => it.session === copy));
    const uuid = copy.slice('host-session:/'.length);
    const changes = await peer.subscribe<ChangesetState>(sessionChangesetUri(uuid));
    assert.deepEqual(
      changes.files.map((it) => it.edit.diff),
      [{ added: 2, removed: 1 }],
    );
    assert.deepEqual(changes.operations, []);
    const { data } = await peer.request('resourceRead', { uri: changes.files[0]!.edit.before!.content.uri });
    assert.equal(Buffer.from(data, 'base64').toString() === 'one\ntwo\nthree\n' || data === 'one\ntwo\nthree\n', true);
  });

  it('1b-24 is continued by a new session of any agent, which gets the transcript', async () => {
    verifies('host.transfer.continued');
    await say('remember the blue door');
    const copy = await imported(await exported(session));
    const { defaultChat } = await peer.subscribe<SessionState>(copy);
    const { turns } = await peer.subscribe<ChatState>(defaultChat!);
    const next = await peer.newSession({
      provider: 'other',
      workingDirectories: [workspace.uri],
      fork: { session: copy, turnId: turns.at(-1)!.id },
    });
    assert.equal(peer.session(next.session).provider, 'other');
    assert.deepEqual(peer.session(next.session).workingDirectories, [workspace.uri]);
    await say('go on', next.chat);
    assert.match(heard.at(-1)!, /remember the blue door/);
  });

  it('1b-24 is refused where it does not follow the schema, and leaves nothing behind', async () => {
    verifies('host.transfer.checked');
    await say('one');
    const { records, ...head } = JSON.parse(await exported(session)) as { records: SessionRecord[] } & SessionHead;
    const turn = records.find((it) => it.kind === 'turn')!;
    const cases: readonly (readonly [string, object[], RegExp])[] = [
      ['an unknown kind', [{ kind: 'command', run: 'rm' }], /records/],
      ['a turn of no chat', [turn], /chat: not found among the earlier chats/],
      ['a turn twice', [records[0]!, turn, turn], /already used/],
      [
        'a content under a wrong name',
        [{ kind: 'content', sha256: '0'.repeat(64), encoding: 'utf-8', data: 'x' }],
        /sha256/,
      ],
      ['nothing', [], /the session has no chat/],
    ];
    for (const [what, bad, why] of cases) {
      const made = sessionUri(crypto.randomUUID());
      const send = { session: made, head, records: bad as SessionRecord[], isLast: true };
      await assert.rejects(peer.request('x-switchboard/importSession', send), why, what);
      await assert.rejects(peer.request('subscribe', { channel: made }), what);
    }
    const { items } = await peer.request('listSessions', {});
    assert.equal(items.length, 1);
  });

  it('1b-24 does not stay where the connection that imports it ends too early', async () => {
    verifies('host.transfer.checked');
    await say('one');
    const { records, ...head } = JSON.parse(await exported(session)) as { records: SessionRecord[] } & SessionHead;
    const made = sessionUri(crypto.randomUUID());
    const second = await place.connect('c2');
    await second.request('x-switchboard/importSession', {
      session: made,
      head,
      records: records.slice(0, 2),
      isLast: false,
    });
    const going = { session: made, records: records.slice(2), isLast: true };
    await assert.rejects(peer.request('x-switchboard/importSession', going), /send the file's header first/);
    second.close();
    await place.restart();
    peer = await place.connect('c3');
    const { items } = await peer.request('listSessions', {});
    assert.deepEqual(
      items.map((it) => it.resource),
      [session],
    );
  });

  it('1b-24 leaves in pieces of a bounded size, so that other requests are answered between them', async () => {
    verifies('host.transfer.in-pieces');
    const { records, ...head } = JSON.parse(await exported(session)) as { records: SessionRecord[] } & SessionHead;
    const [first] = records;
    const long = Array.from({ length: 5_000 }, (_, at) => ({
      kind: 'turn' as const,
      chat: first!.kind === 'chat' ? first!.chat : '',
      turn: {
        id: `t${at}`,
        message: { text: `prompt ${at}`, origin: { kind: 'user' } },
        responseParts: [{ kind: 'markdown' as const, id: 'a', content: 'word '.repeat(100) }],
        state: 'complete' as const,
      },
    }));
    const made = sessionUri(crypto.randomUUID());
    const send = (part: SessionRecord[], isLast: boolean, withHead = false) =>
      peer.request('x-switchboard/importSession', { session: made, ...(withHead && { head }), records: part, isLast });
    await send([first!], false, true);
    for (let at = 0; at < long.length; at += 500) await send(long.slice(at, at + 500), at + 500 >= long.length);
    const pieces: string[] = [];
    const text = await exported(made, 'json', pieces);
    assert.ok(pieces.length > 8, `${pieces.length} pieces`);
    assert.ok(pieces.every((it) => it.length < 2 * 256 * 1024));
    const { records: all } = JSON.parse(text) as { records: SessionRecord[] };
    assert.deepEqual(
      all.flatMap((it) => (it.kind === 'turn' ? [it.turn.id] : [])),
      long.map((it) => it.turn.id),
    );
  });
});
