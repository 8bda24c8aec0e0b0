import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type AttachVerdict, decideAttach } from '../../../../../sidecar/launch/attach/decideAttach.ts';

const build = (builtAtMs: number) => ({ version: '1.0.0', builtAtMs });

describe('decideAttach', () => {
  for (const { says, peer = 5, protocolsMeet = true, isBusy = false, isLeaving = false, expected } of [
    { says: 'the same build is taken', expected: { makeRoom: false } },
    { says: 'the same build is taken by a busy host', isBusy: true, expected: { makeRoom: false } },
    { says: 'an older build uses the newer host', peer: 4, expected: { makeRoom: false } },
    {
      says: 'an older build with another protocol is told',
      peer: 4,
      protocolsMeet: false,
      expected: { refuse: 'versions', makeRoom: false },
    },
    { says: 'a newer build makes an idle host leave', peer: 6, expected: { refuse: 'leaving', makeRoom: true } },
    {
      says: 'a newer build with another protocol makes an idle host leave',
      peer: 6,
      protocolsMeet: false,
      expected: { refuse: 'leaving', makeRoom: true },
    },
    { says: 'a newer build uses a busy host until it is idle', peer: 6, isBusy: true, expected: { makeRoom: true } },
    {
      says: 'a newer build with another protocol waits for a busy host',
      peer: 6,
      isBusy: true,
      protocolsMeet: false,
      expected: { refuse: 'olderBusy', makeRoom: true },
    },
    { says: 'a leaving host takes nobody', isLeaving: true, expected: { refuse: 'leaving', makeRoom: false } },
  ] satisfies {
    says: string;
    peer?: number;
    protocolsMeet?: boolean;
    isBusy?: boolean;
    isLeaving?: boolean;
    expected: AttachVerdict;
  }[]) {
    it(says, () => {
      assert.deepEqual(decideAttach({ host: build(5), peer: build(peer), protocolsMeet, isBusy, isLeaving }), expected);
    });
  }
});
