import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { commandIds } from '../../../../../src/manifest/manifest.ts';
import { inboxNodes, requestNodes } from '../../../../../src/views/inbox/nodes.ts';
import { english, shellRequest, summary } from '../../../../support/extensionStates.ts';

const idOf = () => 'once';

describe('the Inbox', () => {
  it('shows the whole command on one line, and the session that asks', () => {
    const [node] = inboxNodes(english, [shellRequest('npm test\n  npm run lint')], idOf);
    assert.equal(node?.label, 'npm test ⏎ npm run lint');
    assert.equal(node?.description, 'Fix the tests');
    assert.equal(node?.contextValue, 'confirm oneClick session');
    assert.equal(node?.command, commandIds.openRequest);
  });

  it("translates the host's title of a request, and leaves a command as it is", () => {
    const german = { ...english, bundle: { 'Run {0}/host': '{0} ausführen' } };
    const requests = [shellRequest('x', { toolKind: 'other', command: undefined }), shellRequest('Run x')];
    assert.deepEqual(
      inboxNodes(german, requests, idOf).map((it) => it.label),
      ['x ausführen', 'Run x'],
    );
  });

  it('names the sub-agent that asks, also below its session', () => {
    const request = shellRequest('npm test');
    const { chat } = request.request;
    const origin = { kind: 'tool' as const, chat: 'host-chat:/other', toolCallId: 'c' };
    const chats = [{ resource: chat, title: 'Test it', status: 24, origin }];
    const asked = [{ ...request, session: { ...request.session, chats } }];
    const [node] = inboxNodes(english, asked, idOf);
    assert.deepEqual(
      [node?.description, node?.spoken],
      ['Fix the tests › Test it', 'Fix the tests › Test it wants to run: npm test'],
    );
    assert.equal(requestNodes(english, asked, idOf)[0]?.description, 'Test it');
  });

  it('offers no one-click allow for what needs a look', () => {
    const [node] = inboxNodes(english, [shellRequest('rm -rf /', { oneClick: false })], idOf);
    assert.equal(node?.contextValue, 'confirm session');
    assert.equal(node?.description, 'Fix the tests · needs review');
  });

  for (const { says, questions, label } of [
    { says: 'the question', questions: ['Go on?'], label: 'Go on?' },
    { says: 'the first of five questions', questions: ['Go on?', 'b', 'c', 'd', 'e'], label: 'Go on? (+4)' },
  ])
    it(`shows ${says}, and answers with a click`, () => {
      const request = {
        id: 'i',
        questions: questions.map((message) => ({ id: message, kind: 'boolean' as const, message })),
      };
      const waiting = { kind: 'chatInput' as const, id: 'r', chat: 'host-chat:/c', request };
      const [node] = inboxNodes(english, [{ key: 'k', session: summary(), request: waiting }], idOf);
      assert.deepEqual([node?.label, node?.contextValue, node?.command], [label, 'question', commandIds.answer]);
    });

  it('says what the questions of a form are about, in one line', () => {
    const questions = [{ id: 'q', kind: 'text' as const, message: 'Your answer' }];
    const request = { id: 'i', message: 'Which city?\nThe agent needs it.', questions };
    const waiting = { kind: 'chatInput' as const, id: 'r', chat: 'host-chat:/c', request };
    const [node] = inboxNodes(english, [{ key: 'k', session: summary(), request: waiting }], idOf);
    assert.deepEqual([node?.label, node?.tooltip], ['Which city?', 'Which city?\nThe agent needs it.']);
  });
});
