import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { costOf, type McpServer } from '../../../../../../sidecar/gateway/mcp/mcpDeps.ts';
import { offendingParams, shownTool } from '../../../../../../sidecar/gateway/mcp/methods/toolRules.ts';

const server = (more: Partial<McpServer>): McpServer => ({ server_id: '1', alias: 'a', transport: 'http', ...more });

describe('parameters of a tool', () => {
  const rows: readonly [string, Partial<McpServer>, readonly string[]][] = [
    ['without rules', {}, []],
    ['of a tool that no rule names', { allowed_params: { other: [] } }, []],
    ['that are allowed', { allowed_params: { t: ['x', 'y'] } }, []],
    ['that are not allowed', { allowed_params: { t: ['x'] } }, ['y']],
    ['where none is allowed', { allowed_params: { t: [] } }, ['x', 'y']],
    ['of a tool named with its prefix', { allowed_params: { a__t: ['y'] } }, ['x']],
    ['in other letters', { allowed_params: { t: ['X', 'y'] } }, ['x']],
    ['of a tool called like a member of objects', { allowed_params: {} }, []],
  ];
  for (const [what, more, offending] of rows) {
    it(`${what}: ${offending.join(', ') || 'none'} may not be given`, () => {
      assert.deepEqual(offendingParams(server(more), 't', { x: 1, y: 2 }, '__'), offending);
    });
  }

  it('that may not be given are not shown either', () => {
    const inputSchema = { type: 'object', properties: { x: {}, y: {} }, required: ['x', 'y'] };
    const shown = shownTool(server({ allowed_params: { t: ['x'] } }), { name: 't', inputSchema }, '__');
    assert.deepEqual(shown['inputSchema'], { type: 'object', properties: { x: {} }, required: ['x'] });
  });
});

describe('a shown tool', () => {
  it('has the words of its registration, under its own name', () => {
    const words = { tool_name_to_display_name: { t: 'Title' }, tool_name_to_description: { t: 'What it does' } };
    const shown = shownTool(server(words), { name: 't', description: 'old' }, '__');
    assert.deepEqual(shown, { name: 't', title: 'Title', description: 'What it does' });
  });

  it('is the same object where nothing changes', () => {
    const tool = { name: 'constructor' };
    assert.equal(shownTool(server({ tool_name_to_display_name: {} }), tool, '__'), tool);
  });
});

describe('the price of a call', () => {
  const info = (mcp_server_cost_info: unknown) => server({ mcp_info: { mcp_server_cost_info } });
  it('is that of the tool, else that of the server, else nothing', () => {
    const both = info({ default_cost_per_query: 1, tool_name_to_cost_per_query: { t: 2, free: 0 } });
    assert.deepEqual([costOf(both, 't'), costOf(both, 'u'), costOf(both, 'free')], [2, 1, 0]);
    for (const none of [server({}), info('x'), info({ default_cost_per_query: -1 })])
      assert.equal(costOf(none, 't'), 0);
  });
});
