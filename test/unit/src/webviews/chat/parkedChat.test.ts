import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { parkedNodes } from '../../../../../src/views/inbox/nodes.ts';
import { sessionRow } from '../../../../../src/views/sessions/rows.ts';
import { english, plainArrangement, summary } from '../../../../support/extensionStates.ts';
import { chatUri, emptyChat, OneSessionHost, session } from './oneSessionHost.ts';

const until = '2026-11-21T12:05:00.000Z';
const nowMs = Date.parse('2026-11-21T10:00:00.000Z');
const meta = { parked: { [chatUri]: { until, message: 'm1' } } };
const error = { errorType: 'usageLimited', message: 'Claude reached a usage limit: Try later.' };
const waiting = (kind: string, text = 'Fix it') => ({ id: 'm1', message: { text, origin: { kind } } });
const turn = {
  id: 't1',
  message: { text: 'Fix it', origin: { kind: 'user' } },
  responseParts: [],
  state: 'error' as const,
  error,
};

function openParked(kind = 'user', text = 'Fix it') {
  const host = new OneSessionHost();
  host.set('host-session:/s', { ...session, _meta: meta });
  host.set(chatUri, { ...emptyChat, turns: [turn], queuedMessages: [waiting(kind, text)] });
  const opened = host.open({ session: 'host-session:/s' });
  const press = (what: 'act' | 'otherAgent' | 'cancel' | 'retry') =>
    opened.ask({ type: 'banner', bannerId: 'parked/m1', what });
  return { host, ...opened, press };
}

describe('a chat whose agent reached a usage limit', () => {
  it('shows when its message is sent again, and no button that would send it twice', () => {
    const { chat } = openParked();
    const { head, rows } = chat.model();
    assert.deepEqual(head.banners, [{ id: 'parked/m1', kind: 'parked', until, subject: 'runbook' }]);
    assert.deepEqual(
      rows.flatMap((it) => (it.kind === 'error' ? [it.action] : [])),
      ['none'],
    );
  });

  it('sends its message from the queue when a person resumes it', async () => {
    const { host, press } = openParked();
    await press('act');
    assert.deepEqual(
      host.dispatched.map((it) => [it.type, 'queuedMessageId' in it && it.queuedMessageId]),
      [['chat/turnStarted', 'm1']],
    );
  });

  it('gives its message back to the composer when a person cancels', async () => {
    const { host, press } = openParked();
    await press('cancel');
    assert.deepEqual(
      host.dispatched.map((it) => it.type),
      ['chat/pendingMessageRemoved'],
    );
    assert.ok(host.posted.some((it) => it.type === 'compose' && it.text === 'Fix it'));
  });

  for (const [what, kind, text] of [
    ['its message', 'user', 'Fix it'],
    ['the task that it was going to continue', 'systemNotification', 'Continue.'],
  ] as const)
    it(`becomes a new chat with another agent that has the transcript and ${what}`, async () => {
      const { host, chat, press } = openParked(kind, text);
      await press('otherAgent');
      const removed = host.dispatched.filter((it) => it.type === 'chat/pendingMessageRemoved');
      assert.equal(removed.length, 1);
      assert.deepEqual([chat.chosen.session, chat.chosen.provider], [undefined, 'claude']);
      assert.deepEqual(
        chat.composed.attachments.map((it) => it.id),
        ['transcript'],
      );
      assert.ok(host.posted.some((it) => it.type === 'compose' && it.text === 'Fix it'));
    });

  it('does nothing for a button that its banner does not have', async () => {
    const { host, press } = openParked();
    await press('retry');
    assert.deepEqual(host.dispatched, []);
  });
});

describe('the banner of an agent that ran tools without asking', () => {
  it('opens a new chat with the same agent, in a sandbox', async () => {
    const host = new OneSessionHost();
    host.set('host-session:/s', { ...session, _meta: { unaskedRuns: { here: 1, all: 1 } } });
    host.set(chatUri, emptyChat);
    const { chat, ask } = host.open({ session: 'host-session:/s' });
    await ask({ type: 'banner', bannerId: 'ranUnasked/host-session:/s', what: 'act' });
    const { session: shown, provider, config } = chat.chosen;
    assert.deepEqual([shown, provider, config], [undefined, 'runbook', { 'switchboard.sandbox': 'on' }]);
  });
});

describe('a parked session', () => {
  const parked = summary({ title: 'Fix it', status: 2, _meta: meta });
  const context = { nowMs, arrangement: plainArrangement, agentName: () => 'Claude', canAddChat: () => false };

  it('has a row that says when it goes on, and not that it failed', () => {
    const { description, icon, spoken } = sessionRow(english, parked, context);
    assert.match(description, /^resumes in 2 h 5 min · /);
    assert.match(spoken, /^Fix it, resumes in 2 h 5 min, /);
    assert.equal(icon, 'watch');
  });

  it('says what is going on instead while another chat of it works', () => {
    const { icon } = sessionRow(english, { ...parked, status: 8 }, context);
    assert.equal(icon, 'loading~spin');
  });

  it('is in the Inbox, the one that goes on first before the others', () => {
    const later = summary({
      resource: 'host-session:/later',
      _meta: { parked: { c: { until: '2026-11-24T10:00:00Z', message: 'm' } } },
    });
    const nodes = parkedNodes(english, [summary(), later, parked], nowMs);
    assert.deepEqual(
      nodes.map((it) => [it.label, it.key, it.contextValue]),
      [
        ['Usage limit: resumes in 2 h 5 min', parked.resource, 'parked'],
        ['Usage limit: resumes in 3 d', 'host-session:/later', 'parked'],
      ],
    );
  });
});
