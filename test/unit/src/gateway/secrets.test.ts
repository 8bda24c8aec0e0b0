import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SecretStorage } from 'vscode';
import { GatewaySecrets } from '../../../../src/gateway/secrets.ts';

/** The secret storage of an editor, as windows share it. */
function memoryStorage(entries: Record<string, string> = {}): SecretStorage {
  const all = new Map(Object.entries(entries));
  return {
    keys: async () => [...all.keys()],
    get: async (key) => all.get(key),
    store: async (key, value) => void all.set(key, value),
    delete: async (key) => void all.delete(key),
    onDidChange: () => ({ dispose() {} }),
  };
}

describe('the secrets of the gateway', () => {
  it('are made once: 32 random bytes to seal with, and a key of 32 random bytes', async () => {
    const storage = memoryStorage();
    const made = await new GatewaySecrets(storage, true).own();
    assert.equal(Buffer.from(made.secret ?? '', 'base64').length, 32);
    assert.match(made.adminKey, /^sk-[\w-]{43}$/);
    assert.deepEqual(await new GatewaySecrets(storage, true).own(), made);
  });

  it('of another window count, where both made some at once', async () => {
    const storage = memoryStorage();
    const theirs = await new GatewaySecrets(memoryStorage(), true).own();
    const late = { ...storage, store: async (key: string) => storage.store(key, JSON.stringify(theirs)) };
    assert.deepEqual(await new GatewaySecrets(late, true).own(), theirs);
  });

  it('hold no sealing secret where the storage forgets: the gateway keeps one itself', async () => {
    const storage = memoryStorage();
    const made = await new GatewaySecrets(storage, false).own();
    assert.deepEqual(Object.keys(made), ['adminKey']);
    assert.deepEqual(await new GatewaySecrets(storage, false).own(), made);
  });

  it('that cannot be read are made anew', async () => {
    const made = await new GatewaySecrets(memoryStorage({ 'gateway:own': '{"secret":' }), true).own();
    assert.match(made.adminKey, /^sk-/);
  });

  it('keep virtual keys by their hash, apart from everything else', async () => {
    const secrets = new GatewaySecrets(memoryStorage({ 'token:https://x': 't' }), true);
    await secrets.keepKey('hash', 'sk-virtual');
    await secrets.keepEditorKey('sk-editor');
    assert.deepEqual([[...(await secrets.kept())], await secrets.key('hash')], [['hash'], 'sk-virtual']);
    await secrets.dropKey('hash');
    assert.deepEqual([(await secrets.kept()).size, await secrets.editorKey()], [0, 'sk-editor']);
  });
});
