import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import {
  type EndedSessions,
  type Session,
  Sessions,
  upstreamOf,
} from '../../../../../../sidecar/gateway/mcp/session/sessions.ts';
import { createSealer } from '../../../../../../sidecar/platform/seal.ts';
import { later } from '../../../../../support/later.ts';

const params = { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: { name: 'c', version: '1' } };
const minute = 60_000;
const day = 24 * 60 * minute;

describe('sealed text', () => {
  const sealer = createSealer(new Uint8Array(32).fill(1));

  it('opens for its subject and its key alone', () => {
    const sealed = sealer.seal({ a: 'ü' }, 'me');
    assert.deepEqual(sealer.open(sealed, 'me'), { a: 'ü' });
    assert.equal(sealer.open(sealed, 'you'), undefined);
    assert.equal(createSealer(new Uint8Array(32).fill(2)).open(sealed, 'me'), undefined);
  });

  it('opens no longer once a byte of it changed', () => {
    const bytes = Buffer.from(sealer.seal('secret', 'me'), 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.equal(sealer.open(changed.toString('base64url'), 'me'), undefined, `byte ${at}`);
    }
    for (const text of ['', 'x', 'A'.repeat(100)]) assert.equal(sealer.open(text, 'me'), undefined);
  });

  it('is different each time, and says nothing of what is in it', () => {
    assert.notEqual(sealer.seal('x', 'me'), sealer.seal('x', 'me'));
    assert.ok(!Buffer.from(sealer.seal('secret', 'me'), 'base64url').includes('secret'));
  });

  it('needs a key of 32 bytes', () => assert.throws(() => createSealer(new Uint8Array(16)), RangeError));
});

