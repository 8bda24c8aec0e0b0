import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { bind, openBound } from '../../../../../sidecar/gateway/storage/boundSecrets.ts';
import { withAllSealedValues, withSealedValues } from '../../../../../sidecar/gateway/storage/sealedValues.ts';
import { Secrets } from '../../../../../sidecar/gateway/storage/secrets.ts';
import type { GatewayStore } from '../../../../../sidecar/gateway/storage/store.ts';
import {
  readUserCredential,
  readUserVariables,
  userSealed,
  writeUserCredential,
  writeUserVariables,
} from '../../../../../sidecar/gateway/storage/userValues.ts';
import type { Sealer } from '../../../../../sidecar/platform/seal.ts';
import { SetClock } from '../../../../support/backends/setClock.ts';
import { type StorePlace, sqlitePlace } from '../../../../support/gateway/stores.ts';

describe('a secret that is bound to where it goes', () => {
  const sealed = bind('https://a.example', 'token');
  for (const [says, origins, text, expected] of [
    ['is given where it was meant for', 'https://a.example', sealed, 'token'],
    ['is not given to another origin', 'https://b.example', sealed, undefined],
    ['is not given where it does not say for whom', 'https://a.example', '"token"', undefined],
    ['is not given where it cannot be read', 'https://a.example', '{', undefined],
    ['is none where there is none', 'https://a.example', undefined, undefined],
  ] as const) {
    it(says, () => assert.equal(openBound(origins, text), expected));
  }
});

describe('a record with what is sealed beside it', () => {
  const record = {
    static_headers: { shown: '1', token: 'placeholder' },
    env: { HOME: '/h', KEY: 'placeholder' },
    env_vars: [{ name: 'A', value: 'plain' }, { name: 'B' }],
    gateway_params: { other: true, static_headers: { shown: '2' } },
  };
  it('keeps what it says itself, and takes the sealed values for the rest', () => {
    const values = {
      static_headers: { token: 's1' },
      env: { KEY: 's2' },
      env_vars: { B: 's3' },
      params_headers: { token: 's4' },
    };
    assert.deepEqual(withSealedValues(record, values), {
      static_headers: { shown: '1', token: 's1' },
      env: { HOME: '/h', KEY: 's2' },
      env_vars: [
        { name: 'A', value: 'plain' },
        { name: 'B', value: 's3' },
      ],
      gateway_params: { other: true, static_headers: { shown: '2', token: 's4' } },
    });
  });
  it('is the same object where nothing is sealed', () => assert.equal(withSealedValues(record, undefined), record));
});

describe('where a secret is sealed', () => {
  it('is told apart from every other place, whatever is in the names', async () => {
    const places: string[] = [];
    const sealer: Partial<Sealer> = {
      seal: (clear, place) => {
        places.push(place);
        return String(clear);
      },
    };
    const query = { values: () => query, onConflict: () => query, execute: async () => undefined };
    const secrets = new Secrets({ insertInto: () => query } as never, sealer as Sealer);
    await secrets.put('kind', 'a/b', 'c', '');
    await secrets.put('kind', 'a', 'b/c', '');
    await secrets.put('kind/a', 'b', 'c', '');
    assert.equal(new Set(places).size, 3);
  });
});

describe('what a store keeps beside records', () => {
  let place: StorePlace;
  let store: GatewayStore;
  let clock: SetClock;
  beforeEach(async () => {
    place = await sqlitePlace();
    clock = new SetClock();
    store = await place.open(clock);
  });
  afterEach(async () => {
    await store.close();
    place.remove();
  });

  it('is put into the records that have sealed values, and read of no others', async () => {
    const { secrets } = store;
    await secrets.put('agent', 'one', 'values', JSON.stringify({ static_headers: { token: 's' } }));
    await secrets.put('agent', 'two', 'credentials', '{}');
    let reads = 0;
    const counting = {
      names: (kind: string) => secrets.names(kind),
      get: (...it: Parameters<Secrets['get']>) => {
        reads += 1;
        return secrets.get(...it);
      },
    } as Partial<Secrets> as Secrets;
    const records = ['one', 'two', 'three'].map((id) => ({ id, static_headers: { shown: id } }));
    const found = await withAllSealedValues(counting, 'agent', records, (it) => it.id);
    assert.deepEqual(
      found.map((it) => it.static_headers),
      [{ shown: 'one', token: 's' }, { shown: 'two' }, { shown: 'three' }],
    );
    assert.equal(reads, 1);
  });

  it('is of one person and one origin: values for a server are not there for others, nor where it moved', async () => {
    const server = { server_id: 's', url: 'https://a.example/mcp' };
    const moved = { ...server, url: 'https://b.example/mcp' };
    await writeUserCredential(store.secrets, server, 'ann', 'secret');
    await writeUserVariables(store.secrets, server, 'ann', { KEY: 'v' });
    assert.equal(await readUserCredential(store.secrets, server, 'ann'), 'secret');
    assert.deepEqual(await readUserVariables(store.secrets, server, 'ann'), { KEY: 'v' });
    for (const [it, person] of [
      [server, 'bob'],
      [moved, 'ann'],
    ] as const) {
      assert.equal(await readUserCredential(store.secrets, it, person), undefined);
      assert.deepEqual(await readUserVariables(store.secrets, it, person), {});
    }
    await writeUserVariables(store.secrets, server, 'ann', {});
    assert.deepEqual(await store.secrets.names(userSealed.variables), [], 'no values leave nothing behind');
    assert.equal(await readUserCredential(store.secrets, server, 'ann'), 'secret');
  });

  it('is of whoever claimed it first, and a later claim changes nothing', async () => {
    assert.equal((await store.a2aOwners.claim(['id'], 'a', 1_000)).get('id'), 'a');
    assert.equal((await store.a2aOwners.claim(['id', 'next'], 'b', 2_000)).get('id'), 'a');
    const owners = await store.a2aOwners.of(['id', 'next'], 3_000);
    assert.deepEqual(
      [...owners].sort((a, b) => a[0].localeCompare(b[0])),
      [
        ['id', 'a'],
        ['next', 'b'],
      ],
    );
  });

  it('is held by one piece of work at a time, also within a process', async () => {
    const [one, two] = [store.leases.forWork(), store.leases.forWork()];
    assert.deepEqual(
      [await one.take('x', 1_000), await two.take('x', 1_000), await one.take('x', 1_000)],
      [true, false, true],
    );
    await two.release('x');
    assert.equal(await two.take('x', 1_000), false, 'nobody releases what another holds');
    await one.release('x');
    assert.equal(await two.take('x', 1_000), true);
  });

  it('is listed newest first, and of one moment in one order', async () => {
    const entry = { at: '2026-01-01T00:00:00Z', actor: 'a', action: 'created', kind: 'team', object_id: 't' } as const;
    for (const id of ['2', '3', '1']) await store.audit.add({ ...entry, id });
    await store.audit.add({ ...entry, id: '0', at: '2026-01-02T00:00:00Z' });
    const ids = async (offset: number) => (await store.audit.list({ limit: 2, offset })).map((it) => it.id);
    assert.deepEqual(
      [await ids(0), await ids(2)],
      [
        ['0', '3'],
        ['2', '1'],
      ],
    );
  });

  it('may be nothing: no health is written or asked for without a server', async () => {
    await store.serverHealth.put([]);
    assert.deepEqual(await store.serverHealth.of([]), []);
  });
});
