import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Typed } from '../../../../src/terminals/typed.ts';
import { verifies } from '../../../support/verifies.ts';

interface Seen {
  mayType: boolean | undefined;
  sent: string[];
  refused: number;
}

function open(mayType: boolean | undefined) {
  const state: Seen = { mayType, sent: [], refused: 0 };
  const typed = new Typed({
    mayType: () => state.mayType,
    send: (data) => void state.sent.push(data),
    refuse: () => {
      state.refused += 1;
    },
  });
  return { state, typed };
}

describe('what is typed into a terminal of the host', () => {
  it('waits in order until the state of the terminal came, and leaves once', () => {
    verifies('host.terminals.typed-early');
    const { state, typed } = open(undefined);
    typed.type('echo ');
    typed.release();
    typed.type('hi\r');
    assert.deepEqual([state.sent, state.refused], [[], 0]);
    state.mayType = true;
    typed.release();
    typed.release();
    assert.deepEqual(state.sent, ['echo hi\r']);
    typed.type('more');
    assert.deepEqual(state.sent, ['echo hi\r', 'more']);
    assert.equal(state.refused, 0);
  });

  it('is refused in words once it is known that somebody else types there, and not kept for later', () => {
    const { state, typed } = open(undefined);
    typed.type('early');
    state.mayType = false;
    typed.release();
    assert.equal(state.refused, 1);
    typed.type('a');
    typed.type('b');
    assert.equal(state.refused, 1);
    state.mayType = true;
    typed.release();
    assert.deepEqual(state.sent, []);
  });

  it('is refused in words again after the person held the terminal in between', () => {
    const { state, typed } = open(false);
    typed.type('a');
    state.mayType = true;
    typed.type('b');
    state.mayType = false;
    typed.type('c');
    assert.deepEqual(state, { mayType: false, sent: ['b'], refused: 2 });
  });
});
