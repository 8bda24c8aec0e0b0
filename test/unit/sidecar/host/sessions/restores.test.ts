import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { TurnRequest } from '../../../../../sidecar/agents/provider.ts';
import type { ChatAction } from '../../../../../sidecar/protocol/channels/chat/actions.ts';
import { Restored, type RestoreWhat } from '../../../../../sidecar/protocol/channels/chat/restore.ts';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import { LeftFiles } from '../../../../../sidecar/protocol/commands.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { until } from '../../../../support/until.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('1a-21 a chat that is restored to before a turn', () => {
  let place: HostPlace;
  let folder = '';
  const heard: TurnRequest[] = [];
  let goOn: () => void = () => undefined;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-restore-')));
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'a.txt'), 'zero\n');
  });
  afterEach(async () => {
    await place.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const path = (name: string) => join(folder, name);
  const read = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined);

  /** `NAME=TEXT …` writes files, `wait` waits for the test. */
  async function open(): Promise<{ peer: HostPeer; session: string; chat: string }> {
    heard.length = 0;
    const provider = scriptedProvider(async function* (turn) {
      heard.push(turn);
      for (const word of turn.text.split(' ')) {
        const [name, text] = word.split('=');
        if (name && text !== undefined) writeFileSync(path(name), `${text}\n`);
      }
      if (turn.text === 'wait') await new Promise<void>((resolve) => void (goOn = resolve));
      yield { kind: 'text', partId: 'a', text: `did ${turn.text}` };
    });
    place = await openHostPlace([provider]);
    const peer = await place.connect();
    const made = await peer.newSession({ workingDirectories: [pathToFileURL(folder).href] });
    return { peer, ...made };
  }
  async function say(peer: HostPeer, chat: string, ...texts: string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const text of texts) {
      ids.push(await peer.prompt(chat, text));
      await peer.ended(chat, ids.at(-1)!);
    }
    await idle(peer, chat);
    return ids;
  }
  /** The folder is compared once more after the end of a turn: until then nothing is undone. */
  async function idle(peer: HostPeer, chat: string): Promise<void> {
    for (;;) {
      try {
        const turnId = peer.chat(chat).turns[0]!.id;
        await peer.request('x-switchboard/restorePreview', { channel: chat, turnId });
        if (!place.host.isBusy()) return;
      } catch (error) {
        assert.match(String(error), /still working/);
      }
    }
  }
  const prompts = (peer: HostPeer, chat: string) => peer.chat(chat).turns.map((it) => it.message.text);
  const restore = (peer: HostPeer, chat: string, turnId: string, what: RestoreWhat) =>
    peer.request('x-switchboard/restore', { channel: chat, turnId, what });
  const redo = (peer: HostPeer, chat: string) => peer.request('x-switchboard/restoreRedo', { channel: chat });
  const shown = (peer: HostPeer, session: string, chat: string) =>
    Restored.parse(peer.session(session)._meta?.['restored'] ?? {})[chat];
  const work = ['a.txt=one', 'a.txt=two src/b.txt=new', 'a.txt=three'];

  it('says before how many turns and which files that takes back, each file once', async () => {
    verifies('host.restore.preview');
    const { peer, chat } = await open();
    const [, second] = await say(peer, chat, ...work);
    const { turns, files } = await peer.request('x-switchboard/restorePreview', { channel: chat, turnId: second! });
    assert.equal(turns, 2);
    assert.deepEqual(
      files.map(({ edit }) => [edit.after?.uri, edit.before !== undefined]),
      [
        [pathToFileURL(path('a.txt')).href, true],
        [pathToFileURL(path('src/b.txt')).href, false],
      ],
    );
    assert.equal(read('a.txt'), 'three\n', 'nothing happened yet');
    assert.deepEqual(prompts(peer, chat), work);
  });

  for (const { what, texts, files } of [
    { what: 'both', texts: [work[0]], files: ['one\n', undefined] },
    { what: 'files', texts: work, files: ['one\n', undefined] },
    { what: 'chat', texts: [work[0]], files: ['three\n', 'new\n'] },
  ] as const)
    it(`takes back ${what}, and brings all of it back on a redo, also after a restart`, async () => {
      verifies('host.restore.files', 'host.restore.redo');
      const { peer, session, chat } = await open();
      const [, second] = await say(peer, chat, ...work);
      const before = peer.chat(chat).turns;
      assert.deepEqual(await restore(peer, chat, second!, what), {});
      const now = () => [read('a.txt'), read('src/b.txt')];
      assert.deepEqual(now(), files);
      assert.deepEqual(prompts(peer, chat), texts);
      assert.deepEqual(shown(peer, session, chat), {
        turns: what === 'files' ? 0 : 2,
        files: what === 'chat' ? 0 : 2,
        after: what === 'files' ? before[2]!.id : before[0]!.id,
      });
      await place.restart();
      const again = await place.connect();
      for (const it of [session, chat]) await again.subscribe(it);
      assert.deepEqual(prompts(again, chat), texts);
      assert.deepEqual(await redo(again, chat), {});
      assert.deepEqual(now(), ['three\n', 'new\n']);
      assert.deepEqual(again.chat(chat).turns, before);
      assert.equal(shown(again, session, chat), undefined);
      await place.restart();
      const last = await place.connect();
      await last.subscribe(chat);
      assert.deepEqual(last.chat(chat).turns, before, 'the rows are what the clients saw');
    });

  it('goes back to its beginning, and on from there with two restores at once', async () => {
    verifies('host.restore.redo');
    const { peer, chat } = await open();
    const [first, second] = await say(peer, chat, ...work);
    const before = peer.chat(chat).turns;
    await restore(peer, chat, second!, 'chat');
    await restore(peer, chat, first!, 'both');
    assert.deepEqual([prompts(peer, chat), read('a.txt'), read('src/b.txt')], [[], 'zero\n', undefined]);
    await redo(peer, chat);
    assert.deepEqual([peer.chat(chat).turns, read('a.txt'), read('src/b.txt')], [before, 'three\n', 'new\n']);
    await assert.rejects(redo(peer, chat), /nothing to redo/);
  });

  it('brings back more turns than the host keeps in memory', async () => {
    verifies('host.restore.redo');
    const { peer, chat } = await open();
    const texts = Array.from({ length: 70 }, (_, n) => `turn ${n}`);
    const ids = await say(peer, chat, ...texts);
    const all = async (who: string) => {
      const viewer = await place.connect(who);
      const state = await viewer.subscribe<ChatState>(chat);
      assert.equal(state.turnsNextCursor, undefined);
      return state.turns.map((it) => it.id);
    };
    for (const at of [66, 33, 2]) {
      await restore(peer, chat, ids[at]!, 'chat');
      assert.equal(peer.chat(chat).turns.at(-1)?.id, ids[at - 1]);
      assert.deepEqual(await all(`first ${at}`), ids.slice(0, at));
      await redo(peer, chat);
      assert.equal(peer.chat(chat).turns.at(-1)?.id, ids.at(-1));
      assert.deepEqual(await all(`second ${at}`), ids);
    }
    await place.restart();
    const again = await place.connect();
    await again.subscribe(chat);
    assert.deepEqual(prompts(again, chat), texts);
  });

  it('leaves a file that a person changed since, says why, and restores the others', async () => {
    verifies('host.restore.files');
    const { peer, session, chat } = await open();
    const [, second] = await say(peer, chat, ...work);
    writeFileSync(path('a.txt'), 'mine\n');
    const { message, _meta } = await restore(peer, chat, second!, 'both');
    assert.deepEqual([read('a.txt'), read('src/b.txt')], ['mine\n', undefined]);
    assert.match(JSON.stringify(message), /^"1 file was restored\. Left unchanged: a\.txt \(it has changed since/);
    assert.deepEqual(
      LeftFiles.parse(_meta).left.map((it) => [it.name, it.reason]),
      [['a.txt', 'conflict']],
    );
    assert.deepEqual(prompts(peer, chat), [work[0]]);
    assert.equal(shown(peer, session, chat)?.files, 1);
  });

  it('cannot be brought back once the next message was sent', async () => {
    verifies('host.restore.redo');
    const { peer, session, chat } = await open();
    const [, second] = await say(peer, chat, ...work);
    await restore(peer, chat, second!, 'both');
    await say(peer, chat, 'go on');
    assert.equal(shown(peer, session, chat), undefined);
    await assert.rejects(redo(peer, chat), /nothing to redo/);
    assert.deepEqual(prompts(peer, chat), [work[0], 'go on']);
  });

  it('cannot be brought back behind a place where a client cut it off meanwhile', async () => {
    verifies('host.restore.redo');
    const { peer, session, chat } = await open();
    const [first, second] = await say(peer, chat, ...work);
    await restore(peer, chat, second!, 'chat');
    const cut: ChatAction = { type: 'chat/truncated' };
    await peer.act(chat, cut);
    await peer.until(() => shown(peer, session, chat) === undefined, 'nothing can be redone');
    await assert.rejects(redo(peer, chat), /nothing to redo/);
    await assert.rejects(restore(peer, chat, first!, 'chat'), /turn not found/);
  });

  it('waits for no turn: it is refused while one runs', async () => {
    verifies('host.restore.idle');
    const { peer, chat } = await open();
    const [first] = await say(peer, chat, ...work);
    await restore(peer, chat, first!, 'files');
    const running = await peer.prompt(chat, 'wait');
    for (const what of ['files', 'chat', 'both'] as const)
      await assert.rejects(restore(peer, chat, first!, what), /Stop the running turn first/);
    await assert.rejects(redo(peer, chat), /Stop the running turn first/);
    await until('the agent waits', () => heard.at(-1)?.text === 'wait');
    goOn();
    await peer.ended(chat, running);
    assert.equal(read('a.txt'), 'zero\n');
  });

  it('is restored by those alone who see it', async () => {
    const { peer, chat } = await open();
    const [first] = await say(peer, chat, 'hello');
    const stranger = await place.connect('stranger');
    await assert.rejects(restore(stranger, chat, first!, 'chat'), /subscribe to the chat or its session/);
    assert.deepEqual(prompts(peer, chat), ['hello']);
  });
});
