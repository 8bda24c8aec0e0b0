import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { EffectDeps } from '../../../../../sidecar/host/context/effectDeps.ts';
import { SummaryNotices } from '../../../../../sidecar/host/sessions/summaryNotices.ts';
import type { Written } from '../../../../../sidecar/host/state/store.ts';
import { emptySession } from '../../../../support/protocol/arbitraryActions.ts';

const SESSION = 'host-session:/s';
const CHAT = 'host-chat:/c';

describe('the notices of the list of sessions', () => {
  let sessions: Map<string, { state: object; metadata: { listed?: boolean } }>;
  let sent: string[];
  let due: (() => void)[];
  let listed: number;
  let notices: SummaryNotices;
  beforeEach(() => {
    [sessions, sent, due, listed] = [new Map(), [], [], 0];
    const deps = {
      store: {
        metadata: (uri: string) => (uri === CHAT ? { session: SESSION } : undefined),
        written: (uri: string) => sessions.get(uri),
      },
      notifyRoot: (method: string, params: { session?: string; changes?: object; summary?: { title: string } }) => {
        const what = params.changes ?? params.summary?.title ?? params.session;
        sent.push(`${method.slice('root/session'.length)} ${JSON.stringify(what)}`);
      },
      timers: { after: (_ms: number, work: () => void) => void due.push(work) },
    };
    notices = new SummaryNotices(deps as unknown as Pick<EffectDeps, 'store' | 'notifyRoot' | 'timers'>, () => {
      listed += 1;
    });
  });
  const have = (more: object = {}, isListed = true) =>
    sessions.set(SESSION, { state: { ...emptySession, ...more }, metadata: { listed: isListed } });
  const commit = (channel: string, type: string) =>
    notices.onCommitted({ envelope: { channel, action: { type } }, text: '' } as unknown as Written);
  const pass = () => {
    for (const work of due.splice(0)) work();
  };
  /** A session that entered the list under this title. */
  const enter = (title: string) => {
    have({ title }, false);
    commit(SESSION, 'session/ready');
    have({ title });
    commit(CHAT, 'chat/turnStarted');
    sent.length = 0;
  };

  it('tell of a session when it enters the list, and of none before', () => {
    have({ title: 'One' }, false);
    commit(SESSION, 'session/titleChanged');
    pass();
    assert.deepEqual([sent, listed], [[], 0]);
    have({ title: 'One' });
    commit(CHAT, 'chat/turnStarted');
    assert.deepEqual([sent, listed], [['Added "One"'], 1]);
    commit(CHAT, 'chat/turnStarted');
    pass();
    assert.deepEqual([sent.length, listed], [1, 1], 'and once, whatever begins in it later');
  });

  it('tell of a session that was loaded as it entered the list: with its first turn', () => {
    have({ title: 'One' });
    commit(CHAT, 'chat/turnStarted');
    assert.deepEqual([sent, listed], [['Added "One"'], 1]);
  });

  it('tell what changed since the last one, gathered into one, and nothing where it is as before', () => {
    enter('One');
    for (const title of ['Two', 'Three']) {
      have({ title });
      commit(SESSION, 'session/titleChanged');
    }
    assert.deepEqual([sent, due.length], [[], 1]);
    pass();
    assert.deepEqual(sent, ['SummaryChanged {"title":"Three"}']);
    commit(SESSION, 'session/titleChanged');
    pass();
    assert.equal(sent.length, 1);
    have({ title: 'Four' });
    commit(SESSION, 'session/titleChanged');
    pass();
    assert.equal(sent.at(-1), 'SummaryChanged {"title":"Four"}');
  });

  it('say of what is gone that it is none, as nothing would say that it stays', () => {
    enter('One');
    have({ title: 'One', activity: 'Thinks.' });
    commit(SESSION, 'session/activityChanged');
    pass();
    have({ title: 'One' });
    commit(SESSION, 'session/activityChanged');
    pass();
    assert.deepEqual(sent, ['SummaryChanged {"activity":"Thinks."}', 'SummaryChanged {"activity":null}']);
  });

  it('of a chat alone change nothing: what counts is committed to its session too', () => {
    enter('One');
    commit(CHAT, 'chat/delta');
    assert.equal(due.length, 0);
  });

  it('say nothing more of a session that is gone, whatever of it was still to be told', () => {
    enter('One');
    notices.changed(SESSION);
    sessions.delete(SESSION);
    notices.removed(SESSION);
    pass();
    assert.deepEqual(sent, [`Removed ${JSON.stringify(SESSION)}`]);
  });

  for (const { before, isListed } of [
    { before: 'was listed', isListed: true },
    { before: 'was never listed', isListed: false },
  ])
    it(`know nothing of a session under the name of one that ${before} and is gone`, () => {
      if (isListed) enter('One');
      else {
        have({ title: 'One' }, false);
        commit(SESSION, 'session/ready');
      }
      notices.removed(SESSION);
      sent.length = 0;
      have({ title: 'One' });
      commit(SESSION, 'session/titleChanged');
      pass();
      assert.match(sent.join(), /^SummaryChanged .*"title":"One"/, 'all of it is new');
    });
});
