import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  chooseFolders,
  inOrder,
  primaryOf,
  requireMoreChats,
} from '../../../../../sidecar/host/agents/capabilities.ts';
import type { ChatSource } from '../../../../../sidecar/protocol/commands.ts';

const many = { multipleWorkingDirectories: {} };
const primary = { multipleWorkingDirectories: { requiresPrimary: true } };

describe('the folders of an agent', () => {
  for (const [says, can, given, chosen] of [
    ['works in one', {}, { workingDirectories: ['a', 'b'] }, { workingDirectories: ['a'] }],
    ['works in many', many, { workingDirectories: ['a', 'b', 'a'] }, { workingDirectories: ['a', 'b'] }],
    [
      'needs a primary one',
      primary,
      { workingDirectories: ['a', 'b'] },
      { workingDirectories: ['a', 'b'], primaryWorkingDirectory: 'a' },
    ],
    [
      'needs a primary one, which was chosen',
      primary,
      { workingDirectories: ['a', 'b'], primaryWorkingDirectory: 'b' },
      { workingDirectories: ['a', 'b'], primaryWorkingDirectory: 'b' },
    ],
    ['needs a primary one and has none', primary, {}, { workingDirectories: [] }],
    [
      'knows no primary one',
      many,
      { workingDirectories: ['a', 'b'], primaryWorkingDirectory: 'b' },
      { workingDirectories: ['a', 'b'] },
    ],
  ] as const)
    it(`are those that it can work in, where it ${says}`, () => assert.deepEqual(chooseFolders(can, given), chosen));

  it('have a primary one among them', () => {
    assert.throws(
      () => chooseFolders(primary, { workingDirectories: ['a'], primaryWorkingDirectory: 'b' }),
      /must be one of workingDirectories/,
    );
    assert.deepEqual(primaryOf(primary, ['a'], 'b'), { primaryWorkingDirectory: 'b' });
    assert.deepEqual(primaryOf(primary, [], undefined), {});
  });
  it('begin with the primary one, and are else in their order', () => {
    assert.deepEqual(inOrder({ workingDirectories: ['a', 'b', 'c'], primaryWorkingDirectory: 'b' }), ['b', 'a', 'c']);
    assert.deepEqual(inOrder({ workingDirectories: ['a', 'b'] }), ['a', 'b']);
    assert.deepEqual(inOrder({ primaryWorkingDirectory: 'b' }), []);
  });
});

describe('another chat of a session', () => {
  const fork = { kind: 'fork' } as ChatSource;
  for (const [says, can, source, reason] of [
    ['the agent has one chat', {}, undefined, /only one chat per session/],
    ['the agent has several', { multipleChats: {} }, undefined, undefined],
    [
      'it is a fork that the agent does not know',
      { multipleChats: { sideChat: true } },
      fork,
      /^source\.kind: fork is/,
    ],
    ['it is a fork that the agent knows', { multipleChats: { fork: true } }, fork, undefined],
  ] as const)
    it(`is ${reason ? 'refused' : 'made'} where ${says}`, () => {
      if (reason) assert.throws(() => requireMoreChats(can, source), { message: reason });
      else requireMoreChats(can, source);
    });
});
