import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Tokens } from '../../../../src/config/tokens.ts';
import { HostTokens } from '../../../../src/remote/hostTokens.ts';
import { MemorySecrets } from '../../../support/memorySecrets.ts';
import { verifies } from '../../../support/verifies.ts';

const here = 'ws://127.0.0.1:1';
const there = 'wss://build.example';

const hostTokens = (secrets: MemorySecrets) => new HostTokens(secrets, (address) => new Tokens(secrets, address));

describe('tokens of hosts elsewhere', () => {
  it('are kept by address, each apart, and forgotten', async () => {
    const tokens = hostTokens(new MemorySecrets());
    await tokens.set(here, 'one');
    await tokens.set(there, 'two');
    assert.deepEqual([await tokens.get(here), await tokens.get(there)], ['one', 'two']);
    await tokens.remove(here);
    assert.deepEqual([await tokens.get(here), await tokens.get(there)], [undefined, 'two']);
  });

  it('go with what was signed in to for the same host when it is forgotten, and nothing of another', async () => {
    verifies('host.remote.sign-in');
    const secrets = new MemorySecrets();
    const tokens = hostTokens(secrets);
    for (const it of [here, there, `${there}r`]) {
      await tokens.set(it, 'host');
      await new Tokens(secrets, it).set('https://vault.test', { accessToken: 'x' });
    }
    await new Tokens(secrets).set('https://vault.test', { accessToken: 'own' });
    await tokens.forget(there);
    assert.equal(await tokens.get(there), undefined);
    const left = [here, there, `${there}r`, ''].map(async (it) => (await new Tokens(secrets, it).resources()).length);
    assert.deepEqual(await Promise.all(left), [1, 0, 1, 1]);
  });

  it('are heard of in every window that shares the storage, and no other secret is', async () => {
    const secrets = new MemorySecrets();
    const heard: string[] = [];
    const stop = hostTokens(secrets).onDidChange((it) => heard.push(it));
    await hostTokens(secrets).set(there, 'two');
    await secrets.store('something else', 'x');
    await hostTokens(secrets).remove(there);
    stop.dispose();
    await hostTokens(secrets).set(here, 'one');
    assert.deepEqual(heard, [there, there]);
  });
});
