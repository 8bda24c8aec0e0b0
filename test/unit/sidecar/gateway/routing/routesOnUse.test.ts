import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { keyRoute, subjects } from '../../../../../sidecar/gateway/management/routes.ts';
import type { Route } from '../../../../../sidecar/gateway/routing/route.ts';
import { RouteTable } from '../../../../../sidecar/gateway/routing/routeTable.ts';

const row = (path: string): Route => ({
  method: 'GET',
  path,
  surface: 'management',
  auth: 'key',
  groups: ['management_routes'],
  requirements: [],
  openapi: 'It is a row of a test.',
});

describe('rows that are loaded on use', () => {
  it('find each route of the management API after loading only what its address needs', async () => {
    const later = subjects.map(({ paths, load }) => ({ paths, load: async () => (await load()).map(keyRoute) }));
    const rows = (await Promise.all(subjects.map((it) => it.load()))).flat();
    assert.ok(rows.length > 100);
    for (const { method, path } of rows) {
      const table = new RouteTable([], later);
      const address = path.replaceAll(/\{\w+\}/g, 'some%20one');
      await table.loading(address);
      assert.equal(table.find(method, address)?.route.path, path, `${method} ${address}`);
    }
  });

  it('are loaded once for requests that come together, and an address beside them waits for nothing', async () => {
    let loads = 0;
    const load = async () => [row(`/late/${(loads += 1)}`)];
    const table = new RouteTable([row('/first')], [{ paths: ['/late/**', '/other'], load }]);
    for (const it of ['/first', '/later', '/', '/other/below', '/la%2Fte'])
      assert.equal(table.loading(it), undefined, it);
    assert.equal(table.find('GET', '/late/1'), undefined);
    await Promise.all([table.loading('/late/1'), table.loading('/l%61te'), table.loading('/other')]);
    assert.equal(table.find('GET', '/late/1')?.route.path, '/late/1');
    assert.equal(table.loading('/late/1'), undefined);
    assert.equal(loads, 1);
  });

  it('are loaded anew with the next request where loading failed', async () => {
    let loads = 0;
    const load = async () => {
      loads += 1;
      if (loads === 1) throw new Error('the file cannot be read');
      return [row('/late')];
    };
    const table = new RouteTable<Route>([], [{ paths: ['/late'], load }]);
    await assert.rejects(async () => table.loading('/late'), /the file cannot be read/);
    assert.equal(table.find('GET', '/late'), undefined);
    await table.loading('/late');
    assert.equal(table.find('GET', '/late')?.route.path, '/late');
  });
});
