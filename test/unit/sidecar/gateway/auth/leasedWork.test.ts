import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { registeredClients, usedStates, userTokens } from '../../../../../sidecar/gateway/auth/credentialStores.ts';
import { UpstreamSignIn } from '../../../../../sidecar/gateway/backends/oauth/flow.ts';
import { refOf } from '../../../../../sidecar/gateway/backends/oauth/stores.ts';
import type { GatewayStore } from '../../../../../sidecar/gateway/storage/store.ts';
import { systemClock } from '../../../../../sidecar/platform/clock.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { TokenEndpoint } from '../../../../support/backends/tokenEndpoint.ts';
import { type StorePlace, sqlitePlace } from '../../../../support/gateway/stores.ts';
import { later } from '../../../../support/later.ts';
import { verifies } from '../../../../support/verifies.ts';

const issuer = 'https://as.example';
const server = { server_id: 's1', alias: 'alpha', auth_type: 'oauth2', url: 'https://mcp.example/mcp', issuer };

/** What one piece of work at a time may do, of all that go on in all processes. */
describe('work about the sign-ins to one server', () => {
  let place: StorePlace;
  let one: GatewayStore;
  let two: GatewayStore;

  beforeEach(async () => {
    place = await sqlitePlace();
    one = await place.open(systemClock, 'one');
    two = await place.open(systemClock, 'two');
  });
  afterEach(async () => {
    await Promise.all([one.close(), two.close()]);
    place.remove();
  });

  for (const [where, isSame] of [
    ['of one process', true],
    ['of two replicas', false],
  ] as const) {
    it(`${where} comes after each other, whoever asks in the middle of it, and goes on when one piece failed`, async () => {
      verifies('gateway.auth.oauth2.one-at-a-time');
      const asked = later<void>();
      const wait = (ms: number) => {
        asked.resolve();
        return systemTimers.wait(ms);
      };
      const first = userTokens(one, systemClock, wait);
      const second = isSame ? first : userTokens(two, systemClock, wait);
      const begun = later<void>();
      const goOn = later<void>();
      const order: string[] = [];
      const ref = refOf(server, 'alice');
      const work = first.lease(ref, async () => {
        begun.resolve();
        await goOn.promise;
        order.push('first');
        throw new Error('it failed');
      });
      await begun.promise;
      const other = second.lease(ref, async () => void order.push('second'));
      await Promise.race([asked.promise, other]);
      goOn.resolve();
      await assert.rejects(work, /it failed/);
      await other;
      assert.deepEqual(order, ['first', 'second']);
    });
  }

  it('that two people begin at once at two replicas uses the one client that was registered first', async () => {
    verifies('gateway.auth.oauth2.one-client');
    const endpoint = new TokenEndpoint();
    let registered = 0;
    // Each of the three looks for a client before one is registered, and whoever registers looks once more.
    let looks = 0;
    const allLooked = later<void>();
    endpoint.answer = async ({ url }) => {
      if (url.endsWith('/register')) await allLooked.promise;
      if (url.endsWith('/register')) return { client_id: `client-${(registered += 1)}` };
      const at = (name: string) => `${issuer}/${name}`;
      const more = { authorization_endpoint: at('authorize'), token_endpoint: at('token') };
      return { issuer, registration_endpoint: at('register'), ...more };
    };
    const begin = async (store: GatewayStore, user: string) => {
      const clients = registeredClients(store, systemClock, systemTimers.wait);
      const read: typeof clients.read = async (ref) => {
        const found = await clients.read(ref);
        looks += 1;
        if (looks === 4) allLooked.resolve();
        return found;
      };
      const signIn = new UpstreamSignIn({
        tokens: userTokens(store, systemClock, systemTimers.wait),
        clients: { ...clients, read },
        states: usedStates(store),
        fetchFor: () => endpoint.fetch,
        nowMs: () => systemClock.nowMs(),
        newId: randomUUID,
        random: randomBytes,
        secret: randomBytes(32),
      });
      const redirectUri = 'https://gateway.example/callback';
      const { url } = await signIn.begin({ server, secrets: {}, user, redirectUri });
      return new URL(url).searchParams.get('client_id');
    };
    const clients = await Promise.all([begin(one, 'ada'), begin(two, 'bob'), begin(one, 'cy')]);
    assert.deepEqual([clients, registered], [['client-1', 'client-1', 'client-1'], 1]);
  });
});
