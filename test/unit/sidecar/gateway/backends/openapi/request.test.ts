import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { readDocument } from '../../../../../../sidecar/gateway/backends/openapi/document.ts';
import { type ApiOperations, readOperations } from '../../../../../../sidecar/gateway/backends/openapi/operations.ts';
import { writeRequest } from '../../../../../../sidecar/gateway/backends/openapi/request.ts';
import { shelterDocument } from '../../../../../support/openapi/shelterDocument.ts';
import { verifies } from '../../../../../support/verifies.ts';

describe('the request of an OpenAPI operation', () => {
  verifies('gateway.openapi.request');

  let operations: ApiOperations;
  before(async () => {
    operations = readOperations(await readDocument(JSON.stringify(shelterDocument())), {});
  });
  const base = new URL('https://api.example.com/v1');
  const write = (name: string, args: Record<string, unknown>, at = base) =>
    writeRequest(at, operations.byName.get(name)!, args);
  const query = (args: Record<string, unknown>) => new URL(write('listPets', args).url).search.slice(1);

  for (const [args, written] of [
    [{ limit: 5 }, 'limit=5'],
    [{ tags: ['a b', 'c&d'] }, 'tags=a%20b&tags=c%26d'],
    [{ ids: ['1', '2,3'] }, 'ids=1,2%2C3'],
    [{ spaced: ['1', '2'] }, 'spaced=1%202'],
    [{ piped: ['1', '2'] }, 'piped=1%7C2'],
    [{ filter: { 'a=1': 'x', b: { c: 'y' } } }, 'filter%5Ba%3D1%5D=x&filter%5Bb%5D%5Bc%5D=y'],
    [{ flat: { a: '1', b: '2' } }, 'flat=a,1,b,2'],
    [{ open: { a: '1', b: '&x=y' } }, 'a=1&b=%26x%3Dy'],
    [{ at: '/a/b?c=d&e#f' }, 'at=/a/b?c%3Dd%26e%23f'],
    [{ where: { a: [1] } }, 'where=%7B%22a%22%3A%5B1%5D%7D'],
    [{ limit: null, tags: [] }, ''],
    [{ ids: ['\ud800'] }, 'ids=%EF%BF%BD'],
  ] as const) {
    it(`has the query ${written || 'of no arguments'}`, () => {
      assert.equal(query(args), written);
    });
  }

  it('has the styles of a path', () => {
    const args = { one: 'a/b', many: ['1', '2'], dot: ['x', 'y'], map: { k: 'v', 'w=': ',' } };
    assert.equal(
      write('styles', args).url,
      'https://api.example.com/v1/matrix/;one=a%2Fb/;many=1;many=2/label/.x.y/k=v,w%3D=%2C',
    );
  });

  it('has headers and cookies', () => {
    const { headers } = write('listPets', {
      'X-Trace': 'a, b',
      'X-Parts': { a: '1', b: '2' },
      theme: 'dark; admin=1',
      marks: ['x', 'y'],
    });
    assert.equal(headers['x-trace'], 'a, b');
    assert.equal(headers['x-parts'], 'a=1,b=2');
    assert.equal(headers['cookie'], 'theme=dark%3B%20admin%3D1; marks=x%2Cy');
  });

  it('has a body of JSON, a form, or text', () => {
    const json = write('addPet', { body: { name: 'Tom' } });
    assert.deepEqual(
      [json.method, json.headers['content-type'], json.body],
      ['POST', 'application/json', '{"name":"Tom"}'],
    );
    const form = write('pets_get_2', { id: '1', body: { name: 'a&b', tags: ['x', 'y'], at: { c: 'd' }, none: null } });
    assert.deepEqual(
      [form.method, form.headers['content-type'], form.body],
      ['PUT', 'application/x-www-form-urlencoded', 'name=a%26b&tags=x&tags=y&at%5Bc%5D=d'],
    );
    const text = write('addNote', { body: 'hello' });
    assert.deepEqual([text.headers['content-type'], text.body], ['text/plain', 'hello']);
    assert.equal('body' in write('addNote', {}), false);
  });

  it('keeps the query of the registered address', () => {
    const at = new URL('https://api.example.com/?api-version=3');
    assert.equal(write('listPets', { limit: 1 }, at).url, 'https://api.example.com/pets?api-version=3&limit=1');
  });

  for (const id of ['..', '.', '../admin', 'a/../../admin', '..\\admin', 'x/..', '']) {
    it(`refuses to climb by the path argument ${JSON.stringify(id)}`, () => {
      assert.throws(() => write('pets_get', { id }), /path segment|must not be empty/);
    });
  }

  for (const [id, path] of [
    ['%2e%2e', '/v1/pets/%252e%252e'],
    ['a/b', '/v1/pets/a%2Fb'],
    ['@evil.example/', '/v1/pets/%40evil.example%2F'],
    ['x?admin=1#y', '/v1/pets/x%3Fadmin%3D1%23y'],
    ['...', '/v1/pets/...'],
  ]) {
    it(`encodes the path argument ${id}`, () => {
      const { origin, pathname, search } = new URL(write('pets_get', { id }).url);
      assert.deepEqual([origin, pathname, search], ['https://api.example.com', path, '']);
    });
  }

  for (const value of ['a\r\nx-admin: 1', 'a\nb', 'a\u0000', '€']) {
    it(`refuses a header argument of ${JSON.stringify(value)}`, () => {
      assert.throws(() => write('listPets', { 'X-Trace': value }), /must not contain line breaks/);
      assert.throws(() => write('listPets', { 'X-Parts': { [value]: 'x' } }), /must not contain line breaks/);
    });
  }
});
