import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { mayAsk } from '../../../../../src/webviews/gateway/dashboardPaths.ts';

describe('the dashboard', () => {
  for (const [method, path] of [
    ['GET', '/key/list?page=2&return_full_object=true'],
    ['POST', '/key/generate'],
    ['PUT', '/v1/mcp/server'],
    ['DELETE', '/v1/mcp/server/a%20b'],
    ['POST', '/v1/mcp/server/x/pin'],
    ['GET', '/v1/agents'],
    ['PATCH', '/v1/agents/1-2'],
    ['GET', '/a2a/planner/.well-known/agent-card.json'],
    ['POST', '/mcp-rest/tools/call'],
    ['GET', '/activity/endpoints?start_date=2026-11-01'],
    ['GET', '/spend/logs/v2'],
    ['GET', '/team/list'],
    ['GET', '/agent/daily/activity'],
    ['GET', '/credentials'],
    ['PATCH', '/credentials/cloud'],
    ['GET', '/guardrails/list'],
    ['POST', '/access/explain'],
    ['GET', '/audit'],
    ['GET', '/model/info'],
    ['GET', '/model/access'],
    ['POST', '/model/update'],
  ] as const) {
    it(`may ask ${method} ${path}`, () => assert.equal(mayAsk(method, path), true));
  }
  for (const [method, path] of [
    ['POST', '/mcp'],
    ['POST', '/a2a/planner'],
    ['POST', '/v1/chat/completions'],
    ['POST', '/v1beta/models/gemini:generateContent'],
    ['POST', '/ui/session'],
    ['POST', '/token'],
    ['GET', '/cloudagents/v0/agents'],
    ['GET', '/'],
    ['POST', '/spend/logs/v2'],
    ['TRACE', '/key/list'],
    ['GET', '/key/../mcp'],
    ['GET', '/key/%2e%2e/mcp'],
    ['GET', '/key//list'],
    ['GET', '//evil.example/key/list'],
    ['GET', '/key/list%2f..'],
    ['GET', '/key\\list'],
    ['GET', '/key/list#x'],
    ['GET', '@evil.example/key/list'],
  ] as const) {
    it(`may not ask ${method} ${path}`, () => assert.equal(mayAsk(method, path), false));
  }
});
