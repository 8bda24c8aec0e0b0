import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { EffectDeps } from '../../../../../sidecar/host/context/effectDeps.ts';
import { checkAnnotation } from '../../../../../sidecar/host/turns/annotations.ts';
import type { Annotation, AnnotationsAction } from '../../../../../sidecar/protocol/channels/annotations/schema.ts';

const SESSION = 'host-session:/s';
const CHAT = 'host-chat:/c';
const entries = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `e${n}`, text: 'x' }));
const remark = (id: string, more: Partial<Annotation> = {}): Annotation => ({
  id,
  turnId: 'runs',
  resource: 'file:///a.ts',
  resolved: false,
  entries: entries(1),
  ...more,
});
const remarks = (count: number) => Array.from({ length: count }, (_, n) => remark(`a${n}`));

/** What a client hears of `action` in a session with these remarks, in whose chat one turn ended and one runs. */
function refused(there: readonly Annotation[], action: AnnotationsAction): string | undefined {
  const states: Readonly<Record<string, object>> = {
    [`annotations ${SESSION}/annotations`]: { annotations: there },
    [`session ${SESSION}`]: { chats: [{ resource: CHAT }] },
    [`chat ${CHAT}`]: { activeTurn: { id: 'runs' }, turns: [] },
  };
  const store = { state: (kind: string, uri: string) => states[`${kind} ${uri}`] };
  const storage = { chats: { numberOfTurn: (_chat: string, turnId: string) => (turnId === 'ended' ? 0 : undefined) } };
  return checkAnnotation({ store, storage } as unknown as Pick<EffectDeps, 'store' | 'storage'>, SESSION, action);
}

describe('the bounds of remarks', () => {
  const set = (annotation: Annotation): AnnotationsAction => ({ type: 'annotations/set', annotation });
  const say = (annotationId: string, id: string, text: string | { markdown: string } = 'x'): AnnotationsAction => ({
    type: 'annotations/entrySet',
    annotationId,
    entry: { id, text },
  });
  const long = 'x'.repeat(100_000);
  for (const { takes, there, action, but } of [
    {
      takes: 'a thousand of a session',
      there: remarks(999),
      action: set(remark('new')),
      but: { there: remarks(1_000), action: set(remark('new')), reason: /^too many annotations \(limit: 1000\)/ },
    },
    {
      takes: 'another text for one of a thousand, also for one that is resolved',
      there: remarks(1_000),
      action: set(remark('a7', { resolved: true })),
      but: { there: [], action: set(remark('a7', { resolved: true })), reason: /must be false for a new annotation/ },
    },
    {
      takes: 'two hundred entries at once',
      there: [],
      action: set(remark('new', { entries: entries(200) })),
      but: {
        there: [],
        action: set(remark('new', { entries: entries(201) })),
        reason: /entries: must have at most 200/,
      },
    },
    {
      takes: 'two hundred entries one by one',
      there: [remark('a', { entries: entries(199) })],
      action: say('a', 'new'),
      but: {
        there: [remark('a', { entries: entries(200) })],
        action: say('a', 'new'),
        reason: /^too many entries \(limit: 200\)/,
      },
    },
    {
      takes: 'another text for one of two hundred entries',
      there: [remark('a', { entries: entries(200) })],
      action: say('a', 'e7', 'said better'),
      but: {
        there: [remark('a')],
        action: say('a', 'e7', { markdown: ' \n' }),
        reason: /^entry.text: must not be empty/,
      },
    },
    {
      takes: 'a hundred thousand characters',
      there: [remark('a')],
      action: say('a', 'e0', { markdown: long }),
      but: {
        there: [remark('a')],
        action: say('a', 'e0', { markdown: `${long}x` }),
        reason: /at most 100000 characters/,
      },
    },
    {
      takes: 'entries with ids of their own',
      there: [],
      action: set(remark('new', { entries: entries(3) })),
      but: {
        there: [],
        action: set(remark('new', { entries: [...entries(1), ...entries(1)] })),
        reason: /entries.1.id: appears more than once/,
      },
    },
    {
      takes: 'the end of one entry of two',
      there: [remark('a', { entries: entries(2) })],
      action: { type: 'annotations/entryRemoved', annotationId: 'a', entryId: 'e0' },
      but: {
        there: [remark('a')],
        action: { type: 'annotations/entryRemoved', annotationId: 'a', entryId: 'e0' },
        reason: /the last entry cannot be removed/,
      },
    },
    {
      takes: 'the end of an entry that is not there, beside the last one',
      there: [remark('a')],
      action: { type: 'annotations/entryRemoved', annotationId: 'a', entryId: 'never' },
      but: {
        there: [remark('b'), remark('a')],
        action: { type: 'annotations/entryRemoved', annotationId: 'a', entryId: 'e0' },
        reason: /the last entry cannot be removed/,
      },
    },
    {
      takes: 'a turn that runs',
      there: [remark('a')],
      action: { type: 'annotations/updated', annotationId: 'a', turnId: 'runs' },
      but: {
        there: [remark('a')],
        action: { type: 'annotations/updated', annotationId: 'a', turnId: 'none' },
        reason: /^turnId: turn not found/,
      },
    },
    {
      takes: 'a turn that has ended',
      there: [],
      action: set(remark('new', { turnId: 'ended' })),
      but: {
        there: [],
        action: set(remark('new', { turnId: 'none' })),
        reason: /^annotation.turnId: turn not found/,
      },
    },
    {
      takes: 'what says nothing of its turn',
      there: [remark('a')],
      action: { type: 'annotations/updated', annotationId: 'a', resolved: true },
      but: {
        there: [remark('a')],
        action: { type: 'annotations/updated', annotationId: 'a', resolved: true, turnId: 'none' },
        reason: /^turnId: turn not found/,
      },
    },
  ] as {
    takes: string;
    there: Annotation[];
    action: AnnotationsAction;
    but: { there: Annotation[]; action: AnnotationsAction; reason: RegExp };
  }[])
    it(`take ${takes}, and not what is beyond`, () => {
      assert.equal(refused(there, action), undefined);
      assert.match(refused(but.there, but.action) ?? '', but.reason);
    });
});
