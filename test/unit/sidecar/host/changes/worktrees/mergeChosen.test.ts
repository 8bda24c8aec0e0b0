import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type Content, mergeChosen } from '../../../../../../sidecar/host/changes/worktrees/mergeChosen.ts';

const file = (text: string, mode = 0o644): Content => ({ kind: 'file', mode, bytes: Buffer.from(text) });
const base = file('a\nb\nc\nd\ne\n');
const merged = (...args: Parameters<typeof mergeChosen>) => {
  const result = mergeChosen(...args);
  if (result === 'conflict') return result;
  return result.content ? Buffer.from(result.content.bytes).toString() : undefined;
};

describe('what is chosen of several results', () => {
  it('is put together by hunks, beside what the person changed', () => {
    const one = { after: file('A\nb\nc\nD\ne\n'), hunks: [1] };
    const other = { after: file('x\na\nB\nc\nd\ne\n'), hunks: [1] };
    assert.equal(merged(base, base, [one]), 'a\nb\nc\nD\ne\n');
    assert.equal(merged(base, base, [one, other]), 'a\nB\nc\nD\ne\n');
    assert.equal(merged(base, file('a\nb\nc\nd\ne\nf\n'), [one, other]), 'a\nB\nc\nD\ne\nf\n');
  });

  it('is the same hunk once where two made it', () => {
    assert.equal(
      merged(base, base, [{ after: file('A\nb\nc\nd\ne\n') }, { after: file('A\nb\nC\nd\ne\n') }]),
      'A\nb\nC\nd\ne\n',
    );
  });

  it('conflicts where two change the same lines, or put lines in the same place', () => {
    assert.equal(merged(base, file('1\nb\nc\nd\ne\n'), [{ after: file('2\nb\nc\nd\ne\n') }]), 'conflict');
    assert.equal(
      merged(base, base, [{ after: file('a\n1\nb\nc\nd\ne\n') }, { after: file('a\n2\nb\nc\nd\ne\n') }]),
      'conflict',
    );
    assert.equal(
      merged(base, base, [{ after: file('A\nB\nc\nd\ne\n') }, { after: file('a\n2\nc\nd\ne\n') }]),
      'conflict',
    );
  });

  it('is whole for a file that came, went, or has no lines', () => {
    assert.equal(merged(undefined, undefined, [{ after: file('new\n') }]), 'new\n');
    assert.equal(merged(base, base, [{ after: undefined }]), undefined);
    assert.equal(merged(base, file('mine\n'), [{ after: undefined }]), 'conflict');
    assert.equal(merged(undefined, file('mine\n'), [{ after: file('new\n') }]), 'conflict');
    assert.equal(merged(file('\0a'), file('\0a'), [{ after: file('\0b') }]), '\0b');
    assert.equal(merged(file('\0a'), file('\0a'), [{ after: file('\0b') }, { after: file('\0c') }]), 'conflict');
  });

  it('has the mode of a file that is taken whole', () => {
    const result = mergeChosen(base, base, [{ after: file('a\nb\nc\nd\nE\n', 0o755) }]);
    assert.equal(result !== 'conflict' && result.content?.mode, 0o755);
  });
});
