import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { PendingRequest } from '../../../../src/client/attention.ts';
import { nextSession } from '../../../../src/requests/nextSession.ts';

const pending = ['a', 'b', 'b', 'c'].map((resource) => ({ session: { resource } }) as unknown as PendingRequest);
const cases = [
  { active: undefined, next: 'a' },
  { active: 'elsewhere', next: 'a' },
  { active: 'a', next: 'b' },
  { active: 'b', next: 'c' },
  { active: 'c', next: 'a' },
];

describe('the next session that needs a person', () => {
  for (const { active, next } of cases)
    it(`after ${active ?? 'no session'} is ${next}`, () => {
      assert.equal(nextSession(pending, active), next);
    });

  it('is the same one where no other waits, and none where nothing does', () => {
    assert.equal(nextSession(pending.slice(0, 1), 'a'), 'a');
    assert.equal(nextSession([], 'a'), undefined);
  });
});
