import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { AnswerIds, claimOf } from '../../../../src/client/answerIds.ts';
import { Answers, type Decision } from '../../../../src/requests/answers.ts';
import { toastTitle } from '../../../../src/requests/toastText.ts';
import { inboxNodes } from '../../../../src/views/inbox/nodes.ts';
import { english, shellRequest } from '../../../support/extensionStates.ts';
import { verifies } from '../../../support/verifies.ts';

const request = { ...shellRequest('npm test'), key: 'host-session:/s1#r1' };
const other = { ...shellRequest('npm run lint'), key: 'host-session:/s1#r2' };
const allow: Decision = { option: 'allow-once' };

/** A window in which two requests are on the screen. */
function openWindow() {
  const sent: unknown[] = [];
  const shown: string[] = [];
  let pending = [request, other];
  let made = 0;
  const ids = new AnswerIds(() => `secret ${(made += 1)}`);
  const answers = new Answers({
    portOf: () => ({
      dispatch: (channel, action) => {
        sent.push({ channel, action });
        return { clientSeq: 0 } as never;
      },
    }),
    attention: { find: (key) => pending.find((it) => it.key === key) },
    ids,
    openChat: (session) => shown.push(session),
  });
  return {
    ids,
    sent,
    shown,
    rows: () => inboxNodes(english, pending, (key) => ids.of(key)),
    run: (argument: unknown, choose: Parameters<Answers['answer']>[1] = () => allow) =>
      answers.answer(claimOf(argument), choose),
    /** What waits from now on, as the host says it. */
    wait: (now: typeof pending) => {
      pending = now;
      ids.keepOnly(now.map((it) => it.key));
    },
  };
}
type Place = ReturnType<typeof openWindow>;

/** The argument of the link in the notification about `request`. */
function linked({ ids }: Place): unknown {
  const title = toastTitle(english, [request], (key) => ids.of(key));
  const found = /request\.allowOnce\?([^)]+)\)/.exec(title)?.[1] ?? '';
  return (JSON.parse(decodeURIComponent(found)) as unknown[])[0];
}
const rowOf = (it: Place, key: string) => it.rows().find((row) => row.key === key)!;

describe('another extension answering approvals', () => {
  const good: readonly [string, (it: Place) => unknown][] = [
    ['the link of the notification', linked],
    ['the row of the Inbox', (it) => rowOf(it, request.key)],
  ];
  for (const [name, argumentOf] of good) {
    it(`leaves an answer to a person, who gives it once by ${name}`, async () => {
      verifies('security.foreign-answers');
      const it = openWindow();
      const argument = argumentOf(it);
      await it.run(argument);
      assert.equal(it.sent.length, 1);
      assert.deepEqual(it.shown, []);
      await it.run(argument);
      assert.equal(it.sent.length, 1, 'a used id answers nothing');
      assert.deepEqual(it.shown, [request.session.resource]);
    });
  }

  for (const { option, sends } of [
    { option: 'allow-once', sends: 0 },
    { option: 'allow-session', sends: 0 },
    { option: 'deny', sends: 1 },
  ] as const)
    it(`sends ${sends} answers for ${option} to a dangerous request, which is allowed on its card only`, async () => {
      const it = openWindow();
      const danger = { ...shellRequest('rm -rf x', { oneClick: false }), key: 'host-session:/s1#r3' };
      it.wait([danger]);
      await it.run(rowOf(it, danger.key), () => ({ option }));
      assert.equal(it.sent.length, sends);
      assert.deepEqual(it.shown, sends === 0 ? [danger.session.resource] : []);
    });

  const guessed: readonly [string, (it: Place) => unknown][] = [
    ['the key', () => request.key],
    ['a row with the key alone', () => ({ key: request.key })],
    ['the key as the id', () => ({ key: request.key, id: request.key })],
    ['an empty id', () => ({ key: request.key, id: '' })],
    ['a guessed id', () => ({ key: request.key, id: 'secret 3' })],
    ['an id that is no text', () => ({ key: request.key, id: { toString: () => 'secret 1' } })],
    ['the id of another request', (it) => ({ key: request.key, id: rowOf(it, other.key).id })],
    ['the id of a request of that name before', (it) => replaced(it)],
  ];
  /** The row of a request that ended, and whose key waits again. */
  function replaced(it: Place): unknown {
    const row = rowOf(it, request.key);
    it.wait([other]);
    it.wait([request, other]);
    it.rows();
    return row;
  }
  for (const [name, argumentOf] of guessed) {
    it(`only shows the request for ${name}`, async () => {
      verifies('security.foreign-answers');
      const it = openWindow();
      it.rows();
      let asked = 0;
      await it.run(argumentOf(it), () => {
        asked += 1;
        return allow;
      });
      assert.deepEqual([it.sent, it.shown, asked], [[], [request.session.resource], 0]);
      await it.run(rowOf(it, request.key));
      assert.equal(it.sent.length, 1, 'the person can still answer');
    });
  }

  for (const argument of [undefined, null, 7, [], {}, 'host-session:/s1#r9', { $treeItemHandle: `1/${request.key}` }]) {
    it(`does nothing for ${JSON.stringify(argument) ?? 'no argument'}`, async () => {
      verifies('security.foreign-answers');
      const it = openWindow();
      it.rows();
      assert.equal(await it.run(argument), false);
      assert.deepEqual([it.sent, it.shown], [[], []]);
    });
  }

  it('cannot name a row of the tree, by which the editor hands it on', () => {
    verifies('security.foreign-answers');
    for (const { id, key } of openWindow().rows()) assert.ok(!id.includes(key), 'the id of the row is the one-time id');
  });

  it('gets nothing from a person who steps out of a dialog and answers later', async () => {
    verifies('security.foreign-answers');
    const it = openWindow();
    const row = rowOf(it, request.key);
    await it.run(row, () => undefined);
    await it.run(row);
    assert.equal(it.sent.length, 1, 'stepping out uses no id');
  });

  it('gets one answer where two dialogs of one row are open', async () => {
    verifies('security.foreign-answers');
    const it = openWindow();
    const row = rowOf(it, request.key);
    const dialogs: ((decision: Decision) => void)[] = [];
    const runs = [1, 2].map(() => it.run(row, () => new Promise<Decision>((decide) => void dialogs.push(decide))));
    assert.equal(dialogs.length, 2);
    for (const decide of dialogs) decide(allow);
    await Promise.all(runs);
    assert.equal(it.sent.length, 1);
    assert.deepEqual(it.shown.length, 1, 'the other one is shown what came of it');
  });
});
