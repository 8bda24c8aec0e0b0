import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { decidePermission, type PermissionVerdict } from '../../../../../sidecar/host/permissions/decidePermission.ts';
import type { PermissionFacts, Rule } from '../../../../../sidecar/host/permissions/facts.ts';
import { lexShell } from '../../../../../sidecar/host/permissions/shellTokens.ts';

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
const decide = (it: PermissionFacts, using: readonly Rule[]) =>
  decidePermission({ facts: it, rules: using, trusted: true, folders: ['/ws'] });
const openness = ({ verdict }: PermissionVerdict) => ['deny', 'ask', 'allow'].indexOf(verdict);

describe('permissions, whatever the rules', () => {
  it('a rule that denies or asks never opens anything', () => {
    fc.assert(
      fc.property(facts, rules, rule, (it, using, more) => {
        const narrow: Rule = { ...more, effect: more.effect === 'allow' ? 'deny' : more.effect };
        assert.ok(openness(decide(it, [...using, narrow])) <= openness(decide(it, using)));
      }),
      { numRuns: 2000 },
    );
  });
  it('a rule of the workspace never opens anything', () => {
    fc.assert(
      fc.property(facts, rules, rule, (it, using, more) => {
        assert.ok(openness(decide(it, [...using, { ...more, source: 'workspace' }])) <= openness(decide(it, using)));
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
