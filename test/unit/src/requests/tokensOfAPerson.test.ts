import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { errorCodes } from '../../../../sidecar/protocol/errors.ts';
import { type StoredToken, Tokens } from '../../../../src/config/tokens.ts';
import { Accounts } from '../../../../src/requests/accounts.ts';
import { MemorySecrets } from '../../../support/memorySecrets.ts';

const resource = 'https://vault.test/api';
const other = 'https://other.test/api';
const NOW = 1_000_000;
const whose = { issuer: 'https://issuer.test', client: { clientId: 'c' } };
const renewable = { accessToken: 'old', refreshToken: 'r1', ...whose };
const refusal = (code: number) => Object.assign(new Error('no'), { code });

describe('the tokens that a window hands a host', () => {
  let tokens: Tokens;
  let accounts: Accounts;
  /** What the host and the authorization server were asked, in order. */
  let log: string[];
  let warnings: string[];
  /** What the host and the server do before they answer. */
  let before: Record<string, () => unknown>;
  beforeEach(() => {
    tokens = new Tokens(new MemorySecrets());
    [log, warnings, before] = [[], [], {}];
    const asked = async (what: string, ...facts: unknown[]) => {
      log.push([what, ...facts.filter((it) => it !== undefined).map(String)].join(' '));
      return before[what]?.();
    };
    accounts = new Accounts({
      port: {
        request: (async (method: string, params: Record<string, unknown>) => {
          const { token, lease, scopes, expiresIn } = params;
          await asked(method.replace('x-switchboard/', ''), token, lease, scopes, expiresIn);
          return { lease: 'lease' };
        }) as never,
      },
      tokens,
      discover: async (issuer) => {
        await asked('discover', issuer);
        return {
          refresh: async (_client: unknown, refreshToken: string, of: string) =>
            (await asked('refresh', refreshToken, of)) ?? { accessToken: 'new', refreshToken: 'r2' },
          revoke: (_client: unknown, token: string) => asked('revoke', token),
        } as never;
      },
      nowMs: () => NOW,
      warn: (it) => void warnings.push(it),
    });
  });
  const renewal = [
    'refreshLease',
    `discover ${whose.issuer}`,
    `refresh r1 ${resource}`,
    'authenticate new',
    'refreshLeaseEnd lease',
  ];
  const once = (what: string, work: () => unknown) => {
    before[what] = () => {
      delete before[what];
      return work();
    };
  };
  const throws = (error: unknown) => () => {
    throw error;
  };

  for (const { says, stored, pushed, isRefused = false, host, asks, has } of [
    { says: 'there is none', stored: undefined, asks: [], has: false },
    { says: 'it has no end', stored: { accessToken: 'old' }, asks: ['authenticate old'], has: true },
    {
      says: 'it has rights and lasts longer than the margin',
      stored: { ...renewable, scopes: ['a', 'b'], expiresAt: NOW + 60_001 },
      asks: ['authenticate old a,b 60.001'],
      has: true,
    },
    {
      says: 'it lasts no longer than the margin',
      stored: { ...renewable, expiresAt: NOW + 60_000 },
      asks: renewal,
      has: true,
    },
    {
      says: 'it ends at once, and cannot be renewed',
      stored: { accessToken: 'old', expiresAt: NOW + 1 },
      asks: ['authenticate old 0.001'],
      has: true,
    },
    { says: 'it is over, and cannot be renewed', stored: { accessToken: 'old', expiresAt: NOW }, asks: [], has: false },
    {
      says: 'the host refuses it',
      stored: renewable,
      host: refusal(errorCodes.AuthRequired),
      asks: ['authenticate old', ...renewal],
      has: true,
    },
    {
      says: 'the host refuses it, and it cannot be renewed',
      stored: { accessToken: 'old' },
      host: refusal(errorCodes.AuthRequired),
      asks: ['authenticate old'],
      has: false,
    },
    { says: 'it was refused later', stored: renewable, pushed: 'old', isRefused: true, asks: renewal, has: true },
    {
      says: 'another one than that which was refused is stored by now',
      stored: renewable,
      pushed: 'older',
      isRefused: true,
      asks: ['authenticate old'],
      has: true,
    },
    {
      says: 'the host had none and refused it all the same',
      stored: renewable,
      isRefused: true,
      asks: renewal,
      has: true,
    },
    {
      says: 'nobody knows where it came from',
      stored: { accessToken: 'old', refreshToken: 'r1', expiresAt: NOW },
      asks: ['refreshLease', 'refreshLeaseEnd lease'],
      has: false,
    },
  ] satisfies {
    says: string;
    stored: StoredToken | undefined;
    pushed?: string;
    isRefused?: boolean;
    host?: unknown;
    asks: string[];
    has: boolean;
  }[]) {
    it(`are ${has ? 'there' : 'not there'} after ${asks.length} requests where ${says}`, async () => {
      if (pushed !== undefined) {
        await tokens.set(resource, { accessToken: pushed });
        await accounts.push(resource);
        log.length = 0;
      }
      if (stored) await tokens.set(resource, stored);
      if (host) once('authenticate', throws(host));
      assert.equal(await accounts.push(resource, isRefused), has);
      assert.deepEqual([log, accounts.has(resource), warnings], [asks, has, []]);
      if (asks === renewal)
        assert.deepEqual(await tokens.get(resource), { accessToken: 'new', refreshToken: 'r2', ...whose });
    });
  }

  it('are pushed once for all who ask at the same time, and again for who asks later', async () => {
    await tokens.set(resource, renewable);
    await tokens.set(other, { accessToken: 'its own' });
    assert.deepEqual(
      await Promise.all([accounts.push(resource), accounts.push(resource, true), accounts.push(other)]),
      [true, true, true],
    );
    assert.deepEqual(log, ['authenticate old', 'authenticate its own']);
    once('authenticate', throws(new Error('gone')));
    assert.equal(await accounts.push(resource), false);
    assert.equal(await accounts.push(resource), true);
    assert.deepEqual(log.slice(2), ['authenticate old', 'authenticate old']);
  });

  it('are taken from another window that renewed them while this one waited for its turn', async () => {
    await tokens.set(resource, { ...renewable, expiresAt: NOW });
    once('refreshLease', () => tokens.set(resource, { ...renewable, accessToken: 'of the other window' }));
    assert.equal(await accounts.push(resource), true);
    assert.deepEqual(log, ['refreshLease', 'authenticate of the other window', 'refreshLeaseEnd lease']);
  });

  it('are not renewed where another window signed out meanwhile', async () => {
    await tokens.set(resource, { ...renewable, expiresAt: NOW });
    once('refreshLease', () => tokens.remove(resource));
    assert.equal(await accounts.push(resource), false);
    assert.deepEqual([log, await tokens.get(resource)], [['refreshLease', 'refreshLeaseEnd lease'], undefined]);
  });

  for (const { says, error, isKept } of [
    {
      says: 'go where the server ended the sign-in',
      error: Object.assign(new Error('r1'), { code: 'invalid_grant' }),
      isKept: false,
    },
    {
      says: 'stay where the server has another trouble',
      error: Object.assign(new Error('r1'), { code: 'slow_down' }),
      isKept: true,
    },
    { says: 'stay where the server cannot be reached', error: new TypeError('r1'), isKept: true },
  ]) {
    it(`${says}, and the turn to renew is given back`, async () => {
      await tokens.set(resource, { ...renewable, expiresAt: NOW });
      before['refresh'] = throws(error);
      assert.equal(await accounts.push(resource), false);
      assert.deepEqual([log.at(-1), (await tokens.get(resource)) !== undefined], ['refreshLeaseEnd lease', isKept]);
      assert.deepEqual(warnings, isKept ? [`no token for ${resource} could be pushed (${error.name})`] : []);
    });
  }

  it('are stored with their end before the host gets them, and go where it refuses them', async () => {
    let inStore: StoredToken | undefined;
    before['authenticate'] = async () => void (inStore = await tokens.get(resource));
    const granted = { accessToken: 'a', refreshToken: 'r', expiresInSeconds: 90, scopes: ['s'] };
    assert.equal(await accounts.keep(resource, granted, whose), true);
    assert.deepEqual(inStore, {
      accessToken: 'a',
      refreshToken: 'r',
      expiresAt: NOW + 90_000,
      scopes: ['s'],
      ...whose,
    });
    assert.deepEqual(log, ['authenticate a s 90']);
    before['authenticate'] = throws(refusal(errorCodes.AuthRequired));
    assert.equal(await accounts.keep(resource, { accessToken: 'b' }), false);
    assert.equal(await tokens.get(resource), undefined);
  });

  it('end at the host where it has them, and at the server with what renews them', async () => {
    await tokens.set(resource, renewable);
    await tokens.set(other, { accessToken: 'only', ...whose });
    await accounts.push(resource);
    log.length = 0;
    await accounts.signOut(resource);
    assert.deepEqual(log, ['forgetToken', `discover ${whose.issuer}`, 'revoke r1']);
    log.length = 0;
    before['revoke'] = throws(new Error('only'));
    await accounts.signOut(other);
    assert.deepEqual(log, [`discover ${whose.issuer}`, 'revoke only'], 'the host never had it');
    assert.deepEqual(warnings, [`${whose.issuer} could not be told that the sign-in is over`]);
    assert.deepEqual(await tokens.resources(), []);
    log.length = 0;
    await tokens.set(resource, { accessToken: 'pasted' });
    await accounts.signOut(resource);
    assert.deepEqual([log, accounts.has(resource)], [[], false]);
  });

  it('follow what other windows store, where the host has the one before', async () => {
    await tokens.set(resource, { accessToken: 'one' });
    await accounts.follow(resource);
    assert.deepEqual(log, [], 'it has none');
    await accounts.push(resource);
    await accounts.follow(resource);
    assert.deepEqual(log, ['authenticate one'], 'it has this one');
    await tokens.set(resource, { accessToken: 'two' });
    await accounts.follow(resource);
    await tokens.remove(resource);
    await accounts.follow(resource);
    await accounts.follow(resource);
    assert.deepEqual(log, ['authenticate one', 'authenticate two', 'forgetToken']);
  });

  it('are all pushed to a host that knows none, and those that it has or need not have are not missing', async () => {
    await tokens.set(resource, { accessToken: 'one' });
    await tokens.set(other, { accessToken: 'two' });
    await accounts.pushAll();
    assert.deepEqual(log.sort(), ['authenticate one', 'authenticate two']);
    log.length = 0;
    const third = 'https://third.test';
    const wanted = [{ resource }, { resource: third }, { resource: 'https://fourth.test', required: false }];
    assert.deepEqual(await accounts.missing(wanted), [{ resource: third }]);
    assert.deepEqual(log, []);
    accounts.disconnected();
    assert.deepEqual([accounts.has(resource), await accounts.missing(wanted)], [false, [{ resource: third }]]);
    assert.deepEqual(log, ['authenticate one']);
  });
});
