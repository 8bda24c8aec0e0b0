import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ConversationMemory } from '../../../../../sidecar/agents/memory.ts';
import { conversationMemory } from '../../../../../sidecar/host/agents/conversationMemory.ts';
import type { Store } from '../../../../../sidecar/host/state/store.ts';
import { type HostStorage, openStorage } from '../../../../../sidecar/host/storage/hostStorage.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { KnownSecrets } from '../../../../../sidecar/platform/redact.ts';

describe('the stored conversations of a chat', () => {
  let dataDir: string;
  let storage: HostStorage;
  let memory: ConversationMemory;
  let isSettled: boolean;
  let isThere: boolean;
  const secrets = new KnownSecrets();
  secrets.hide('pass"word');
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'switchboard-conversations-'));
    storage = openStorage({ dataDir, now: '2026', onDamage: () => undefined, warn: () => undefined });
    [isSettled, isThere] = [true, true];
    const store = {
      writeRows: (write: () => void) => write(),
      has: () => isThere,
      whenWritable: async () => undefined,
      settled: async () => isSettled,
      failureReason: 'The disk is full.',
    } as unknown as Store;
    memory = conversationMemory({ store, storage, secrets }, 'chat');
  });
  afterEach(async () => {
    await storage.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('return their entries in order', async () => {
    await memory.begin('a', '1');
    for (let n = 2; n <= 11; n += 1) await memory.append('a', String(n));
    assert.deepEqual(memory.load('a').map(Number), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    await memory.replace('a', ['"s"', '11']);
    await memory.append('a', '12');
    assert.deepEqual(memory.load('a'), ['"s"', '11', '12']);
  });

  it('are replaced by a new conversation, and removed with the chat', async () => {
    await memory.begin('a', '1');
    await memory.begin('b', '2');
    assert.deepEqual([memory.load('a'), memory.load('b')], [[], ['2']]);
    storage.chats.remove('chat');
    assert.deepEqual(memory.load('b'), []);
  });

  it('contain no known secrets, even those that JSON escapes', async () => {
    const entry = JSON.stringify({ text: 'PASSWORD=pass"word' });
    await memory.begin('a', entry);
    await memory.append('a', entry);
    assert.deepEqual(memory.load('a'), Array(2).fill('{"text":"PASSWORD=[hidden]"}'));
    await memory.replace('a', [entry]);
    assert.deepEqual(memory.load('a'), ['{"text":"PASSWORD=[hidden]"}']);
  });

  it('get no entries of a chat that was deleted', async () => {
    isThere = false;
    await memory.begin('a', '1');
    assert.deepEqual(memory.load('a'), []);
  });

  it('say why an entry could not be stored', async () => {
    isSettled = false;
    await assert.rejects(memory.begin('a', '1'), (thrown: unknown) => {
      assert.ok(thrown instanceof Fault);
      assert.deepEqual([thrown.code, thrown.message], ['unavailable', 'The disk is full.']);
      return true;
    });
  });
});
