import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionsInput } from '../../../../../src/views/sessions/nodes.ts';
import { ReadOnce } from '../../../../../src/views/sessions/readOnce.ts';
import { plainArrangement, summary, today } from '../../../../support/extensionStates.ts';

describe('what the rows of the Sessions view are made from', () => {
  it('is read once a change, however many rows there are', () => {
    let reads = 0;
    let title = 'Before';
    const read = (): SessionsInput => {
      reads += 1;
      return {
        sessions: Array.from({ length: 200 }, (_, i) => summary({ resource: `host-session:/${String(i)}`, title })),
        hasMore: false,
        isLoaded: true,
        hasFolder: true,
        notices: [],
        terminals: [],
        clientId: 'c1',
        agents: [],
        arrangement: plainArrangement,
        nowMs: Date.parse(today(10)),
      };
    };
    const shown = new ReadOnce(read);
    for (let row = 0; row < 200; row += 1) assert.equal(shown.input.sessions[row]?.title, 'Before');
    assert.equal(reads, 1);
    title = 'After';
    shown.forget();
    assert.equal(shown.input.sessions[7]?.title, 'After');
    assert.equal(reads, 2);
  });
});
