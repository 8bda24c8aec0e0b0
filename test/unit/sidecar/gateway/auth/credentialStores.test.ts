import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { BackendSecretsCache } from '../../../../../sidecar/gateway/auth/credentialStores.ts';
import type { GatewayStore } from '../../../../../sidecar/gateway/storage/store.ts';
import { later } from '../../../../support/later.ts';

describe('the credentials of a server', () => {
  it('that were read before a change are not kept after it, and those read after it are', async () => {
    const reads = [later<string>(), later<string>()];
    let asked = 0;
    let change: (kind: string, id: string) => void = () => undefined;
    const store = {
      secrets: { get: () => reads[asked++]?.promise },
      changes: {
        listen(listener: typeof change) {
          change = listener;
        },
      },
    } as unknown as GatewayStore;
    const cache = new BackendSecretsCache(store, { find: () => undefined });
    const early = cache.server('s1');
    change('mcp_server', 's1');
    reads[0]?.resolve('{"auth_value":"old"}');
    await early;
    reads[1]?.resolve('{"auth_value":"new"}');
    assert.equal((await cache.server('s1')).auth_value, 'new');
    assert.equal((await cache.server('s1')).auth_value, 'new');
    assert.equal(asked, 2);
  });
});
