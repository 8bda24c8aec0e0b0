import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { PageStore } from '../../../../../media/chat/store.ts';
import { lastTurns, toPatch } from '../../../../../src/webviews/chat/chatPatch.ts';
import type { ChatHead, ChatModel, Row } from '../../../../../src/webviews/contract/chatModel.ts';

const head = (title: string): ChatHead => ({
  phase: 'ready',
  title,
  hasOlder: false,
  composer: {
    draft: '',
    pickers: [],
    hasOptions: false,
    attachments: [],
    hasSelection: false,
    unsavedFiles: 0,
    canSteer: false,
  },
  queue: [],
  isPaused: false,
  banners: [],
  settings: { showReasoning: false },
  restore: {},
});
const text = (id: string, words: string): Row => ({ kind: 'markdown', id, turnId: 't', text: words });
const model = (rows: readonly Row[], title = 'a'): ChatModel => ({ head: head(title), rows });

/** What may happen to rows: text grows, a row is replaced, rows come at either end or go, the order changes. */
type Step =
  | { readonly kind: 'grow' | 'replace'; readonly at: number; readonly text: string }
  | { readonly kind: 'append' | 'prepend'; readonly text: string }
  | { readonly kind: 'remove' | 'raise'; readonly at: number }
  | { readonly kind: 'title'; readonly text: string };
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('grow' as const, 'replace' as const), at: fc.nat(20), text: fc.string() }),
  fc.record({ kind: fc.constantFrom('append' as const, 'prepend' as const), text: fc.string() }),
  fc.record({ kind: fc.constantFrom('remove' as const, 'raise' as const), at: fc.nat(20) }),
  fc.record({ kind: fc.constant('title' as const), text: fc.string() }),
);

function take(before: ChatModel, step: Step, id: string): ChatModel {
  const rows = [...before.rows];
  const at = 'at' in step && rows.length > 0 ? step.at % rows.length : 0;
  const row = rows[at];
  switch (step.kind) {
    case 'append':
      return { ...before, rows: [...rows, text(id, step.text)] };
    case 'prepend':
      return { ...before, rows: [text(id, step.text), ...rows] };
    case 'title':
      return { ...before, head: head(step.text) };
    case 'remove':
      return { ...before, rows: rows.filter((it) => it !== row) };
    case 'raise':
      return { ...before, rows: row ? [row, ...rows.filter((it) => it !== row)] : rows };
    default:
      if (row?.kind === 'markdown') rows[at] = { ...row, text: (step.kind === 'grow' ? row.text : '') + step.text };
      return { ...before, rows };
  }
}

describe('patches of the chat page', () => {
  it('bring the page to exactly what the whole model says, whatever happened in between', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyStep, { maxLength: 6 }), { maxLength: 20 }), (frames) => {
        const page = new PageStore();
        let sent = model([text('start', 'Hello')]);
        let seq = 1;
        page.apply({ type: 'model', seq, model: sent });
        let count = 0;
        for (const steps of frames) {
          const next = steps.reduce((it, step) => take(it, step, `row${count++}`), sent);
          const patch = toPatch(sent, next);
          sent = next;
          if (!patch) continue;
          seq++;
          assert.ok(page.apply({ type: 'patch', seq, ...structuredClone(patch) }), 'the page took the patch');
          assert.deepEqual({ head: page.head, rows: page.order.map((id) => page.row(id)) }, next);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('carry only what a streaming text gained', () => {
    const before = model([text('a', 'Hello'), text('b', 'x'.repeat(100_000))]);
    const after = model([before.rows[0]!, text('b', `${'x'.repeat(100_000)} world`)]);
    assert.deepEqual(toPatch(before, after), { texts: [{ partId: 'b', offset: 100_000, text: ' world' }] });
  });

  it('are none when nothing differs', () => {
    const before = model([text('a', 'Hello')]);
    assert.equal(toPatch(before, { head: head('a'), rows: before.rows }), undefined);
  });

  for (const { says, patch } of [
    { says: 'that skips a number', patch: { type: 'patch', seq: 3 } as const },
    {
      says: 'whose text does not continue what the page holds',
      patch: { type: 'patch', seq: 2, texts: [{ partId: 'a', offset: 4, text: '!' }] } as const,
    },
    {
      says: 'for a text that the page does not have',
      patch: { type: 'patch', seq: 2, texts: [{ partId: 'z', offset: 0, text: '!' }] } as const,
    },
  ]) {
    it(`${says} is refused and changes nothing`, () => {
      const page = new PageStore();
      page.apply({ type: 'model', seq: 1, model: model([text('a', 'Hello')]) });
      assert.equal(page.apply(patch), undefined);
      assert.deepEqual(page.row('a'), text('a', 'Hello'));
      assert.ok(page.apply({ type: 'patch', seq: 2 }), 'the next right one is taken');
    });
  }
});

describe('the turns that a chat page shows first', () => {
  const rows = Array.from({ length: 60 }, (_, n): Row => {
    const turnId = `t${Math.floor(n / 2)}`;
    return { kind: 'markdown', id: `r${n}`, turnId, text: 'x'.repeat(1_000) };
  });

  it('are whole, and fill a window', () => {
    const shown = lastTurns(model(rows)).rows;
    assert.equal(shown.length, 12);
    assert.deepEqual(shown, rows.slice(-12));
    assert.notEqual(rows.at(-13)!.turnId, shown[0]!.turnId);
  });

  it('include a last turn that is longer than a window', () => {
    const long = rows.map((it, n) => (n === 59 ? { ...it, text: 'x'.repeat(50_000) } : it) as Row);
    assert.deepEqual(lastTurns(model(long)).rows, long.slice(-2));
  });

  it('are all turns of a short chat, and of a chat in which the page looks for a turn', () => {
    assert.deepEqual(lastTurns(model(rows.slice(-6))).rows, rows.slice(-6));
    const looking = { rows, head: { ...head('a'), wanted: 't0' } };
    assert.equal(lastTurns(looking).rows.length, rows.length);
  });

  it('become the whole chat with one patch', () => {
    const [first, whole] = [lastTurns(model(rows)), model(rows)];
    const store = new PageStore();
    store.apply({ type: 'model', seq: 1, model: first });
    store.apply({ type: 'patch', seq: 2, ...toPatch(first, whole)! });
    assert.deepEqual(
      store.order.map((id) => store.row(id)),
      rows,
    );
  });
});
