import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import * as z from 'zod';
import { type Answer, Api, ApiError, type Ask, withQuery } from '../../../../media/admin/api.ts';

function answering(answer: Partial<Answer>) {
  const asked: Ask[] = [];
  const api = new Api(async (ask) => {
    asked.push(ask);
    return { status: 200, body: undefined, date: undefined, ...answer };
  });
  return { api, asked };
}
const Names = z.object({ names: z.array(z.string()) });

describe("the gateway pages' way to the gateway", () => {
  it('reads an answer by its schema', async () => {
    const { api, asked } = answering({ body: { names: ['a'] } });
    assert.deepEqual(await api.get('/key/list', { page: 2, search: '' }, Names), { names: ['a'] });
    assert.deepEqual(asked, [{ method: 'GET', path: '/key/list?page=2' }]);
  });

  it('says which answer and which member is not understood', async () => {
    const { api } = answering({ body: { names: [1] } });
    await assert.rejects(api.get('/key/list', { search: 'secret' }, Names), {
      message:
        "The gateway's response to /key/list is invalid (names.0). The gateway may have been updated. Reload the page.",
    });
  });

  it("gives the gateway's own words and the field that is wrong", async () => {
    const body = { error: { message: 'key_alias is taken.', type: 'conflict_error', param: 'key_alias', code: '409' } };
    const { api } = answering({ status: 409, body });
    const refused = await api.send('POST', '/key/generate', {}, Names).catch((it: unknown) => it);
    assert.ok(refused instanceof ApiError);
    assert.deepEqual([refused.status, refused.message, refused.param], [409, 'key_alias is taken.', 'key_alias']);
  });

  it('names the status of a refusal that is no words of the gateway', async () => {
    const { api } = answering({ status: 502, body: '<html>' });
    await assert.rejects(api.get('/key/list', {}, Names), {
      message: 'The gateway returned HTTP 502 without giving a reason. See the gateway log.',
    });
  });

  it('tells when nobody is signed in any more', async () => {
    const { api } = answering({ status: 401 });
    let told = 0;
    api.onSignedOut = () => told++;
    await assert.rejects(api.get('/key/list', {}, Names));
    assert.equal(told, 1);
  });

  it("takes the day from the gateway's clock", async () => {
    const { api } = answering({ body: { names: [] }, date: 'Sat, 21 Nov 2026 23:59:59 GMT' });
    await api.get('/x', {}, Names);
    assert.equal(api.today, '2026-11-21');
  });

  it('writes queries without what is empty', () => {
    assert.equal(withQuery('/a', { b: 'c d', e: '', f: undefined, g: 0 }), '/a?b=c+d&g=0');
    assert.equal(withQuery('/a', {}), '/a');
  });
});
