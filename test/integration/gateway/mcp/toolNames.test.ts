import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { speakMcp, twoTools } from '../../../support/gateway/backendAnswers.ts';
import { bearer, rpcBody, toolCall, toolNames } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

const inputSchema = { type: 'object' };
const unusable = [
  'x\ny',
  'tab\there',
  'bell\u0007',
  'nul\u0000',
  'line\u2028sep',
  '<img src=x onerror=alert(1)>',
  '',
  'n'.repeat(300),
];
const usable = ['echo', 'with space', 'dot.slash/dash-1', 'ech\u200bo', 'größe'];

describe('tools with names that clients cannot use', () => {
  let stand: Stand;
  let key: string;
  before(async () => {
    stand = await openStand({ tools: twoTools });
    const tools = [...unusable, ...usable].map((name) => ({ name, inputSchema }));
    stand.backend.answer = (heard, response) => speakMcp(heard, response, tools);
    await stand.register({ alias: 'evil' });
    key = await stand.addKey();
  });
  after(() => stand.close());

  for (const path of ['/evil/mcp', '/mcp', '/mcp-rest/tools/list?mcp_server_name=evil']) {
    it(`are left out of the list at ${path}, which says so, and the rest of it works`, async () => {
      verifies('gateway.tools.usable-names');
      const listed = await stand.ask(
        path,
        bearer(key),
        path.startsWith('/mcp-rest') ? undefined : rpcBody('tools/list'),
      );
      assert.equal(listed.status, 200, listed.text);
      const prefix = path === '/mcp' ? 'evil__' : '';
      assert.deepEqual(toolNames(listed), usable.map((it) => `${prefix}${it}`).toSorted());
      if (path.startsWith('/mcp-rest')) return;
      const { result } = listed.json as { result: { _meta?: object } };
      assert.deepEqual(result._meta, { 'switchboard/left_out_tools': unusable.length });
      assert.match(stand.logLines.join('\n'), /Tools were omitted from a list because clients cannot use their names/);
    });
  }

  it('are not called either, by whoever knows them', async () => {
    verifies('gateway.tools.usable-names');
    for (const name of unusable.slice(0, 6)) {
      const before = stand.calls().length;
      const answer = await stand.ask('/evil/mcp', bearer(key), toolCall(name));
      assert.match(answer.text, /is not available/, name);
      assert.equal(
        stand
          .calls()
          .slice(before)
          .filter((it) => it.body.includes('tools/call')).length,
        0,
        name,
      );
    }
  });
});
