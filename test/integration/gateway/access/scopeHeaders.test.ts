import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { bearer, isRefusal, rpcBody, toolCall, toolNames } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';

/** What a request says of the servers that it is about. It chooses among what its key may use. */
describe('the headers that limit an MCP request', () => {
  let stand: Stand;
  let key: Record<string, string>;

  before(async () => {
    stand = await openStand({ tools: twoTools, defaultAccess: 'none' });
    const groups = { a: ['red'], b: ['red', 'blue'], c: ['blue'], forbidden: ['red', 'secret'] };
    for (const [alias, mcp_access_groups] of Object.entries(groups)) await stand.register({ alias, mcp_access_groups });
    key = bearer(await stand.addKey({ object_permission: { mcp_servers: ['a', 'b', 'c'] } }));
  });
  after(() => stand.close());

  const servers = 'x-mcp-servers';
  const groups = 'x-mcp-access-groups';
  const rows: readonly (readonly [says: string, headers: Record<string, string>, seen: string])[] = [
    ['nothing', {}, 'a b c'],
    ['a group', { [groups]: 'red' }, 'a b'],
    ['groups, with spaces', { [groups]: ' blue , red' }, 'a b c'],
    ['a group of servers that the key may not use', { [groups]: 'secret' }, ''],
    ['a group that is not there', { [groups]: 'green' }, ''],
    ['the name of a server as a group', { [groups]: 'a' }, ''],
    ['a group in other letters', { [groups]: 'RED' }, ''],
    ['no group at all', { [groups]: '' }, ''],
    ['a server', { [servers]: 'A' }, 'a'],
    ['a group among servers', { [servers]: 'c,red' }, 'a b c'],
    ['a server, and a group', { [servers]: 'c', [groups]: 'secret' }, 'c'],
    ['a server beside a group', { [servers]: 'a', [groups]: 'blue' }, 'a b c'],
    ['neither server nor group', { [servers]: '', [groups]: '' }, ''],
  ];
  for (const [says, headers, seen] of rows) {
    it(`that name ${says} leave: ${seen || 'nothing'}`, async () => {
      const listed = await stand.ask('/mcp', { ...key, ...headers }, rpcBody('tools/list'));
      const wanted = seen === '' ? [] : seen.split(' ');
      assert.deepEqual(
        toolNames(listed),
        wanted.flatMap((it) => [`${it}__echo`, `${it}__other`]),
      );
      for (const it of ['a', 'b', 'c', 'forbidden']) {
        const called = await stand.ask('/mcp', { ...key, ...headers }, toolCall(`${it}__echo`));
        assert.equal(isRefusal(called), !wanted.includes(it), it);
      }
    });
  }

  it('are not asked where the address itself names a server, and reach no server', async () => {
    const listed = await stand.ask('/c/mcp', { ...key, [groups]: 'red' }, rpcBody('tools/list'));
    assert.deepEqual(toolNames(listed), ['echo', 'other']);
    const heard = stand.heardAt('/mcp/c');
    assert.ok(heard && !Object.hasOwn(heard.headers, groups));
  });
});
