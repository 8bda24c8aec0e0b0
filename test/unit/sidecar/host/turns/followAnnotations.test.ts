import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { EffectDeps } from '../../../../../sidecar/host/context/effectDeps.ts';
import { followAnnotations } from '../../../../../sidecar/host/turns/annotations.ts';
import type { Annotation, AnnotationsAction } from '../../../../../sidecar/protocol/channels/annotations/schema.ts';
import { annotationsUri, turnChangesetUri } from '../../../../../sidecar/protocol/uris.ts';

const session = 'host-session:/1';
const resource = 'file:///w/a.txt';
const lines = (line: number) => ({ start: { line, character: 0 }, end: { line, character: 0 } });
const remark = (more: Partial<Annotation> & { id: string }): Annotation => ({
  turnId: 'before',
  resource,
  resolved: false,
  range: lines(0),
  entries: [{ id: 'e', text: 'change this' }],
  _meta: { sentEntries: 1 },
  ...more,
});

describe('remarks at the end of a turn', () => {
  let annotations: Annotation[];
  let edited: readonly string[];
  let meanwhile: () => void;
  let committed: AnnotationsAction[];
  beforeEach(() => {
    [annotations, edited, meanwhile, committed] = [[], [resource], () => undefined, []];
  });
  const follow = () => {
    const deps = {
      store: {
        state: (kind: string, channel: string) => {
          if (kind === 'annotations') return channel === annotationsUri(session) ? { annotations } : undefined;
          const files = edited.map((uri) => ({ edit: { before: { uri }, after: { uri } } }));
          return channel === turnChangesetUri('1', 'now') ? { files } : undefined;
        },
        commit: (_channel: string, action: AnnotationsAction) => void committed.push(action),
      },
      changes: {
        async hunksOf() {
          meanwhile();
          return [{ beforeStart: 0, removed: ['old'], afterStart: 0, added: ['new'] }];
        },
      },
    } as unknown as Pick<EffectDeps, 'store' | 'changes'>;
    return followAnnotations(deps, session, 'now');
  };
  const resolved = () => committed.map((it) => (it.type === 'annotations/set' ? it.annotation.id : it.type));

  it('are resolved where the agent was told of them and changed their lines, and left alone otherwise', async () => {
    annotations = [
      remark({ id: 'told' }),
      remark({ id: 'of this turn', turnId: 'now' }),
      remark({ id: 'never sent', _meta: {} }),
      remark({ id: 'resolved before', resolved: true }),
      remark({ id: 'of another file', resource: 'file:///w/b.txt' }),
      remark({ id: 'on other lines', range: lines(4) }),
    ];
    await follow();
    assert.deepEqual(resolved(), ['told']);
    const [action] = committed;
    assert.ok(action?.type === 'annotations/set');
    assert.deepEqual(action.annotation._meta, { sentEntries: 1, resolvedByTurn: 'now' });
  });

  it('that a person changed or removed while the lines were compared stay as the person left them', async () => {
    annotations = [remark({ id: 'removed' }), remark({ id: 'changed' }), remark({ id: 'kept' })];
    meanwhile = () => {
      annotations = [remark({ id: 'changed', entries: [{ id: 'e', text: 'other words' }] }), annotations.at(-1)!];
      meanwhile = () => undefined;
    };
    await follow();
    assert.deepEqual(resolved(), ['kept']);
  });

  it('are not looked at where the turn changed no file', async () => {
    annotations = [remark({ id: 'told' })];
    edited = [];
    await follow();
    assert.deepEqual(committed, []);
  });
});
