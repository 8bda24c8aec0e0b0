import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  needsSignIn,
  userTokensUnderTest as open,
  ref,
  renewed,
  server,
} from '../../../../../support/backends/userTokensUnderTest.ts';
import { later } from '../../../../../support/later.ts';

const second = 1_000;

describe("a person's stored token", () => {
  it('is read from the store again after 30 seconds, and before it is a minute from its end', async () => {
    for (const [lifeMs, keptMs] of [
      [undefined, 30 * second],
      [3600 * second, 30 * second],
      [75 * second, 15 * second],
    ] as const) {
      const { clock, store, get } = await open({});
      await store.write(ref, {
        access_token: 'first',
        connected_at_ms: 1,
        expires_at_ms: lifeMs && clock.nowMs() + lifeMs,
      });
      await get();
      clock.pass(keptMs - 1);
      assert.deepEqual([await get(), store.reads, store.leases], ['first', 1, 0]);
      clock.pass(1);
      await get();
      assert.ok(store.reads > 1);
    }
  });

  it('is renewed a minute before its end and not earlier, and stored before it is used', async () => {
    const { clock, store, endpoint, get, whole } = await open(undefined);
    const scopes = ['read'];
    const before = {
      refresh_token: 'r1',
      expires_at_ms: clock.nowMs() + 120 * second,
      scopes,
      missing_scopes: ['write'],
    };
    await store.write(ref, whole({ ...before, issuer: 'https://as.example' }));
    endpoint.answer = () => renewed;
    clock.pass(60 * second - 1);
    assert.equal(await get(), 'first');
    clock.pass(1);
    store.failure = new Error('the store is away');
    await assert.rejects(get(), /the store is away/);
    store.failure = undefined;
    assert.equal(await get(), 'second');
    const { url, form } = endpoint.asked[0] ?? {};
    assert.equal(url, 'https://as.example/token');
    assert.deepEqual(form, { grant_type: 'refresh_token', refresh_token: 'r1', client_id: 'us' });
    assert.deepEqual(await store.read(ref), {
      ...whole({ access_token: 'second', refresh_token: 'r2', expires_at_ms: clock.nowMs() + 3600 * second }),
      scopes,
      missing_scopes: ['write'],
      issuer: 'https://as.example',
    });
  });

  it('has the scopes that its renewal names, and keeps the refresh token that it does not replace', async () => {
    const { store, endpoint, get } = await open({ refresh_token: 'r1', expires_at_ms: 1, scopes: ['read'] });
    endpoint.answer = () => ({ access_token: 'second', token_type: 'Bearer', scope: 'read write' });
    await get();
    const { scopes, refresh_token, expires_at_ms } = (await store.read(ref)) ?? {};
    assert.deepEqual([scopes, refresh_token, expires_at_ms], [['read', 'write'], 'r1', undefined]);
  });

  it('without a refresh token is used to its very end, and then the person signs in again', async () => {
    const { clock, store, endpoint, get } = await open(undefined);
    const expires_at_ms = clock.nowMs() + 60 * second;
    await store.write(ref, { access_token: 'first', connected_at_ms: 1, expires_at_ms });
    clock.pass(60 * second - 1);
    assert.equal(await get(), 'first');
    clock.pass(1);
    await assert.rejects(get(), needsSignIn);
    assert.deepEqual([await store.read(ref), endpoint.asked.length], [undefined, 0]);
  });

  for (const life of [{}, { expires_at_ms: Number.MAX_SAFE_INTEGER }]) {
    it(`without a refresh token is gone when its server refuses it (${JSON.stringify(life)})`, async () => {
      const { store, get } = await open(life);
      assert.equal(await get({ refused: 'an older one' }), 'first');
      store.failure = new Error('the store is away');
      await assert.rejects(get({ refused: 'first' }), /the store is away/);
      store.failure = undefined;
      await assert.rejects(get({ refused: 'first' }), needsSignIn);
      assert.equal(await store.read(ref), undefined);
    });
  }

  it('is gone when its refresh token is no longer good, and stays while the store cannot let it go', async () => {
    const { store, endpoint, get } = await open({ refresh_token: 'r1', expires_at_ms: 1 });
    endpoint.answer = () => ({ error: 'invalid_grant' });
    endpoint.status = 400;
    store.failure = new Error('the store is away');
    await assert.rejects(get(), /the store is away/);
    store.failure = undefined;
    await assert.rejects(get(), needsSignIn);
    assert.equal(await store.read(ref), undefined);
  });

  it('that another replica renewed while this one waited is used, and nobody is asked', async () => {
    const { store, endpoint, get, whole } = await open({ refresh_token: 'r1', expires_at_ms: 1 });
    const other = later<void>();
    const held = store.lease(ref, async () => {
      await other.promise;
      await store.write(ref, whole({ access_token: 'second', refresh_token: 'r2' }));
    });
    const [token, refused] = [get(), get({ refused: 'first' })];
    other.resolve();
    await held;
    assert.deepEqual([await token, await refused, endpoint.asked.length], ['second', 'second', 0]);
  });

  it('that was disconnected while this one waited is not renewed', async () => {
    const { store, endpoint, get } = await open({ refresh_token: 'r1', expires_at_ms: 1 });
    const held = store.lease(ref, () => store.remove(ref));
    await assert.rejects(get(), needsSignIn);
    await held;
    assert.equal(endpoint.asked.length, 0);
  });

  it('is never that of somebody else, with calls at once too, and letting go of one leaves the others', async () => {
    const { store, tokens, get } = await open({});
    for (const user of ['al', 'bob']) await store.write({ ...ref, user }, { access_token: user, connected_at_ms: 1 });
    const all = () => Promise.all(['alice', 'al', 'bob'].map((user) => get({ user })));
    assert.deepEqual(await all(), ['first', 'al', 'bob']);
    for (const [user, reads] of [
      ['al', 1],
      [undefined, 3],
    ] as const) {
      const before = store.reads;
      tokens.forget('s1', user);
      tokens.forget('s', user);
      await all();
      assert.equal(store.reads - before, reads);
    }
    await assert.rejects(get({ user: 'carol' }), needsSignIn);
  });

  it('is not sent from memory where its server moved meanwhile: what is stored for the new address counts', async () => {
    const { store, get } = await open({});
    assert.equal(await get(), 'first');
    await store.remove(ref);
    assert.equal(await get(), 'first');
    for (const moved of [
      { ...server, url: 'https://other.example/mcp' },
      { ...server, token_url: 'https://other.example/token' },
    ])
      await assert.rejects(get({ server: moved }), needsSignIn);
  });

  it('that is renewed while a server refuses it for want of scopes is stored as it was renewed', async () => {
    const { store, tokens, whole } = await open({ refresh_token: 'r1' });
    const other = later<void>();
    const held = store.lease(ref, async () => {
      await other.promise;
      await store.write(ref, whole({ access_token: 'second', refresh_token: 'r2' }));
    });
    const needs = tokens.needs(server, 'alice', ['write']);
    other.resolve();
    await Promise.all([held, needs]);
    assert.deepEqual(
      await store.read(ref),
      whole({ access_token: 'second', refresh_token: 'r2', missing_scopes: ['write'] }),
    );
  });

  it('remembers what a server refused it for, where it is still there', async () => {
    const { store, tokens } = await open({ scopes: ['read'] });
    const { code, message, data } = await tokens.needs(server, 'alice', ['write']);
    assert.deepEqual({ code, message, data }, needsSignIn);
    assert.deepEqual(await store.read(ref), {
      access_token: 'first',
      connected_at_ms: 1,
      scopes: ['read'],
      missing_scopes: ['write'],
    });
    await store.remove(ref);
    await tokens.needs(server, 'alice', ['write']);
    assert.equal(await store.read(ref), undefined);
    store.failure = new Error('the store is away');
    store.held.set('s1 alice', { access_token: 'first', connected_at_ms: 1 });
    await assert.rejects(tokens.needs(server, 'alice', ['write']), /the store is away/);
  });

  it('is not renewed where no client is known any more', async () => {
    const { store, endpoint, get } = await open({ refresh_token: 'r1', expires_at_ms: 1 }, {});
    await assert.rejects(get(), needsSignIn);
    assert.equal(endpoint.asked.length, 0);
    assert.ok(await store.read(ref));
  });
});
