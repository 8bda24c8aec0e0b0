import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { chooseBackend, type TaggedBackend } from '../../../../../sidecar/gateway/backends/choose.ts';

const backends: readonly TaggedBackend[] = [
  { id: 'plain' },
  { id: 'eu', tags: ['eu'] },
  { id: 'eu-2', tags: ['eu', 'fast'] },
  { id: 'fallback', tags: ['default'] },
];

describe('of several backends registered for one name', () => {
  const rows: readonly [
    says: string,
    tags: string[],
    down: string[],
    busy: Record<string, number>,
    wanted: string | undefined,
  ][] = [
    ['one that shares a tag answers', ['fast'], [], {}, 'eu-2'],
    ['the first registered of those', ['eu'], [], {}, 'eu'],
    ['the less busy of those', ['eu'], [], { eu: 2, 'eu-2': 1 }, 'eu-2'],
    ['a reachable one of those', ['eu'], ['eu'], { 'eu-2': 9 }, 'eu-2'],
    ['one that cannot be reached, rather than one for other tags', ['eu'], ['eu', 'eu-2'], {}, 'eu'],
    ['without tags the untagged and default ones answer', [], [], { plain: 1 }, 'fallback'],
    ['tags that nobody has are no tags', ['us'], [], {}, 'plain'],
  ];
  for (const [says, tags, down, busy, wanted] of rows) {
    it(says, () => {
      const load = { isReachable: (id: string) => !down.includes(id), inFlight: (id: string) => busy[id] ?? 0 };
      assert.equal(chooseBackend(backends, tags, load)?.id, wanted);
    });
  }

  it('none answers where all are for other tags', () => {
    const load = { isReachable: () => true, inFlight: () => 0 };
    assert.equal(chooseBackend([{ id: 'eu', tags: ['eu'] }], ['us'], load), undefined);
  });
});
