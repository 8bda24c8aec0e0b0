import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Uri } from 'vscode';
import { browserTrip } from '../../../../src/requests/browserTrip.ts';
import { Callbacks } from '../../../../src/requests/callbacks.ts';
import { later } from '../../../support/later.ts';

const back = (query: string) => ({ query }) as Uri;

describe('a sign-in in the browser', () => {
  const begun = {
    state: 's1',
    url: 'https://as.test/authorize',
    finish: async (answer: URLSearchParams) => ({ accessToken: `for ${answer.get('code')}` }),
  };

  it('ends also where the browser is back before the editor says that the page is open', async () => {
    const callbacks = new Callbacks();
    const opened = later<void>();
    const trip = browserTrip(
      begun,
      callbacks,
      (address) => {
        assert.equal(address, begun.url);
        callbacks.handleUri(back('state=s1&code=c1'));
        return opened.promise;
      },
      new AbortController().signal,
    );
    opened.resolve();
    assert.deepEqual(await Promise.race([trip, new Promise(setImmediate)]), { accessToken: 'for c1' });
  });

  it('takes no answer of another sign-in', async () => {
    const callbacks = new Callbacks();
    const open = () => {
      callbacks.handleUri(back('state=s2&code=c2'));
      return Promise.resolve();
    };
    const leave = new AbortController();
    const trip = browserTrip(begun, callbacks, open, leave.signal);
    await new Promise(setImmediate);
    callbacks.handleUri(back('state=s1&code=c1'));
    assert.deepEqual(await trip, { accessToken: 'for c1' });
  });

  it('ends with the reason for which the person left it', async () => {
    const leave = new AbortController();
    const trip = browserTrip(begun, new Callbacks(), () => Promise.resolve(), leave.signal);
    leave.abort(new Error('left'));
    await assert.rejects(trip, { message: 'left' });
  });

  it('is not begun where the person left it before, and takes its answer once', async () => {
    const callbacks = new Callbacks();
    await assert.rejects(callbacks.wait('s1', AbortSignal.abort(new Error('left'))), { message: 'left' });
    const leave = new AbortController();
    const answer = callbacks.wait('s1', leave.signal);
    callbacks.handleUri(back('state=s1&code=c1'));
    callbacks.handleUri(back('state=s1&code=c2'));
    leave.abort();
    assert.equal((await answer).get('code'), 'c1');
    const next = callbacks.wait('s1', new AbortController().signal);
    callbacks.handleUri(back('code=none'));
    callbacks.handleUri(back('state=s1&code=c3'));
    assert.equal((await next).get('code'), 'c3');
  });

  it('that the person left is forgotten: another one of its name gets its own answer', async () => {
    const callbacks = new Callbacks();
    const leave = new AbortController();
    const left = callbacks.wait('s1', leave.signal);
    leave.abort(new Error('left'));
    await assert.rejects(left, { message: 'left' });
    const next = callbacks.wait('s1', new AbortController().signal);
    leave.abort();
    callbacks.handleUri(back('state=s1&code=c4'));
    assert.equal((await next).get('code'), 'c4');
  });

  it('is of the one that waits now: who left after an answer takes nothing from the next of the name', async () => {
    const callbacks = new Callbacks();
    const leave = new AbortController();
    const first = callbacks.wait('s1', leave.signal);
    callbacks.handleUri(back('state=s1&code=c1'));
    await first;
    const next = callbacks.wait('s1', new AbortController().signal);
    leave.abort();
    callbacks.handleUri(back('state=s1&code=c2'));
    assert.equal((await next).get('code'), 'c2');
  });

  it('that is left before the editor says that the page is open fails once, and where it is waited for', async () => {
    const unhandled: unknown[] = [];
    const note = (thrown: unknown) => void unhandled.push(thrown);
    process.on('unhandledRejection', note);
    const leave = new AbortController();
    let opened: () => void = () => undefined;
    const open = () => new Promise<void>((resolve) => void (opened = resolve));
    const trip = browserTrip(begun, new Callbacks(), open, leave.signal);
    leave.abort(new Error('left'));
    for (let n = 0; n < 4; n += 1) await new Promise((resolve) => void setImmediate(resolve));
    opened();
    await assert.rejects(trip, { message: 'left' });
    process.off('unhandledRejection', note);
    assert.deepEqual(unhandled, []);
  });
});
