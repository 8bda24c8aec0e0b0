import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { HeaderList } from '../../../../../sidecar/gateway/auth/headerList.ts';

const sent = ['Host', 'gateway.test', 'X-Tag', 'a', 'Content-Length', '9'];

describe('the headers of a request after another one on its connection', () => {
  const before = new HeaderList(sent);
  const next = (raw: readonly string[]) => new HeaderList(raw, before);

  it('are alike where only the length of the body is another one, which each says for itself', () => {
    const list = next(['Host', 'gateway.test', 'X-Tag', 'a', 'Content-Length', ' 10 ']);
    assert.equal(list.alike, before.alike);
    assert.deepEqual(
      [list.get('Content-Length'), list.values('content-length'), list.first('content-length')],
      ['10', ['10'], '10'],
    );
    assert.deepEqual([before.get('content-length'), list.get('x-tag')], ['9', 'a']);
    assert.deepEqual([...list], [...new HeaderList(['Host', 'gateway.test', 'X-Tag', 'a', 'Content-Length', '10'])]);
    assert.deepEqual([...list.names], ['host', 'x-tag', 'content-length']);
  });

  const others: readonly [what: string, raw: readonly string[]][] = [
    ['have another value', ['Host', 'gateway.test', 'X-Tag', 'b', 'Content-Length', '9']],
    ['have another name', ['Host', 'gateway.test', 'X-Tags', 'a', 'Content-Length', '9']],
    ['spell a name otherwise', ['Host', 'gateway.test', 'x-tag', 'a', 'Content-Length', '9']],
    ['come in another order', ['X-Tag', 'a', 'Host', 'gateway.test', 'Content-Length', '9']],
    ['have one more', [...sent, 'X-More', '']],
    ['have one less', sent.slice(2)],
  ];
  for (const [what, raw] of others)
    it(`are read anew where they ${what}`, () => {
      const list = next(raw);
      assert.notEqual(list.alike, before.alike);
      assert.deepEqual([...list], [...new HeaderList(raw)]);
    });

  it('are read anew each time where they say their length twice', () => {
    const twice = [...sent, 'Content-Length', '8'];
    const list = new HeaderList(twice, new HeaderList(twice));
    assert.deepEqual(list.values('content-length'), ['9', '8']);
    const other = [...sent, 'Content-Length', '7'];
    assert.deepEqual(new HeaderList(other, list).values('content-length'), ['9', '7']);
  });
});
