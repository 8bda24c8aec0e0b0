import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionSummary } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { status } from '../../../../sidecar/protocol/status.ts';
import { Newsreader } from '../../../../src/notifications/news.ts';

const at = (value: number, resource = 'ahp-session:/one') =>
  ({ resource, title: 'One', status: value }) as unknown as SessionSummary;
const { Idle, Error: Failed, InProgress, InputNeeded, IsRead, IsArchived } = status;

const cases = [
  { was: InProgress, is: Idle, kind: 'finished' },
  { was: InputNeeded, is: Idle | IsRead, kind: 'finished' },
  { was: InProgress, is: Failed, kind: 'failed' },
  { was: InProgress, is: InputNeeded, kind: 'needsInput' },
  { was: Idle, is: InputNeeded, kind: 'needsInput' },
  { was: InputNeeded, is: InProgress, kind: undefined },
  { was: Idle, is: InProgress, kind: undefined },
  { was: Idle, is: Idle | IsRead, kind: undefined },
  { was: Idle, is: Failed, kind: undefined },
  { was: InProgress, is: Idle | IsArchived, kind: undefined },
];

describe('news of sessions', () => {
  for (const { was, is, kind } of cases)
    it(`a session that goes from ${was} to ${is} is ${kind ?? 'no news'}`, () => {
      const reader = new Newsreader();
      reader.read([at(was)]);
      assert.deepEqual(
        reader.read([at(is)]).map((it) => it.kind),
        kind ? [kind] : [],
      );
      assert.deepEqual(reader.read([at(is)]), [], 'the same is told once');
    });

  it('a change of one session is told once, beside the list, and a session that left the list is new when it is back', () => {
    const reader = new Newsreader();
    reader.read([at(InProgress), at(Idle, 'ahp-session:/two')]);
    assert.deepEqual(
      reader.readOne(at(Idle)).map((it) => it.kind),
      ['finished'],
    );
    assert.deepEqual(reader.read([at(Idle)]), []);
    assert.deepEqual(reader.readOne(at(InputNeeded, 'ahp-session:/two')), []);
  });

  it('a session that is seen for the first time is no news, whatever it waits for', () => {
    const reader = new Newsreader();
    assert.deepEqual(reader.read([at(InputNeeded)]), []);
    assert.deepEqual(reader.read([at(InputNeeded), at(InputNeeded, 'ahp-session:/two')]), []);
  });
});
