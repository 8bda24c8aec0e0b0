import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  type Dial,
  decidePermission,
  type PermissionVerdict,
} from '../../../../../sidecar/host/permissions/decidePermission.ts';
import type { PermissionFacts, Rule } from '../../../../../sidecar/host/permissions/facts.ts';
import { lexShell } from '../../../../../sidecar/host/permissions/shellTokens.ts';
import { verifies } from '../../../../support/verifies.ts';

const pieces = [
  'npm',
  'test',
  'rm',
  '-rf',
  'a.txt',
  '../x',
  '/etc',
  '*',
  '~',
  "'",
  '"',
  ';',
  '&&',
  '|',
  '\n',
  '$(',
  ')',
  '`',
  '>',
  'X=1',
  '\\',
  '#',
  '{',
  '}',
  '$V',
  'sh',
  '-c',
  'git',
  'push',
  '-f',
  '(',
  '&',
  '<<E',
];
const commandLine = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom('', ' ')), { maxLength: 10 })
  .map((it) => it.flat().join(''));
const path = fc.constantFrom('/ws/a', '/ws/src/b', '/ws/.git/c', '/etc/d', '/ws/../e');
const facts: fc.Arbitrary<PermissionFacts> = fc.oneof(
  commandLine.map((command) => ({ kind: 'shell' as const, command, cwd: '/ws', paths: [] })),
  fc.record({
    kind: fc.constantFrom('edit' as const, 'read' as const, 'delete' as const, 'other' as const),
    paths: fc.array(path, { maxLength: 3 }),
    toolName: fc.constantFrom('x', 'y'),
  }),
);
const rule: fc.Arbitrary<Rule> = fc.record({
  id: fc.uuid(),
  effect: fc.constantFrom('allow', 'ask', 'deny'),
  target: fc.constantFrom('shell', 'edit', 'read', 'tool'),
  pattern: fc.constantFrom('*', '**', 'npm*', 'npm test*', 'rm *', 'git push*', 'src/**', 'a', './a', 'x', 'sh *'),
  source: fc.constantFrom('user', 'workspace', 'granted'),
});
const rules = fc.array(rule, { maxLength: 6 });
const decide = (it: PermissionFacts, using: readonly Rule[], dial: Dial = 'ask') =>
  decidePermission({ facts: it, rules: using, trusted: true, folders: ['/ws'], dial });
const dials = fc.constantFrom<Dial>('ask', 'acceptEdits', 'readOnly');
const openness = ({ verdict }: PermissionVerdict) => ['deny', 'ask', 'allow'].indexOf(verdict);

describe('permissions, whatever the rules', () => {
  it('a rule that denies or asks never opens anything', () => {
    fc.assert(
      fc.property(facts, rules, rule, dials, (it, using, more, dial) => {
        const narrow: Rule = { ...more, effect: more.effect === 'allow' ? 'deny' : more.effect };
        assert.ok(openness(decide(it, [...using, narrow], dial)) <= openness(decide(it, using, dial)));
      }),
      { numRuns: 2000 },
    );
  });
  it('a rule of the workspace never opens anything', () => {
    fc.assert(
      fc.property(facts, rules, rule, dials, (it, using, more, dial) => {
        const withMore = [...using, { ...more, source: 'workspace' as const }];
        assert.ok(openness(decide(it, withMore, dial)) <= openness(decide(it, using, dial)));
      }),
      { numRuns: 2000 },
    );
  });
  it('their order does not matter', () => {
    fc.assert(
      fc.property(
        facts,
        rules.chain((it) => fc.tuple(fc.constant(it), fc.shuffledSubarray(it, { minLength: it.length }))),
        (it, [using, shuffled]) => {
          assert.equal(openness(decide(it, using)), openness(decide(it, shuffled)));
        },
      ),
      { numRuns: 2000 },
    );
  });
  it('an edit, a command or a tool is never allowed without a rule that allows', () => {
    fc.assert(
      fc.property(facts, rules, (it, using) => {
        fc.pre(it.kind !== 'read');
        assert.notEqual(
          decide(
            it,
            using.filter((one) => one.effect !== 'allow'),
          ).verdict,
          'allow',
        );
      }),
      { numRuns: 1000 },
    );
  });
  it('a path outside the folders is never allowed', () => {
    fc.assert(
      fc.property(facts, rules, (it, using) => {
        assert.notEqual(decide({ ...it, paths: [...it.paths, '/outside'] }, using).verdict, 'allow');
      }),
      { numRuns: 1000 },
    );
  });
  it('a rule that denies wins over every position of the dial', () => {
    verifies('host.dial.narrowing');
    fc.assert(
      fc.property(facts, rules, dials, (it, using, dial) => {
        fc.pre(decide(it, using).verdict === 'deny');
        assert.equal(decide(it, using, dial).verdict, 'deny');
      }),
      { numRuns: 2000 },
    );
  });
  it('read only never opens anything, and no rule lets a change or a command through it', () => {
    verifies('host.dial.read-only', 'host.dial.narrowing');
    fc.assert(
      fc.property(facts, rules, (it, using) => {
        const verdict = decide(it, using, 'readOnly');
        assert.ok(openness(verdict) <= openness(decide(it, using)));
        if (it.kind === 'shell' || it.kind === 'edit' || it.kind === 'delete') assert.equal(verdict.verdict, 'deny');
        if (it.kind === 'other') assert.notEqual(verdict.verdict, 'allow');
      }),
      { numRuns: 2000 },
    );
  });
  it('accept edits differs from ask only in edits of files in the folders that ask would ask about for no reason', () => {
    verifies('host.dial.accept-edits');
    fc.assert(
      fc.property(facts, rules, (it, using) => {
        const [asking, accepting] = [decide(it, using), decide(it, using, 'acceptEdits')];
        if (asking.verdict === accepting.verdict) return;
        assert.deepEqual([asking.verdict, accepting.verdict, it.kind], ['ask', 'allow', 'edit']);
        assert.equal(asking.verdict === 'ask' && asking.because, 'default');
        assert.ok(it.paths.length > 0 && it.paths.every((one) => one === '/ws/a' || one === '/ws/src/b'));
      }),
      { numRuns: 2000 },
    );
  });
  it('what a prefix rule allows stays allowed by no injection', () => {
    const npm: Rule = { id: '1', effect: 'allow', target: 'shell', pattern: 'npm test*', source: 'user' };
    const join = fc.constantFrom(
      ';',
      '\n',
      '&&',
      '||',
      '|',
      '&',
      '$(',
      '`',
      '<(',
      '>(',
      ' $(',
      '\n#\n',
      "'';",
      '"";',
      '\\\n;',
    );
    fc.assert(
      fc.property(join, fc.constantFrom('', ' ', '"', "'"), (separator, before) => {
        const close = separator.includes('`') ? '`' : separator.endsWith('(') ? ')' : '';
        const command = `npm test ${before}${before === "'" || before === '"' ? before : ''}${separator} evil x${close}`;
        assert.notEqual(decide({ kind: 'shell', command, cwd: '/ws', paths: [] }, [npm]).verdict, 'allow', command);
      }),
      { numRuns: 500 },
    );
  });
  it('reading a line ends for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (line) => {
        assert.ok(Array.isArray(lexShell(line).tokens));
      }),
      { numRuns: 2000 },
    );
  });
});
