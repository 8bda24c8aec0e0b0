import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { AgentConnection } from '../../../../../sidecar/agents/acp/connection.ts';
import { LiveTurn } from '../../../../../sidecar/agents/acp/turn.ts';
import { EventQueue } from '../../../../../sidecar/agents/eventQueue.ts';
import type { TurnEvent, TurnHost } from '../../../../../sidecar/agents/provider.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';

const CANCEL_MS = 5_000;
const aMoment = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe('a turn of an agent that speaks ACP', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  /** An agent that answers its prompt when the test says so. */
  function open() {
    const sent: string[] = [];
    const asked: unknown[] = [];
    let answer: (result: unknown) => void = () => undefined;
    let closes = 0;
    const connection: AgentConnection = {
      request: (method) => {
        sent.push(method);
        return new Promise((resolve) => void (answer = resolve));
      },
      notify: async (method) => void sent.push(method),
      meta: undefined,
      modelsThrough: 'own',
      needless: [],
      ended: new Promise(() => {}),
      clean: (text) => text,
      lastWords: () => undefined,
      close: async () => void (closes += 1),
    };
    const abort = new AbortController();
    const host: Partial<TurnHost> = {
      async confirm(facts) {
        asked.push(facts);
        return { allow: true };
      },
    };
    const turn = new LiveTurn({
      agent: { id: 'a', displayName: 'A', command: 'a', args: [], env: [] },
      connection,
      sessionId: 's',
      cwd: '/ws',
      files: {} as never,
      abilities: { image: false, embeddedContext: false },
      authMethods: [],
      canSteer: false,
      timers: systemTimers,
      cancelMs: CANCEL_MS,
      request: { turnId: 't', text: 'go', attachments: [] },
      host: host as TurnHost,
      signal: abort.signal,
    });
    return { turn, abort, sent, asked, closes: () => closes, answer: (result: unknown) => answer(result) };
  }
  const permission = {
    sessionId: 's',
    toolCall: { sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'Edit', kind: 'edit' },
    options: [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }],
  } as never;

  it('asks nobody for a call when the turn was cancelled before the host had dealt with the call', async () => {
    const { turn, abort, asked, answer } = open();
    const events = turn.events();
    const first = events.next();
    const answered = turn.permission(permission);
    await first;
    abort.abort(); // the host has seen the call, and goes on only now
    const rest = (async () => {
      for await (const _ of events);
    })();
    assert.deepEqual(await answered, { outcome: { outcome: 'cancelled' } });
    assert.deepEqual(asked, []);
    answer({ stopReason: 'cancelled' });
    await rest;
  });

  for (const obeys of [true, false]) {
    it(`${obeys ? 'leaves an agent alone that obeyed a cancel' : 'ends an agent that does not obey a cancel'}`, async () => {
      const { turn, abort, sent, closes, answer } = open();
      const all = (async () => {
        for await (const _ of turn.events());
      })();
      await aMoment();
      abort.abort();
      await aMoment();
      assert.deepEqual(sent, ['session/prompt', 'session/cancel']);
      if (obeys) {
        answer({ stopReason: 'cancelled' });
        await all;
      }
      mock.timers.tick(CANCEL_MS);
      await all;
      assert.equal(closes(), obeys ? 0 : 1);
    });
  }
});

describe('the events of a turn', () => {
  it('are over with its end: late words of the agent are not part of it', async () => {
    const queue = new EventQueue();
    const notice = (markdown: string): TurnEvent => ({ kind: 'notice', markdown });
    queue.push(notice('in time'));
    queue.end();
    queue.push(notice('too late'));
    const seen: TurnEvent[] = [];
    for await (const it of queue.pull()) seen.push(it);
    assert.deepEqual(seen, [notice('in time')]);
  });

  it('keep nobody waiting who asks for their end after it', async () => {
    const queue = new EventQueue();
    queue.end();
    await queue.reached();
  });
});
