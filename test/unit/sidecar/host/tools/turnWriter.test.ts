import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { EffectDeps } from '../../../../../sidecar/host/context/effectDeps.ts';
import { TurnWriter } from '../../../../../sidecar/host/tools/turnWriter.ts';
import type { ChatAction } from '../../../../../sidecar/protocol/channels/chat/actions.ts';
import { reduceChat } from '../../../../../sidecar/protocol/channels/chat/reducer.ts';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import { emptyChat } from '../../../../support/protocol/arbitraryActions.ts';

const CHAT = emptyChat.resource;
const now = '2026-02-02T00:00:00Z';
const started = (toolCallId: string) =>
  ({ kind: 'toolStarted', toolCallId, toolName: 'shell', displayName: 'Run' }) as const;
const facts = (toolCallId: string) =>
  ({ toolCallId, kind: 'shell', invocationMessage: 'Run it', toolInput: 'make', paths: [] }) as const;
const ended = (toolCallId: string) =>
  ({ kind: 'toolEnded', toolCallId, success: true, pastTenseMessage: 'Ran it' }) as const;

/** What actions of these tests hold besides their type. */
interface Said {
  readonly partId?: string;
  readonly toolCallId?: string;
  readonly content?: string | readonly { readonly text?: string }[];
  readonly activity?: string;
}

