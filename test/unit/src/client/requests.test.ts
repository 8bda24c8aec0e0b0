import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { type CancelToken, type Connection, ConnectionLost, NoAnswer } from '../../../../src/client/connection.ts';
import { Requests } from '../../../../src/client/requests.ts';
import { type Later, later } from '../../../support/later.ts';

describe('the requests of one connection', () => {
  let sent: { readonly method: string; readonly token: CancelToken; readonly answer: Later<unknown> }[];
  let waiting: Map<() => void, number>;
  let requests: Requests;
  let cancels: string[];
  beforeEach(() => {
    [sent, waiting, cancels] = [[], new Map(), []];
    const connection: Partial<Connection> = {
      request(method, _params, token) {
        const answer = later<unknown>();
        sent.push({ method, token: token!, answer });
        token!.onCancellationRequested(() => cancels.push(method));
        return answer.promise;
      },
    };
    requests = new Requests(connection as Connection, (work, delayMs) => {
      waiting.set(work, delayMs);
      return { dispose: () => void waiting.delete(work) };
    });
  });
  const cancelled = () => sent.filter((it) => it.token.isCancellationRequested).map((it) => it.method);

  it('are not sent where they were given up before', async () => {
    const reason = new Error('not any more');
    assert.throws(() => requests.send('a', {}, { signal: AbortSignal.abort(reason) }), reason);
    assert.deepEqual([sent.length, waiting.size], [0, 0]);
  });

  for (const { says, answered } of [
    { says: 'answered', answered: (it: Later<unknown>) => it.resolve('yes') },
    { says: 'refused', answered: (it: Later<unknown>) => it.reject(new Error('no')) },
  ]) {
    it(`leave nothing behind that could touch one that was ${says}`, async () => {
      const abort = new AbortController();
      const settled = requests.send('a', { text: 'long'.repeat(100) }, { signal: abort.signal }).catch(() => undefined);
      assert.ok(requests.largest > 400);
      answered(sent[0]!.answer);
      await settled;
      assert.deepEqual([requests.largest, waiting.size], [0, 0]);
      abort.abort();
      requests.failAll('the end');
      assert.deepEqual([cancels, cancelled()], [[], []]);
    });
  }

  for (const { says, end, thrown } of [
    { says: 'are not answered in time', end: () => [...waiting.keys()][0]!(), thrown: NoAnswer },
    { says: 'lose their connection', end: () => requests.failAll('cut'), thrown: ConnectionLost },
  ]) {
    it(`are cancelled with the host when they ${says}, and what it answers then is let go`, async () => {
      const failed = requests.send('a', {}, { timeoutMs: 5 });
      assert.deepEqual([...waiting.values()], [5]);
      end();
      await assert.rejects(failed, thrown);
      assert.deepEqual([cancels, cancelled(), waiting.size], [['a'], ['a'], 0]);
      sent[0]!.answer.reject(new Error('late'));
      await failed.catch(() => undefined);
    });
  }

  it('are cancelled one by one, with the reason of whoever gave them up', async () => {
    const abort = new AbortController();
    const reason = new Error('not any more');
    const first = requests.send('a', {}, { signal: abort.signal });
    const second = requests.send('b', {});
    abort.abort(reason);
    await assert.rejects(first, reason);
    assert.deepEqual(cancels, ['a']);
    sent[1]!.answer.resolve('yes');
    assert.equal(await second, 'yes');
  });
});
