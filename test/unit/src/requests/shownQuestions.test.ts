import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { ShownQuestions } from '../../../../src/requests/shownQuestions.ts';

describe('notifications of questions for access', () => {
  let log: string[];
  let shown: ShownQuestions<{ id: string }>;
  beforeEach(() => {
    log = [];
    shown = new ShownQuestions(({ id }) => {
      log.push(`open ${id}`);
      return () => void log.push(`close ${id}`);
    });
  });
  const show = (...ids: string[]) => shown.show(ids.map((id) => ({ id })));

  it('open once each, and close when the question is open no more', () => {
    show('a');
    show('a', 'b');
    show('b');
    show();
    assert.deepEqual(log, ['open a', 'open b', 'close a', 'close b']);
  });

  it('come not again after a person put one off, whatever other questions come and go', () => {
    show('a', 'b');
    shown.putOff('a');
    show('a', 'b', 'c');
    show('a');
    assert.deepEqual(log, ['open a', 'open b', 'open c', 'close b', 'close c']);
  });

  it('come again where a question that was put off went, and is asked anew', () => {
    show('a');
    shown.putOff('a');
    show();
    shown.putOff('a');
    show('a');
    assert.deepEqual(log, ['open a', 'open a']);
  });
});