describe('what an agent does, as it is written into its turn', () => {
  let chat: ChatState;
  let actions: string[];
  /** What waits for its time. */
  let due: Map<object, () => void>;
  let writer: TurnWriter;
  let nowMs: number;
  beforeEach(() => {
    nowMs = 1_000;
    chat = { ...emptyChat };
    actions = [];
    due = new Map();
    const commit = (_uri: string, action: ChatAction) => {
      chat = reduceChat(chat, action, { now });
      const { partId, toolCallId, content, activity } = action as unknown as Said;
      const said = typeof content === 'string' ? `“${content}”` : content?.[0]?.text;
      const words = [partId ?? toolCallId, said ?? activity].filter((it) => it !== undefined);
      actions.push([action.type.slice('chat/'.length), ...words].join(' '));
    };
    const deps = {
      store: { state: () => chat, commit, metadata: () => undefined },
      secrets: {
        within: <T>(it: T): T => JSON.parse(JSON.stringify(it).replaceAll('token', '***')) as T,
        text: (it: string) => it.replaceAll('token', '***'),
        openEnd: (it: string) => (/(?:t|to|tok|toke)$/.exec(it)?.[0] ?? '').length,
      },
      clock: { nowMs: () => nowMs },
      latencyMs: () => 10,
      timers: {
        after: (_ms: number, work: () => void) => {
          const entry = {};
          due.set(entry, work);
          return () => void due.delete(entry);
        },
      },
    };
    commit(CHAT, {
      type: 'chat/turnStarted',
      turnId: 't',
      startedAt: now,
      message: { text: '', origin: { kind: 'user' } },
    });
    actions.length = 0;
    writer = new TurnWriter(deps as unknown as EffectDeps, CHAT, 't');
  });
  const pass = () => {
    for (const [entry, work] of [...due]) if (due.delete(entry)) work();
  };
  const end = () => writer.commit({ type: 'chat/turnComplete', turnId: 't', duration: 1 });

  it('has text before what comes after it, and each part introduced once', () => {
    writer.text('text', 'a', 'one ');
    writer.text('text', 'a', 'two');
    writer.toolStarted(started('k'));
    writer.text('text', 'a', '!');
    writer.text('reasoning', 'a', 'hm');
    writer.text('text', 'a', '');
    writer.flush();
    assert.deepEqual(actions, [
      'responsePart',
      'delta a “one two”',
      'toolCallStart k',
      'delta a “!”',
      'responsePart',
      'reasoning a “hm”',
      'reasoning a “”',
    ]);
  });

  it('1b-3 says of reasoning how long it took, once something else comes', () => {
    writer.text('reasoning', 'r', 'so ');
    nowMs += 4_000;
    pass();
    const reasoning = () => chat.activeTurn?.responseParts[0];
    assert.deepEqual(reasoning(), { kind: 'reasoning', id: 'r', content: 'so ' });
    writer.text('text', 'a', 'It is');
    assert.deepEqual(reasoning(), { kind: 'reasoning', id: 'r', content: 'so ', _meta: { durationMs: 4_000 } });
  });

  it('1b-3 counts reasoning from its beginning, also when something came in between', () => {
    writer.text('reasoning', 'r', 'so ');
    nowMs += 1_000;
    writer.usage({ kind: 'usage', inputTokens: 1 });
    nowMs += 2_000;
    writer.text('reasoning', 'r', 'then');
    writer.flush();
    const [part] = chat.activeTurn?.responseParts ?? [];
    assert.deepEqual(part, { kind: 'reasoning', id: 'r', content: 'so then', _meta: { durationMs: 3_000 } });
  });

  it('1b-4 says of a call how long it ran, without the time that a person took to allow it', () => {
    const meta = { toolKind: 'shell' };
    writer.toolStarted(started('k'));
    writer.toolAsks(facts('k'), { options: [] }, meta);
    nowMs += 60_000;
    chat = reduceChat(
      chat,
      { type: 'chat/toolCallConfirmed', turnId: 't', toolCallId: 'k', approved: true, confirmed: 'user-action' },
      { now },
    );
    writer.toolBegins('k');
    nowMs += 1_500;
    writer.toolEnded(ended('k'), []);
    const [part] = chat.activeTurn?.responseParts ?? [];
    assert.deepEqual(part?.kind === 'toolCall' && part.toolCall._meta, { ...meta, durationMs: 1_500 });
  });

  it('1b-6 keeps the call on whose behalf another is made, whatever else it learns of it', () => {
    writer.toolStarted({ ...started('k'), parentToolCallId: 'task' });
    writer.toolRuns(facts('k'), 'setting', { toolKind: 'shell' });
    nowMs += 5;
    writer.toolEnded(ended('k'), []);
    const [part] = chat.activeTurn?.responseParts ?? [];
    const expected = { toolKind: 'shell', parentToolCallId: 'task', durationMs: 5 };
    assert.deepEqual(part?.kind === 'toolCall' && part.toolCall._meta, expected);
  });

  for (const { what, goOn } of [
    { what: 'another part', goOn: () => writer.text('text', 'b', 'x') },
    { what: 'something else', goOn: () => writer.notice('x') },
    { what: 'the end', goOn: () => writer.flush() },
  ])
    it(`has the beginning of a secret that was none, before ${what}, in the part that it is of`, () => {
      writer.text('text', 'a', 'my to');
      pass();
      assert.deepEqual(actions.slice(1), ['delta a “my ”']);
      goOn();
      writer.flush();
      assert.equal(actions[2], 'delta a “to”');
      assert.equal(actions.filter((it) => it.includes('“to”')).length, 1);
    });

  it('has no secret, also one that comes in pieces', () => {
    writer.text('text', 'a', 'my to');
    pass();
    writer.text('text', 'a', 'ken is');
    writer.flush();
    writer.toolRuns({ ...facts('k'), toolInput: 'say token' }, 'setting', {});
    assert.deepEqual(actions.slice(1, 3), ['delta a “my ”', 'delta a “*** is”']);
    assert.ok(!JSON.stringify(chat).includes('token'));
  });

  it('shows the last of what a tool puts out while it runs, and nothing once it is over', () => {
    writer.toolContent('k', [{ kind: 'text', text: 'too early' }]);
    writer.toolStarted(started('k'));
    writer.toolStarted(started('k'));
    writer.toolContent('k', [{ kind: 'text', text: 'still too early' }]);
    assert.equal(due.size, 0);
    writer.toolRuns(facts('k'), 'setting', {});
    for (const text of ['one', 'two']) writer.toolContent('k', [{ kind: 'text', text }]);
    assert.equal(due.size, 1);
    pass();
    writer.toolContent('k', [{ kind: 'text', text: 'three' }]);
    pass();
    writer.toolContent('k', [{ kind: 'text', text: 'four' }]);
    writer.toolEnded(ended('k'), []);
    assert.equal(due.size, 0);
    writer.toolContent('k', [{ kind: 'text', text: 'five' }]);
    pass();
    assert.deepEqual(actions, [
      'toolCallStart k',
      'toolCallReady k',
      'toolCallContentChanged k two',
      'toolCallContentChanged k three',
      'toolCallComplete k',
    ]);
  });

  it('ends a call once, also one that never ran or waits for a sign-in, and none that nobody knows', () => {
    writer.toolEnded(ended('unknown'), []);
    writer.toolStarted(started('a'));
    writer.toolEnded(ended('a'), []);
    writer.toolEnded(ended('a'), []);
    writer.toolStarted(started('b'), { kind: 'mcp', customizationId: 'm' });
    writer.toolRuns(facts('b'), 'setting', {});
    const auth = { reason: 'required', resource: { resource: 'https://x' } };
    writer.commit({ type: 'chat/toolCallAuthRequired', turnId: 't', toolCallId: 'b', auth } as unknown as ChatAction);
    writer.toolEnded(ended('b'), []);
    assert.deepEqual(actions, [
      'toolCallStart a',
      'toolCallReady a',
      'toolCallComplete a',
      'toolCallStart b',
      'toolCallReady b',
      'toolCallAuthRequired b',
      'toolCallComplete b',
    ]);
  });

  it('names whom it waits for until all have answered, the last that is asked', async () => {
    const answer: (() => void)[] = [];
    const ask = (words: string) => writer.whileAsking(words, new Promise<void>((resolve) => void answer.push(resolve)));
    const all = ['approval', 'sign-in', 'answer'].map(ask);
    for (const at of [2, 0, 1]) {
      answer[at]?.();
      await all[at];
    }
    const shown = actions.map((it) => it.replace('activityChanged', '').trim());
    assert.deepEqual(shown, ['approval', 'sign-in', 'answer', 'sign-in', '']);
  });

  const grows = (input: string, title = 'Run') =>
    writer.toolInput({ kind: 'toolInput', toolCallId: 'k', input, title });

  it('has the input of a call as it grows, at most once in a while, and without what may be part of a secret', () => {
    writer.toolStarted(started('k'));
    grows('{"command":"ma');
    grows('{"command":"make to');
    pass();
    grows('{"command":"make token now', 'Run make');
    pass();
    const [call] = chat.activeTurn!.responseParts.flatMap((it) => (it.kind === 'toolCall' ? [it.toolCall] : []));
    assert.deepEqual(actions.slice(1), ['toolCallDelta k “{"command":"make ”', 'toolCallDelta k “*** now”']);
    assert.ok(call?.status === 'streaming');
    assert.deepEqual([call.partialInput, call.invocationMessage], ['{"command":"make *** now', 'Run make']);
  });

  it('has no input that does not continue the one before, or that comes when the call runs', () => {
    writer.toolStarted(started('k'));
    grows('{"a":"b');
    pass();
    grows('{"b":"c');
    pass();
    grows('{"a":"b","b":"c');
    writer.toolRuns(facts('k'), 'setting', {});
    pass();
    assert.deepEqual(actions.slice(1), ['toolCallDelta k “{"a":"b”', 'toolCallReady k']);
  });

  it('has nothing that comes after its end', () => {
    writer.toolRuns(facts('k'), 'setting', {});
    writer.toolContent('k', [{ kind: 'text', text: 'late' }]);
    writer.text('text', 'a', 'my to');
    pass();
    end();
    const before = [...actions];
    writer.text('text', 'a', 'ken');
    writer.notice('late');
    writer.toolEnded(ended('k'), []);
    pass();
    writer.flush();
    assert.deepEqual(actions, before);
    assert.equal(chat.turns.length, 1);
  });

  it('leaves nothing waiting when all is written that is there', () => {
    writer.toolRuns(facts('k'), 'setting', {});
    writer.toolContent('k', [{ kind: 'text', text: 'one' }]);
    writer.text('text', 'a', 'x');
    writer.flush();
    assert.equal(due.size, 0);
    writer.toolContent('k', [{ kind: 'text', text: 'two' }]);
    pass();
    assert.equal(actions.at(-1), 'toolCallContentChanged k two');
  });
});
