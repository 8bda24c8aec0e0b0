import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { decidePermission } from '../../../../../sidecar/host/permissions/decidePermission.ts';
import type { PermissionFacts, Rule } from '../../../../../sidecar/host/permissions/facts.ts';
import { inWords } from '../../../../support/host/permissionQuestions.ts';

describe('decidePermission with rules that hold in one folder or for one input', () => {
  const call = (toolInput: string): PermissionFacts => ({ kind: 'other', toolName: 'deploy', toolInput, paths: [] });
  const of = (effect: Rule['effect'], more: Partial<Rule>): Rule => ({
    id: effect,
    effect,
    target: 'tool',
    pattern: 'deploy',
    source: 'granted',
    ...more,
  });
  for (const [rules, where, input, expected] of [
    [[of('allow', { folder: '/ws' })], ['/ws'], 'a', 'allow: rule'],
    [[of('allow', { folder: '/ws/' })], ['/ws'], 'a', 'allow: rule'],
    [[of('allow', { folder: '/ws' })], ['/ws/sub'], 'a', 'ask: default'],
    [[of('allow', { folder: '/ws' })], ['/ws', '/other'], 'a', 'ask: default'],
    [[of('allow', { folder: '/ws' })], [], 'a', 'ask: default'],
    [[of('allow', { input: 'a' })], ['/ws'], 'a', 'allow: rule'],
    [[of('allow', { input: 'a' })], ['/ws'], 'ab', 'ask: default'],
    [[of('deny', { input: 'a' }), of('allow', {})], ['/ws'], 'a', 'deny'],
    [[of('deny', { input: 'a' }), of('allow', {})], ['/ws'], 'b', 'allow: rule'],
    [[of('deny', {}), of('allow', { folder: '/ws' })], ['/ws'], 'a', 'deny'],
  ] satisfies [Rule[], string[], string, string][])
    it(`answers ${expected} with [${rules.map((it) => [it.effect, it.folder, it.input].filter(Boolean).join(' ')).join(', ')}] to ${input} in [${where.join(', ')}]`, () => {
      assert.equal(inWords(decidePermission({ facts: call(input), rules, trusted: true, folders: where })), expected);
    });
});
