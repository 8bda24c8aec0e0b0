import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { ToolCallState } from '../../../sidecar/protocol/channels/chat/toolCalls.ts';
import { RowBuilder } from '../../../src/webviews/chat/chatRows.ts';
import { type ChatHarness, headOf, startChatHarness } from './chatHarness.ts';

const call = { toolCallId: 'c', toolName: 'read', displayName: 'Read', invocationMessage: 'Read the report' };
const rowsOf = (toolCall: ToolCallState) =>
  new RowBuilder([]).rows(
    {
      resource: 'host-chat:/c',
      title: '',
      status: 1,
      modifiedAt: '2026-11-21T00:00:00Z',
      turns: [],
      activeTurn: {
        id: 't',
        startedAt: '2026-11-21T00:00:00Z',
        message: { text: 'Read it', origin: { kind: 'user' } },
        responseParts: [{ kind: 'toolCall', toolCall }],
      },
    },
    0,
    () => undefined,
  );

describe('a tool call that waits for a person, in a chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  it('1b-12 shows its result before the agent gets it, and takes a denial', async () => {
    const { page, send, said } = await harness.open();
    const rows = rowsOf({
      ...call,
      status: 'pending-result-confirmation',
      confirmed: 'not-needed',
      success: true,
      pastTenseMessage: 'Read the report',
      content: [{ type: 'text', text: 'Revenue is down' }],
    });
    await send({ type: 'model', seq: 1, model: { head: headOf(), rows } });
    const card = page.getByRole('region', { name: 'Needs your approval: Read the report' });
    await card.getByText('Revenue is down').waitFor();
    await card.getByRole('button', { name: 'Allow once' }).waitFor();
    await card.getByRole('button', { name: 'Deny' }).click();
    assert.deepEqual(await said('decide'), [{ type: 'decide', turnId: 't', toolCallId: 'c', optionId: 'deny' }]);
    await page.close();
  });

  it('1b-19 says that it needs a sign-in, and begins one', async () => {
    const { page, send, said } = await harness.open();
    const resource = { resource: 'https://reports.example', authorization_servers: ['https://id.example'] };
    const rows = rowsOf({
      ...call,
      status: 'auth-required',
      confirmed: 'not-needed',
      contributor: { kind: 'mcp', customizationId: 'reports' },
      auth: { reason: 'required', resource },
    });
    await send({ type: 'model', seq: 1, model: { head: headOf(), rows } });
    await page.getByText('This tool needs you to sign in.').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    assert.deepEqual(await said('tool'), [{ type: 'tool', turnId: 't', toolCallId: 'c', what: 'signIn' }]);
    await page.close();
  });
});
