import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { GatewayDoor } from '../../../../src/gateway/door.ts';
import { english } from '../../../support/extensionStates.ts';

function doorUnderTest() {
  const asked: unknown[] = [];
  const state = { isEnabled: true, fails: false, disconnect: () => {} };
  const door = new GatewayDoor({
    port: {
      request: (async (method: string, params: unknown) => {
        asked.push([method, params]);
        if (state.fails) throw new Error('no port is free');
        return { baseUrl: 'http://127.0.0.1:4000' };
      }) as never,
      onDidDisconnect(listener) {
        state.disconnect = () => listener('gone');
        return { dispose() {} };
      },
    },
    own: async () => ({ secret: 's', adminKey: 'sk-a' }),
    isEnabled: () => state.isEnabled,
    allowedCommands: () => ['npx'],
    l10n: english,
  });
  return { door, asked, state };
}

describe('the way to the gateway', () => {
  it('starts it with the first need and once, with the secrets over the wire', async () => {
    const { door, asked } = doorUnderTest();
    assert.deepEqual([door.isOpen, asked], [false, []]);
    const [one, other] = await Promise.all([door.address(), door.address()]);
    assert.deepEqual([one, other.key], [{ baseUrl: 'http://127.0.0.1:4000', key: 'sk-a' }, 'sk-a']);
    assert.deepEqual(asked, [
      ['x-switchboard/gatewayStart', { secret: 's', adminKey: 'sk-a', allowedCommands: ['npx'] }],
    ]);
  });

  it('asks again after the host went', async () => {
    const { door, asked, state } = doorUnderTest();
    await door.address();
    state.disconnect();
    await door.address();
    assert.equal(asked.length, 2);
  });

  it('says why it could not be started, and tries again with the next need', async () => {
    const { door, state } = doorUnderTest();
    state.fails = true;
    await assert.rejects(door.address(), /The gateway could not be started: no port is free/);
    state.fails = false;
    assert.equal((await door.address()).baseUrl, 'http://127.0.0.1:4000');
  });

  it('starts nothing where it is turned off', async () => {
    const { door, asked, state } = doorUnderTest();
    state.isEnabled = false;
    await assert.rejects(door.address(), /turned off in the settings/);
    assert.deepEqual(asked, []);
  });
});
