import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { beforeEach, describe, it } from 'mocha';
import { AccessQuestions } from '../../../../../sidecar/host/resources/accessQuestions.ts';

describe('questions to a person for access', () => {
  let shown: string[][];
  let questions: AccessQuestions;
  beforeEach(() => {
    shown = [];
    questions = new AccessQuestions((items) => shown.push(items.map((it) => it.id)));
  });
  const ask = (id: string, clientId = 'c1', signal = new AbortController().signal) =>
    questions.ask(clientId, { id, asker: clientId, uri: 'file:///a', read: true, write: false }, signal);

  it('are shown until somebody answers, each once, whatever the answer', async () => {
    const [one, two] = [ask('1'), ask('2')];
    assert.equal(questions.answer('1', true), true);
    assert.equal(questions.answer('1', false), false);
    assert.equal(await one, true);
    assert.equal(questions.answer('2', false), true);
    assert.equal(await two, false);
    assert.deepEqual(shown, [['1'], ['1', '2'], ['2'], []]);
    assert.equal(questions.answer('never', true), false);
  });

  it('are gone with the request that asks, and leave no listener at it', async () => {
    const control = new AbortController();
    const [first, second] = [ask('1', 'c1', control.signal), ask('2', 'c1', control.signal)];
    questions.answer('1', true);
    await first;
    assert.equal(getEventListeners(control.signal, 'abort').length, 1);
    const reason = new Error('given up');
    control.abort(reason);
    await assert.rejects(second, (thrown) => thrown === reason);
    assert.deepEqual([questions.all, shown.at(-1), questions.answer('2', true)], [[], [], false]);
    assert.throws(
      () => void ask('3', 'c1', control.signal),
      (thrown) => thrown === reason,
    );
    assert.deepEqual([questions.all, shown.length], [[], 4]);
  });

  it('are at most 20 of one client, and each answer makes room for one', async () => {
    const open = Array.from({ length: 20 }, (_, n) => ask(`${n}`));
    assert.throws(() => void ask('20'), { code: 'invalid_params' });
    const other = ask('of another', 'c2');
    questions.answer('3', false);
    const next = ask('21');
    assert.throws(() => void ask('22'), { code: 'invalid_params' });
    assert.equal(questions.all.length, 21);
    questions.refuseAll();
    assert.deepEqual(
      await Promise.all([...open, other, next]),
      Array.from({ length: 22 }, () => false),
    );
    assert.deepEqual(questions.all, []);
  });
});
