import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'mocha';
import { openUiSessions, UI_SESSION_MS } from '../../../../../sidecar/gateway/http/uiSession.ts';
import { createSealer } from '../../../../../sidecar/platform/seal.ts';

describe('the session of a browser', () => {
  const sealer = createSealer(randomBytes(32));
  const sessions = openUiSessions(sealer, true);
  const cookieOf = (line: string) => line.split(';')[0] ?? '';

  it('is read from its cookie, wherever that is among others, until its end', () => {
    const cookie = cookieOf(sessions.begin('hash', 1_000));
    for (const header of [cookie, `a=1; ${cookie}`, `a=1;${cookie};b=2`, `x${cookie}; ${cookie}`])
      assert.equal(sessions.read(header, 1_000 + UI_SESSION_MS - 1), 'hash', header);
    assert.equal(sessions.read(cookie, 1_000 + UI_SESSION_MS), undefined);
  });
  it('is none without a cookie of this gateway', () => {
    const foreign = openUiSessions(createSealer(randomBytes(32)), true).begin('hash', 0);
    const other = `switchboard_ui=${sealer.seal({ token: 'hash', until: 10 }, 'another subject')}`;
    const odd = `switchboard_ui=${sealer.seal({ token: 5, until: 10 }, 'ui session')}`;
    for (const header of [
      undefined,
      '',
      'a=1',
      'switchboard_ui=',
      cookieOf(foreign),
      other,
      odd,
      cookieOf(sessions.end),
    ])
      assert.equal(sessions.read(header, 0), undefined, header);
  });
  it('has a cookie that no script and no other site gets, and over HTTPS nobody who listens', () => {
    const flags = (line: string) => line.split('; ').slice(1).toSorted();
    const all = ['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Strict'];
    assert.deepEqual(flags(sessions.begin('hash', 0)), [...all, 'Secure']);
    assert.deepEqual(flags(openUiSessions(sealer, false).begin('hash', 0)), all);
    assert.deepEqual(flags(sessions.end), ['HttpOnly', 'Max-Age=0', 'Path=/', 'SameSite=Strict', 'Secure']);
  });
});
