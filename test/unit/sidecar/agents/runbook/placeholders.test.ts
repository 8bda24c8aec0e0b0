import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import { parseRunbook } from '../../../../../sidecar/agents/runbook/parse.ts';
import { fillCommand, fillText, shellWord } from '../../../../../sidecar/agents/runbook/placeholders.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('placeholders', () => {
  it('put answers into text, several with commas, and leave braces of others alone', () => {
    const answers = { a: 'x', many: ['p', 'q'], n: 3 };
    const names = new Set(['a', 'many', 'n', 'skipped']);
    assert.equal(
      fillText('{{a}} {{ many }} {{n}} [{{skipped}}] {{other}} {{{a}}}', answers, names),
      'x p, q 3 [] {{other}} {x}',
    );
  });
  it('make one word of each answer, and the empty word of none', () => {
    assert.equal(
      fillCommand('f {{a}} {{b}} {{c}}', { a: "it's; rm -rf /", b: ['x', 'y z'] }),
      `f 'it'\\''s; rm -rf /' x 'y z' ''`,
    );
  });
  it('are exactly the answer to a real shell, whatever it holds', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((it) => !/[\0\uD800-\uDFFF]/.test(it));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (all) => {
        const printed = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${all.map(shellWord).join(' ')}`], {
          encoding: 'utf8',
        });
        assert.deepEqual(printed.split('\0').slice(0, -1), all);
      }),
      { numRuns: 30 },
    );
  });

  describe('and answers that become commands', () => {
    let folder: string;
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'switchboard-shell-'));
    });
    after(() => rmSync(folder, { recursive: true }));
    const runbook = (command: string) =>
      parseRunbook(`\`\`\`ask\nname: a\nmessage: A?\n\`\`\`\n\`\`\`sh\n${command}\n\`\`\`\n`, 'x');
    const EVIL = ['$(touch pwned)', "'; touch pwned; '", '"; touch pwned; "', '`touch pwned`', '\n touch pwned \n'];

    for (const [command, fix] of [
      ['echo \\{{a}}', /remove the backslash before \{\{a\}\}/],
      ['echo "\\{{a}}"', /; it would break the answer's quoting/],
      ['echo "$(basename "{{a}}")"', /inside double quotes; assign the answer to a variable/],
      ['echo "$(case 1 in 1) echo "{{a}}";; esac)"', /is in or after a command substitution inside double quotes;/],
      ['echo "$(echo "x")" {{a}}', /is in or after a command substitution inside double quotes;/],
      [`echo "\${x:-"{{a}}"}"`, /is in or after a command substitution inside double quotes;/],
      ['echo "`echo "{{a}}"`"', /is in or after a command substitution inside double quotes;/],
      ['echo $(( {{a}} + 1 ))', /from the arithmetic expression/],
      ['echo $(( (1 + (2)) + {{a}} ))', /from the arithmetic expression/],
      ['echo $[ {{a}} + 1 ]', /a command with \{\{…\}\} must not contain <<, \$', or \$\[;/],
      ['echo $(echo \')\' "{{a}}")', /out of the quotes/],
      ['echo `echo {{a}}`', /out of the quotes/],
      ['echo \'\\\' "{{a}}"', /out of the quotes/],
      ["echo $'{{a}}'", /a command with \{\{…\}\} must not contain <<, \$', or \$\[;/],
      ['echo \'it\\\' "{{a}}"', /out of the quotes/],
      ['# {{a}}', /remove \{\{a\}\} from the comment/],
      ['# b \\\n# {{a}}', /remove \{\{a\}\} from the comment/],
      ['cat <<END\n{{a}}\nEND', /a command with \{\{…\}\} must not contain <<, \$', or \$\[;/],
    ] as const) {
      it(`are refused where the shell would not read one word: ${JSON.stringify(command)}`, () => {
        verifies('security.answers-as-commands');
        const parsed = runbook(command);
        assert.ok(!parsed.ok, 'it is accepted');
        assert.match(parsed.problems[0]!.message, fix);
      });
    }

    for (const command of [
      'echo {{a}}',
      'echo x{{ a }}y',
      'echo \\\\{{a}}',
      `echo "$HOME \${HOME} $(date) $((1 + 2))" {{a}}`,
      'echo $(echo {{a}})',
      'echo "it\'s" {{a}}',
      "echo 'a \"' {{a}}",
      'echo \\" {{a}}',
      'echo $((1 + (2))) {{a}}',
      `echo \${#HOME} $# a#b {{a}}`,
      "echo x # it's\necho {{a}}",
      "# it's\necho {{a}}",
      'echo x # b\\\necho {{a}}',
      "echo 'b\\' {{a}}",
      '(echo 1; (echo 2)); echo {{a}}',
      'A={{a}}; echo "$(basename "$A")"',
    ]) {
      it(`are taken, and never run: ${JSON.stringify(command)}`, () => {
        verifies('security.answers-as-commands');
        assert.ok(runbook(command).ok, 'it is refused');
        for (const a of EVIL) {
          const printed = execFileSync('/bin/sh', ['-c', fillCommand(command, { a })], {
            cwd: folder,
            encoding: 'utf8',
          });
          assert.ok(!existsSync(join(folder, 'pwned')), a);
          assert.ok(printed.includes('touch pwned'), printed);
        }
      });
    }
  });
});
