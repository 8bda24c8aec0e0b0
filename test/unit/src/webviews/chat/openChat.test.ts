import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import { verifies } from '../../../../support/verifies.ts';
import { chatUri, emptyChat, OneSessionHost, session, withModels } from './oneSessionHost.ts';

const send = (text: string, unsaved: 'ask' | 'save' | 'ignore' = 'ask') =>
  ({ type: 'send', text, how: 'send', unsaved }) as const;

describe('an open chat', () => {
  it('asks nothing of the host to be opened but what it can choose from', () => {
    const host = new OneSessionHost();
    const { chat } = host.open();
    assert.deepEqual(host.said, []);
    assert.equal(chat.model().head.phase, 'new');
    assert.equal(chat.chosen.provider, 'claude');
  });

  for (const [what, last, agent] of [
    ['the first agent where none was used yet', undefined, 'claude'],
    ['the agent that was used last', 'runbook', 'runbook'],
    ['the first agent where the last one is gone', 'gone', 'claude'],
  ] as const) {
    it(`begins with ${what}, and offers its options as if a person had chosen it`, async () => {
      const host = new OneSessionHost();
      if (last !== undefined) host.lastUsed = { agent: last };
      const { chat } = host.open();
      assert.equal(chat.chosen.provider, agent);
      await new Promise(setImmediate);
      assert.deepEqual(host.asked, [agent]);
      assert.equal(chat.model().head.composer.hasOptions, true);
    });
  }

  for (const [what, models, model] of [
    ['begins with the model that was used last once the agent lists it', [{ id: 'small' }, { id: 'large' }], 'large'],
    ['does not begin with a model that is gone', [{ id: 'small' }], undefined],
    ['does not begin with a model that is locked', [{ id: 'large', policyState: 'disabled' }], undefined],
  ] as const) {
    it(what, () => {
      const host = new OneSessionHost();
      host.lastUsed = { agent: 'claude', model: 'large' };
      const { chat } = host.open();
      assert.equal(chat.chosen.model, undefined);
      host.set(ROOT, withModels(...models));
      assert.equal(chat.chosen.model, model);
    });
  }

  it('remembers agent, model and folder of what a person sends, and no value of the session', async () => {
    const host = new OneSessionHost();
    const { ask, chat } = host.open({
      provider: 'runbook',
      folder: 'file:///a',
      config: { mode: 'bypassPermissions' },
    });
    chat.chooseModel('large');
    await ask(send('Fix it'));
    assert.deepEqual(host.remembered, [{ provider: 'runbook', model: 'large', folder: 'file:///a' }]);
  });

  it('remembers nothing of what a command sends for a person', async () => {
    const host = new OneSessionHost();
    const { messages } = host.open({ provider: 'runbook' });
    await messages.sendFor('/tour');
    assert.equal(host.said.at(-1), `chat/turnStarted ${chatUri}`);
    assert.deepEqual(host.remembered, []);
  });

  it('creates its session with the first prompt', async () => {
    const host = new OneSessionHost();
    const { chat, ask } = host.open();
    await ask(send('Fix it'));
    assert.deepEqual(host.said, ['createSession host-session:/id2', `chat/turnStarted ${chatUri}`]);
    assert.equal(chat.model().rows[0]?.id, 'id1/prompt');
  });

  it('offers the custom agents of its folder before the first prompt, which selects the one that was chosen', async () => {
    verifies('host.message.first-agent');
    const host = new OneSessionHost();
    host.editor = { ...host.editor, folders: ['file:///a', 'file:///b'].map((uri) => ({ uri, name: uri })) };
    host.folderAgents['file:///a'] = [{ uri: 'file:///a/x.md', name: 'x' }];
    host.folderAgents['file:///b'] = [{ uri: 'file:///b/y.md', name: 'y' }];
    const { chat, ask } = host.open();
    const offered = async () => {
      await new Promise(setImmediate);
      const picker = chat.model().head.composer.pickers.find((it) => it.id === 'customAgent');
      return picker?.choices.map((it) => it.id);
    };
    assert.deepEqual(await offered(), ['default', 'file:///a/x.md']);
    await ask({ type: 'choose', picker: 'folder', choice: 'file:///b' });
    assert.deepEqual(await offered(), ['default', 'file:///b/y.md']);
    await ask({ type: 'choose', picker: 'customAgent', choice: 'file:///b/y.md' });
    await ask(send('Fix it'));
    assert.deepEqual(host.dispatched.at(-1)?.message?.agent, { uri: 'file:///b/y.md' });
  });

  it('gives the text back and says why when the session cannot be created', async () => {
    const host = new OneSessionHost();
    host.failure = new Error('no such provider');
    const { chat, ask } = host.open();
    await ask(send('Fix it'));
    assert.deepEqual(host.posted, [{ type: 'compose', text: 'Fix it', focus: true }]);
    const [banner] = chat.model().head.banners;
    assert.deepEqual(
      [banner?.kind, banner?.detail, chat.model().head.phase],
      ['creationFailed', 'no such provider', 'new'],
    );
  });

  it('opens no channel and sends nothing in a folder that is not trusted', async () => {
    const host = new OneSessionHost();
    host.editor = { ...host.editor, isTrusted: false };
    const { chat, ask } = host.open({ session: 'host-session:/s' });
    await ask(send('Fix it'));
    assert.deepEqual(host.said, []);
    assert.equal(chat.model().head.composer.blocked, 'untrusted');
    await ask({ type: 'banner', bannerId: 'untrusted', what: 'act' });
    assert.deepEqual(host.said, ['manageTrust']);
  });

  it('refuses a prompt while files are unsaved, and saves them first when told to', async () => {
    const host = new OneSessionHost();
    host.editor = { ...host.editor, unsavedFiles: 2 };
    const { ask } = host.open();
    await ask(send('Fix it'));
    assert.deepEqual(host.said, []);
    await ask(send('Fix it', 'save'));
    assert.equal(host.said[0], 'saved');
    assert.equal(host.said.at(-1), `chat/turnStarted ${chatUri}`);
  });

  it('queues what is sent while a turn runs, and stops that turn', async () => {
    const host = new OneSessionHost();
    host.states.set('host-session:/s', session);
    const message = { text: 'a', origin: { kind: 'user' } };
    const activeTurn = { id: 't', startedAt: '2026-11-21T00:00:00Z', message, responseParts: [] };
    host.states.set(chatUri, { ...emptyChat, activeTurn });
    const { ask } = host.open({ session: 'host-session:/s' });
    await ask({ type: 'send', text: 'next', how: 'queue', unsaved: 'ask' });
    await ask({ type: 'stop' });
    assert.deepEqual(host.said, [`chat/pendingMessageSet ${chatUri}`, `chat/turnCancelled ${chatUri}`]);
  });

  describe('after its turn was stopped', () => {
    const message = { text: 'next', origin: { kind: 'user' }, attachments: [{ type: 'simple', label: 'Transcript' }] };
    const stopped = { id: 't', startedAt: '', message: { text: 'a', origin: { kind: 'user' } }, responseParts: [] };
    const paused = {
      ...emptyChat,
      turns: [{ ...stopped, state: 'cancelled' }],
      queuedMessages: [{ id: 'q', message }],
      steeringMessage: { id: 's', message: { ...message, text: 'steer' } },
    };
    function open(state: object) {
      const host = new OneSessionHost();
      host.states.set('host-session:/s', session);
      host.states.set(chatUri, state);
      return { host, ...host.open({ session: 'host-session:/s' }) };
    }

    for (const [id, text] of [
      ['q', 'next'],
      ['s', 'steer'],
    ] as const)
      it(`sends the message “${text}” that waited, with all that it had`, async () => {
        const { host, chat, ask } = open(paused);
        assert.equal(chat.model().head.isPaused, true);
        await ask({ type: 'sendQueued', messageId: id });
        const [turn] = host.dispatched as { type: string; turnId?: string }[];
        const sent = { message: { ...message, text }, startedAt: '2026-11-21T00:00:00Z', queuedMessageId: id };
        assert.deepEqual(turn, { type: 'chat/turnStarted', turnId: turn?.turnId, ...sent });
      });

    it('sends no message that does not wait, and none twice', async () => {
      const { host, ask, chat } = open(paused);
      await ask({ type: 'sendQueued', messageId: 'other' });
      host.set(chatUri, { ...paused, activeTurn: { ...stopped, id: 't2' } });
      assert.equal(chat.model().head.isPaused, false);
      await ask({ type: 'sendQueued', messageId: 'q' });
      assert.deepEqual(host.said, []);
    });

    it('leaves a queued message that the host refused in the queue alone', () => {
      const { host, messages } = open(paused);
      messages.giveBack({ type: 'chat/turnStarted', turnId: 'x', message, queuedMessageId: 'q' });
      assert.deepEqual(host.posted, []);
      messages.giveBack({ type: 'chat/turnStarted', turnId: 'x', message });
      assert.deepEqual(host.posted, [{ type: 'compose', text: 'next', focus: true, isReturned: true }]);
    });
  });

  for (const [kind, id] of [
    ['queued', 'q'],
    ['steering', 's'],
  ] as const)
    it(`takes a ${kind} message back into the composer, with its attachments, and out of the queue`, async () => {
      const host = new OneSessionHost();
      const attachments = [{ type: 'simple', label: 'Transcript' }];
      const waiting = { id, message: { text: 'next', origin: { kind: 'user' }, attachments } };
      host.states.set('host-session:/s', session);
      const waits = kind === 'queued' ? { queuedMessages: [waiting] } : { steeringMessage: waiting };
      host.states.set(chatUri, { ...emptyChat, ...waits });
      const { chat, ask } = host.open({ session: 'host-session:/s' });
      await ask({ type: 'editQueued', messageId: 'other' });
      assert.deepEqual([host.dispatched, host.posted], [[], []]);
      await ask({ type: 'editQueued', messageId: id });
      const kept = { type: 'chat/draftChanged', draft: { text: '', origin: { kind: 'user' }, attachments } };
      assert.deepEqual(host.dispatched, [{ type: 'chat/pendingMessageRemoved', kind, id }, kept]);
      assert.deepEqual(host.posted, [{ type: 'compose', text: 'next', focus: true, isReturned: true }]);
      assert.equal(chat.model().head.composer.attachments[0]?.label, 'Transcript');
    });

  it('does nothing for ids that it does not show', async () => {
    const host = new OneSessionHost();
    host.states.set('host-session:/s', session);
    host.states.set(chatUri, emptyChat);
    const { ask } = host.open({ session: 'host-session:/s' });
    await ask({ type: 'decide', turnId: 't', toolCallId: 'c', optionId: 'allow-once' });
    await ask({ type: 'answer', requestId: 'r', response: 'accept', answers: {} });
    await ask({ type: 'tool', turnId: 't', toolCallId: 'c', what: 'output' });
    await ask({ type: 'changes', turnId: 't', what: 'undo' });
    await ask({ type: 'choose', picker: 'option:mode', choice: 'bypassPermissions' });
    await ask({ type: 'banner', bannerId: 'untrusted', what: 'act' });
    await ask({ type: 'retry', turnId: 't' });
    assert.deepEqual(host.said, []);
  });

  const words = { _meta: { retryWith: 'retry', skipWith: 'continue' } };
  for (const { says, type, sent, ...more } of [
    { says: 'tries a failed turn again with what it was sent with', type: 'retry', meta: {}, sent: ['Fix it'] },
    {
      says: 'tries a failed turn again with the word that its agent gave for that',
      type: 'retry',
      meta: words,
      sent: ['retry'],
    },
    {
      says: 'skips a failed step with the word that its agent gave for that',
      type: 'skip',
      meta: words,
      sent: ['continue'],
    },
    { says: 'does not skip a step if the agent gave no word for that', type: 'skip', meta: {}, sent: [] },
    { says: 'repeats a step that a person denied', type: 'retry', denied: words, sent: ['retry'] },
    { says: 'skips a step that a person denied', type: 'skip', denied: words, sent: ['continue'] },
  ] as const)
    it(says, async () => {
      const host = new OneSessionHost();
      host.states.set('host-session:/s', session);
      const message = { text: 'Fix it', origin: { kind: 'user' } };
      const error = { errorType: 'provider', message: 'It failed.', ...('meta' in more && more.meta) };
      const part = { kind: 'systemNotification', content: 'No.', ...('denied' in more && more.denied) };
      const ended = 'denied' in more ? { state: 'complete' } : { state: 'error', error };
      const turn = { id: 't', startedAt: '2026-11-21T00:00:00Z', message, responseParts: [part], ...ended };
      host.states.set(chatUri, { ...emptyChat, turns: [turn] });
      const { ask } = host.open({ session: 'host-session:/s' });
      await ask({ type, turnId: 't' });
      assert.deepEqual(
        host.dispatched.map(({ type: it, message }) => [it, message && 'text' in message && message.text]),
        sent.map((it) => ['chat/turnStarted', it]),
      );
    });

  it('1b-4 shows the log when the row of a failed turn asks for it', async () => {
    const host = new OneSessionHost();
    host.states.set('host-session:/s', session);
    host.states.set(chatUri, emptyChat);
    await host.open({ session: 'host-session:/s' }).ask({ type: 'showLog' });
    assert.deepEqual(host.said, ['showLog']);
  });

  it('says that its session was deleted elsewhere', () => {
    const host = new OneSessionHost();
    host.states.set('host-session:/s', session);
    const { chat } = host.open({ session: 'host-session:/s' });
    host.set('host-session:/s', { ...session, title: 'Dates' });
    host.set('host-session:/s', undefined);
    assert.equal(chat.model().head.phase, 'gone');
  });

  it('deletes a session that nobody wrote to when another agent is chosen', async () => {
    const host = new OneSessionHost();
    const { chat, ask } = host.open();
    await ask({ type: 'complete', requestId: 1, text: '/', offset: 1 });
    await ask({ type: 'choose', picker: 'agent', choice: 'runbook' });
    assert.deepEqual(host.said, [
      'createSession host-session:/id1',
      `completions ${chatUri}`,
      'disposeSession host-session:/id1',
    ]);
    assert.deepEqual(chat.chosen, { provider: 'runbook' });
  });
});
