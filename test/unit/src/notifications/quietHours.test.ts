import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isQuiet } from '../../../../src/notifications/quietHours.ts';

const cases = [
  { hours: '22:00-07:00', at: '21:59', quiet: false },
  { hours: '22:00-07:00', at: '22:00', quiet: true },
  { hours: '22:00-07:00', at: '00:00', quiet: true },
  { hours: '22:00-07:00', at: '06:59', quiet: true },
  { hours: '22:00-07:00', at: '07:00', quiet: false },
  { hours: '12:30-13:15', at: '12:30', quiet: true },
  { hours: '12:30-13:15', at: '13:15', quiet: false },
  { hours: '08:00-08:00', at: '08:00', quiet: false },
  { hours: '', at: '03:00', quiet: false },
];

describe('quiet hours', () => {
  for (const { hours, at, quiet } of cases)
    it(`of "${hours}" make ${at} ${quiet ? 'quiet' : 'not quiet'}`, () => {
      const [hour = 0, minute = 0] = at.split(':').map(Number);
      assert.equal(isQuiet(hours, { hour, minute }), quiet);
    });
});