describe('sessions', () => {
  let ended: string[];
  let nowMs: number;
  let ids: number;
  const sealer = createSealer(new Uint8Array(32).fill(1));
  const clock = { now: () => new Date(nowMs).toISOString(), nowMs: () => nowMs, monotonicMs: () => nowMs };

  const open = (more: { ended?: EndedSessions; maxPerCaller?: number } = {}) =>
    new Sessions({
      sealer,
      clock,
      newId: () => `session-${(ids += 1)}`,
      idleMs: 30 * minute,
      maxPerCaller: 3,
      onEnd: (it) => ended.push(it.id),
      onCut: () => assert.fail('no connection broke'),
      ...more,
    });
  function start(sessions: Sessions, caller = 'me', address = 'all'): Session {
    const session = sessions.start(caller, address, params);
    sessions.seal(session);
    return session;
  }
  const endedWith = (more: Partial<EndedSessions>): EndedSessions => ({
    hasOthers: true,
    add: async () => undefined,
    has: async () => false,
    listen: () => undefined,
    ...more,
  });
  beforeEach(() => {
    ended = [];
    nowMs = Date.UTC(2026, 0, 1);
    ids = 0;
  });

  it('are found by their id, for the caller and the address they were opened with', async () => {
    const sessions = open();
    const session = start(sessions);
    assert.equal(await sessions.find(session.token, 'me', 'all'), session);
    assert.equal(await sessions.find(session.token, 'you', 'all'), undefined);
    assert.equal(await sessions.find(session.token, 'me', 'server/a'), undefined);
  });

  it('are found by a process that never saw them, with what their client said', async () => {
    const first = open();
    const session = first.start('me', 'server/a', params);
    first.seal(session, { server_id: 'a', sessionId: 'theirs', protocolVersion: '2025-06-18' });
    const found = await open().find(session.token, 'me', 'server/a');
    assert.deepEqual(found?.params, params);
    assert.deepEqual(found?.upstream, { server_id: 'a', sessionId: 'theirs', protocolVersion: '2025-06-18' });
    assert.equal(found?.id, session.id);
  });

  it('are the same one for two requests at once after a restart', async () => {
    const session = start(open());
    const after = open();
    const [a, b] = await Promise.all([1, 2].map(async () => after.find(session.token, 'me', 'all')));
    assert.ok(a);
    assert.equal(a, b);
    assert.equal(after.count, 1);
  });

  it('end once, and take what is under way along', async () => {
    const sessions = open();
    const session = start(sessions);
    const call = new AbortController();
    session.inflight.set('1', call);
    await sessions.end(session);
    await sessions.end(session);
    assert.deepEqual(ended, ['session-1']);
    assert.equal(call.signal.aborted, true);
    assert.equal(await sessions.find(session.token, 'me', 'all'), undefined);
  });

  it('end when they were idle for half an hour, unless somebody listens or waits', async () => {
    const sessions = open();
    const [idle, listening, waiting] = [start(sessions), start(sessions), start(sessions)];
    listening?.listeners.add({ onConnected: () => undefined, send: () => undefined, end: () => undefined });
    waiting?.inflight.set('1', new AbortController());
    nowMs += 30 * minute;
    sessions.sweep();
    assert.deepEqual(ended, []);
    nowMs += 1;
    sessions.sweep();
    assert.deepEqual(ended, [idle?.id]);
    assert.equal(await sessions.find(idle?.token ?? '', 'me', 'all'), undefined);
  });

  it('are kept alive by their use', async () => {
    const sessions = open();
    const session = start(sessions);
    for (let n = 0; n < 3; n += 1) {
      nowMs += 29 * minute;
      await sessions.find(session.token, 'me', 'all');
      sessions.sweep();
    }
    assert.deepEqual(ended, []);
  });

  it('are good for a day at most, for a process that never saw them', async () => {
    const session = start(open());
    nowMs += day;
    assert.ok(await open().find(session.token, 'me', 'all'));
    nowMs += 1;
    assert.equal(await open().find(session.token, 'me', 'all'), undefined);
  });

  it('of one caller make room for a new one, the longest idle first', () => {
    const sessions = open();
    const made = [1, 2, 3].map(() => {
      nowMs += 1;
      return start(sessions);
    });
    start(sessions, 'you');
    assert.deepEqual(ended, []);
    start(sessions);
    assert.deepEqual(ended, [made[0]?.id]);
  });

  /** What replicas share, and how many asked it. */
  function sharedEnds() {
    const known = new Set<string>();
    const told: ((id: string) => void)[] = [];
    const asked: string[] = [];
    const at = (): EndedSessions => ({
      hasOthers: true,
      add: async (id) => {
        known.add(id);
        for (const it of told) it(id);
      },
      has: async (id) => {
        asked.push(id);
        return known.has(id);
      },
      listen: (ended) => void told.push(ended),
    });
    return { at, asked };
  }

  it('that ended at one replica are over at the others, whether those had them open or not', async () => {
    const shared = sharedEnds();
    const [first, second, third] = [1, 2, 3].map(() => open({ ended: shared.at() }));
    assert.ok(first && second && third);
    const session = start(first);
    assert.ok(await second.find(session.token, 'me', 'all'));
    await first.end(session);
    for (const it of [first, second, third]) assert.equal(await it.find(session.token, 'me', 'all'), undefined);
    assert.equal(second.count, 0);
  });

  it('that are idle here go on where others use them, and here when they come back', async () => {
    const shared = sharedEnds();
    const [first, second] = [1, 2].map(() => open({ ended: shared.at() }));
    assert.ok(first && second);
    const session = start(first);
    nowMs += 30 * minute + 1;
    first.sweep();
    assert.equal(first.count, 0);
    assert.ok(await second.find(session.token, 'me', 'all'));
    assert.ok(await first.find(session.token, 'me', 'all'));
  });

  it('ask what others ended once, and not with every call', async () => {
    const shared = sharedEnds();
    const session = start(open({ ended: shared.at() }));
    const second = open({ ended: shared.at() });
    for (let n = 0; n < 5; n += 1) await second.find(session.token, 'me', 'all');
    assert.deepEqual(shared.asked, [session.id]);
  });

  it('make room for one that comes back, the one that was used least of late first', async () => {
    const before = open();
    const back = start(before);
    const sessions = open();
    const made = [1, 2, 3].map(() => {
      nowMs += 1;
      return start(sessions);
    });
    nowMs += 1;
    await sessions.find(made[0]?.token ?? '', 'me', 'all');
    assert.ok(await sessions.find(back.token, 'me', 'all'));
    assert.deepEqual([ended, sessions.count], [[made[1]?.id], 3]);
    assert.equal(await sessions.find(made[1]?.token ?? '', 'me', 'all'), undefined);
  });

  it('end with their streams, each once', async () => {
    const sessions = open();
    const session = start(sessions);
    let ends = 0;
    const listener = () => ({ onConnected: () => undefined, send: () => undefined, end: () => void (ends += 1) });
    for (const it of [listener(), listener()]) session.listeners.add(it);
    assert.equal(sessions.drop(session), true);
    assert.equal(sessions.drop(session), false);
    assert.deepEqual([ends, ended], [2, [session.id]]);
  });

  it('are over here at once, and whoever ends one learns where the others cannot be notified', async () => {
    const noted = later<void>();
    const until: number[] = [];
    const shared: EndedSessions = {
      hasOthers: true,
      add: (_id, untilMs) => {
        until.push(untilMs);
        return noted.promise;
      },
      has: async () => true,
      listen: () => undefined,
    };
    const sessions = open({ ended: shared });
    const ending = sessions.end(start(sessions));
    assert.equal(sessions.count, 0);
    noted.reject(new Error('away'));
    await assert.rejects(ending, /away/);
    assert.deepEqual(until, [nowMs + day]);
  });

  it('that were dropped are found by their id again, as other ones', async () => {
    const sessions = open();
    const session = start(sessions);
    sessions.drop(session, true);
    const again = await sessions.find(session.token, 'me', 'all');
    assert.ok(again && again !== session);
    assert.equal(sessions.count, 1);
    assert.equal(await sessions.find(session.token, 'me', 'all'), again);
  });

  it('that others ended are not asked about again', async () => {
    const shared = sharedEnds();
    const [first, second] = [1, 2].map(() => open({ ended: shared.at() }));
    assert.ok(first && second);
    const session = start(first);
    await first.end(session);
    for (const it of [first, second]) assert.equal(await it.find(session.token, 'me', 'all'), undefined);
    assert.deepEqual(shared.asked, []);
  });

  it('remember the session of a server, where it has one', () => {
    const hello = { protocolVersion: '2025-06-18', capabilities: {} };
    const known = { server_id: 'a', protocolVersion: '2025-06-18' };
    assert.deepEqual(upstreamOf('a', hello as never, 'theirs'), { ...known, sessionId: 'theirs' });
    assert.deepEqual(upstreamOf('a', hello as never, undefined), known);
  });

  it('that end at another replica while this one asks for them are not opened', async () => {
    const asked = later<boolean>();
    let notify: (id: string) => void = () => undefined;
    const slow = endedWith({ has: () => asked.promise, listen: (it) => void (notify = it) });
    const session = start(open());
    const other = open({ ended: slow });
    const found = other.find(session.token, 'me', 'all');
    notify(session.id);
    asked.resolve(false);
    assert.equal(await found, undefined);
    assert.equal(other.count, 0);
  });

  it('stay ended after their end is recorded, even if a call reopened them in the meantime', async () => {
    const noted = later<void>();
    const sessions = open({ ended: endedWith({ add: () => noted.promise }) });
    const session = start(sessions);
    const end = sessions.end(session);
    assert.ok(await sessions.find(session.token, 'me', 'all'), 'its end is not recorded yet');
    noted.resolve();
    await end;
    assert.equal(await sessions.find(session.token, 'me', 'all'), undefined);
    assert.equal(sessions.count, 0);
  });

  it('are not reported as ended if two requests end them at once and neither end can be recorded', async () => {
    const noted = later<void>();
    const sessions = open({ ended: endedWith({ add: () => noted.promise }) });
    const session = start(sessions);
    const ends = [sessions.end(session), sessions.end(session)];
    noted.reject(new Error('away'));
    for (const it of ends) await assert.rejects(it, /away/);
  });

  it('have ids that fit into a header, whatever a client says', () => {
    const sessions = open();
    const capabilities = { experimental: { x: 'y'.repeat(100_000) } };
    const clientInfo = { name: 'n'.repeat(10_000), version: 'v'.repeat(10_000) };
    const session = sessions.start('me', 'all', { ...params, capabilities, clientInfo });
    sessions.seal(session);
    assert.ok(session.token.length < 8_000);
    assert.match(session.token, /^[\w-]+$/);
  });
});
