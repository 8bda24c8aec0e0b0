import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Hub } from '../../../../../sidecar/host/rpc/hub.ts';
import { chatPersistence } from '../../../../../sidecar/host/state/chatPersistence.ts';
import { Store } from '../../../../../sidecar/host/state/store.ts';
import { type HostStorage, openStorage } from '../../../../../sidecar/host/storage/hostStorage.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';

const CHAT = 'host-chat:/1';
const NOW = '2026-01-02T03:04:05.678Z';
const SUBSCRIBERS = 50;

/** Counts how often it is serialised. */
class Counted {
  times = 0;
  toJSON(): object {
    this.times += 1;
    return {};
  }
}

describe('what all subscribers of a chat hear', () => {
  let root = '';
  let storage: HostStorage;
  let store: Store;
  let hub: Hub;
  const heard: string[][] = [];
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-serialised-')));
    storage = openStorage({
      dataDir: root,
      now: NOW,
      onDamage: () => assert.fail('no damage was done'),
      warn: () => undefined,
    });
    store = new Store({
      storage,
      clock: { now: () => NOW },
      persistence: { chat: chatPersistence },
      derive: () => [],
      schedule: () => undefined,
      onTrouble: (thrown) => assert.equal(thrown, undefined),
      isPinned: () => true,
    });
    hub = new Hub(store);
    store.replay();
    store.create('chat', CHAT, { resource: CHAT, title: '', status: 1, modifiedAt: NOW, turns: [] }, { firstTurn: 0 });
    store.flush();
    heard.length = 0;
    for (let n = 0; n < SUBSCRIBERS; n += 1) {
      const texts: string[] = [];
      heard.push(texts);
      hub.subscribe({ clientId: `c${n}`, send: ({ wire }) => void texts.push(wire.text) }, CHAT);
    }
  });
  afterEach(async () => {
    hub.close();
    await storage.close();
    rmSync(root, { recursive: true, force: true });
  });

  function say(type: string, more: object): Counted {
    const counted = new Counted();
    const action: AnyAction = { type, ...{ turnId: 't', _meta: counted, ...more } };
    store.commit(CHAT, action);
    return counted;
  }

  it('is serialised once for each envelope, whoever listens, and for the log as well', () => {
    const message = { text: 'hi', origin: { kind: 'user' } };
    const said = [
      say('chat/turnStarted', { startedAt: NOW, message }),
      say('chat/responsePart', { part: { kind: 'markdown', id: 'm', content: '' } }),
      say('chat/delta', { partId: 'm', content: 'a' }),
    ];
    store.flush();
    said.push(say('chat/delta', { partId: 'm', content: 'b' }));
    store.flush();
    assert.deepEqual(
      said.map((it) => it.times),
      [1, 1, 1, 1],
    );
    assert.deepEqual(
      heard.map((it) => it.length),
      Array.from({ length: SUBSCRIBERS }, () => said.length),
    );
    assert.equal(new Set(heard.map((it) => it.join('\n'))).size, 1);
  });
});
