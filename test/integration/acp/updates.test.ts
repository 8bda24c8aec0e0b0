import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { after, before, describe, it } from 'mocha';
import { acpProvider } from '../../../sidecar/agents/acp/provider.ts';
import type { AgentSession } from '../../../sidecar/agents/provider.ts';
import { type Children, openChildren } from '../../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import { contextIn, playTurn } from '../../support/playTurn.ts';
import { fakeAgent } from '../peers/acp/fakeAgent.ts';

const program = fileURLToPath(new URL('../peers/acp/sdkAgent.child.ts', import.meta.url));

describe('what an ACP agent on the SDK says in a turn', () => {
  let folder: string;
  let children: Children;
  let session: AgentSession;
  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'switchboard-updates-')));
    children = openChildren(join(folder, 'data', 'children.json'), () => '2026-01-01T00:00:00Z');
    const provider = acpProvider({ ...fakeAgent([]), args: [program] }, { timers: systemTimers, children });
    session = await provider.open(contextIn(folder), new AbortController().signal);
  });
  after(async () => {
    await children.stopAll();
    await rm(folder, { recursive: true, force: true });
  });

  const play = async (...updates: readonly SessionUpdate[]) => {
    const { events, failure } = await playTurn(session, { text: JSON.stringify({ updates }) });
    assert.equal(failure, undefined);
    return events;
  };

  it('fills the input of a call that does not run yet, so that each event continues the one before', async () => {
    const call = { toolCallId: 'c' };
    const so = (rawInput: object) => ({ sessionUpdate: 'tool_call_update', ...call, rawInput }) as const;
    const events = await play(
      { sessionUpdate: 'tool_call', ...call, title: 'Write', kind: 'edit', status: 'pending', rawInput: {} },
      so({ file_path: 'a.ts' }),
      so({ file_path: 'a.ts', content: 'const' }),
      { ...so({ file_path: 'a.ts', content: 'const a = {}' }), title: 'Write a.ts' },
      { sessionUpdate: 'tool_call_update', ...call, status: 'in_progress' },
      { sessionUpdate: 'tool_call_update', ...call, status: 'completed' },
    );
    assert.deepEqual(
      events.map((it) => (it.kind === 'toolInput' ? `${it.title}: ${it.input}` : it.kind)),
      [
        'toolStarted',
        'Write: {"file_path":"a.ts',
        'Write: {"file_path":"a.ts","content":"const',
        'Write a.ts: {"file_path":"a.ts","content":"const a = {}',
        'toolRunning',
        'toolEnded',
      ],
    );
  });

  it('is shown as a notice if it is one', async () => {
    const events = await play(
      { sessionUpdate: 'notice', severity: 'warning', title: 'Slow today', description: 'The service is busy.' },
      { sessionUpdate: 'notice', severity: 'info', title: 'Done' },
    );
    assert.deepEqual(events, [
      { kind: 'notice', markdown: 'Slow today\n\nThe service is busy.' },
      { kind: 'notice', markdown: 'Done' },
    ]);
  });

  it('says that the conversation was summarized, with the summary, or why it was not', async () => {
    const update = (compactionId: string, status: string, more: object = {}) =>
      ({ sessionUpdate: 'compaction_update', compactionId, status, ...more }) as const;
    const text = (it: string) => ({ type: 'text', text: it }) as const;
    const chunk = (it: string) =>
      ({ sessionUpdate: 'compaction_summary_chunk', compactionId: 'a', content: text(it) }) as const;
    const events = await play(
      update('a', 'in_progress'),
      chunk('We counted '),
      chunk('files.'),
      update('a', 'completed'),
      update('a', 'completed'),
      update('b', 'failed', { error: 'The model is busy.' }),
      update('c', 'completed', { summary: [text('All is done.')] }),
      update('d', 'cancelled'),
    );
    assert.deepEqual(events, [
      { kind: 'notice', markdown: 'The earlier conversation was summarized.\n\nWe counted files.' },
      { kind: 'notice', markdown: 'The earlier conversation could not be summarized. The model is busy.' },
      { kind: 'notice', markdown: 'The earlier conversation was summarized.\n\nAll is done.' },
    ]);
  });

  it('names the conversation, and reports each name once', async () => {
    const titles: (string | undefined)[] = [];
    const stop = session.onOptions(() => titles.push(session.title));
    const named = (title: string | null) => ({ sessionUpdate: 'session_info_update', title }) as const;
    assert.deepEqual(await play(named('First'), named('First'), named(null), named('Second')), []);
    stop();
    assert.deepEqual(titles, ['First', 'Second']);
  });
});
