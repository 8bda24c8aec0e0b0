import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { JsonRpc } from '../../../../src/remote/jsonRpc.ts';

describe('notifications of a host elsewhere', () => {
  const notification = (method: string, n: number) => JSON.stringify({ jsonrpc: '2.0', method, params: { n } });

  it('are kept for the first who listens, and let go later where nobody knows them', () => {
    const rpc = new JsonRpc(() => {});
    const heard: unknown[] = [];
    rpc.receive(notification('action', 1));
    rpc.receive(notification('action', 2));
    rpc.onNotification('action', (it) => void heard.push(it));
    assert.deepEqual(heard.splice(0), [{ n: 1 }, { n: 2 }]);
    rpc.onNotification('action', (it) => void heard.push(it));
    assert.equal(heard.length, 0, 'whoever listens next gets what comes from now on');
    rpc.receive(notification('of/later', 3));
    rpc.onNotification('of/later', (it) => void heard.push(it));
    rpc.receive(notification('of/later', 4));
    assert.deepEqual(heard, [{ n: 4 }]);
  });
});
