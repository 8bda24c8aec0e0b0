import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { decide, inWords, shell } from '../../../../support/host/permissionQuestions.ts';

const everything = ['allow shell user *', 'allow edit user **'];

describe('a rule that denies a command', () => {
  for (const line of [
    'rm a',
    'ls;rm a',
    'ls&rm a',
    'ls&&rm a',
    'ls||rm a',
    'ls|rm a',
    'ls|&rm a',
    'ls\nrm a',
    'ls # b\nrm a',
    "ls '#'; rm a",
    'ls a#b; rm a',
    'ls\trm; rm\ta',
    '(rm a)',
    '((rm a))',
    '{ rm a; }',
    '! rm a',
    'time rm a',
    '! time { rm a; }',
    'X=1 Y=2 rm a',
    'X+=1 rm a',
    '2>b rm a',
    '>b rm a',
    '>b X=1 rm a',
    'rm>b a',
    'rm 2>&1 a',
    'rm 2>b a',
    'rm a 2>&1|ls',
    '"rm" a',
    "'r'm a",
    'r\\m a',
    'r\\\nm a',
    'rm.exe a',
    'rm.CMD a',
    '/x/y/rm a',
    'if rm a; then ls; fi',
    'for i in b; do rm a; done',
    'while rm a; do ls; done',
    'case a in b) rm a;; esac',
    'case a in b) ls;& c) rm a;; esac',
    'f() { rm a; }',
    'echo $(rm a)',
    'echo "$(rm a)"',
    'echo "b$(rm a)c"',
    'echo $(ls; rm a)',
    'echo $(ls $(rm a))',
    "echo $(ls ')' ; rm a)",
    'echo $(ls ")" ; rm a)',
    'echo $(ls "\\")" ; rm a)',
    'echo $(ls \\) ; rm a)',
    'echo $(ls (b) ; rm a)',
    'echo `rm a`',
    'echo "`rm a`"',
    'echo `ls \\`rm a\\``',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a default value of the shell
    'echo ${X:-$(rm a)}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a default value of the shell
    'echo "${X:-`rm a`}"',
    'diff <(rm a) b',
    'ls >(rm a)',
    'ls > >(rm a)',
    'cat <<E\n$(rm a)\nE',
    'cat <<-E\n\t`rm a`\n\tE',
    'cat <<E\n"$(rm a)\nE',
    'cat <<E <<F\nb\nE\n$(rm a)\nF',
    "cat <<'E'\nb\nE\nrm a",
    "cat <<'E' <<'F'\nb\nE\nc\nF\nrm a",
    "cat <<-'E'\n\tb\n\tE\nrm a",
    'cat <<\\E\n$(b)\nE\nrm a',
    'cat <<<b; rm a',
    'sh -c "rm a"',
    'sh -ec "ls; rm a"',
    'eval rm a',
    'env rm a',
    'env X=1 rm a',
    'nice -n 5 rm a',
    'ls | xargs rm a',
    'find b -exec rm a \\;',
    'find b -exec ls \\; -ok rm a +',
    'sudo rm a',
    'sh -c "sh -c \'rm a\'"',
  ]) {
    it(`finds it in ${JSON.stringify(line)}`, () => {
      assert.equal(inWords(decide(shell(line), ['deny shell user rm *', ...everything])), 'deny');
    });
  }

  for (const line of [
    'ls rm a',
    'ls "; rm a"',
    "ls '; rm a'",
    'ls \\; rm a',
    'ls # ; rm a',
    "cat <<'E'\nrm a\nE",
    "cat <<'E'\nE2\nrm a\nE",
    "cat <<'E' # c\nrm a\nE\nls",
    "cat <<'E'\n\tE\nrm a\nE",
    "cat <<-'E'\n\t\trm a\n\t\tE\nls",
    'command -v rm',
    'rmdir a',
    './rm.sh a',
    'ls >rm a',
  ]) {
    it(`finds none in ${JSON.stringify(line)}`, () => {
      assert.equal(inWords(decide(shell(line), ['deny shell user rm *', ...everything])), 'allow: rule');
    });
  }

  it('means the command without arguments too, and no other that begins so', () => {
    const rules = ['deny shell user make *', 'allow shell user *'];
    assert.equal(inWords(decide(shell('make'), rules)), 'deny');
    assert.equal(inWords(decide(shell('make all'), rules)), 'deny');
    assert.equal(inWords(decide(shell('makefile'), rules)), 'allow: rule');
  });

  for (const [pattern, line, expected] of [
    ['git push*', 'git -C b push', 'deny'],
    ['git push*', 'git --git-dir b push', 'deny'],
    ['git push*', 'git --work-tree b push', 'deny'],
    ['git push*', 'git -P push', 'deny'],
    ['git push*', 'git -C push log', 'allow: rule'],
    ['git push*', 'git log push', 'allow: rule'],
    ['git', 'git', 'deny'],
    ['X=1 ls', 'X=1 ls', 'deny'],
    ['ls', 'X=1 ls', 'deny'],
    ["ls 'b c'", 'ls "b c"', 'deny'],
    ["ls '*'", 'ls b', 'allow: rule'],
    ["ls '*'", "ls '*'", 'deny'],
    ['ls b*d', 'ls b c d', 'deny'],
    ['a && b', ' a && b ', 'deny'],
    ['a && b', 'a && b c', 'allow: rule'],
    ['*', 'ls', 'deny'],
    ['**', 'ls', 'deny'],
    ['ls; *', 'ls b', 'allow: rule'],
    ['$X *', '$X b', 'ask: unclear'],
    ['> b', 'ls', 'allow: rule'],
    ['ls $(b)', 'ls', 'allow: rule'],
    [' ', 'ls', 'allow: rule'],
  ] as const) {
    it(`'${pattern}' and ${line} give ${expected}`, () => {
      assert.equal(inWords(decide(shell(line), [`deny shell user ${pattern}`, ...everything])), expected);
    });
  }
});

describe('a command line with every command allowed', () => {
  for (const [line, expected] of [
    ['ls 1>&2', 'allow: rule'],
    ['ls 2>&-', 'allow: rule'],
    ['ls 2>&1-', 'allow: rule'],
    ['ls <&3', 'allow: rule'],
    ['ls < b', 'allow: rule'],
    ['ls <> b', 'allow: rule'],
    ['ls &> b', 'allow: rule'],
    ['ls &>> b', 'allow: rule'],
    ['ls >| b', 'allow: rule'],
    ['ls >& b', 'allow: rule'],
    ["ls '' b", 'allow: rule'],
    ['echo "a$"', 'allow: rule'],
    ['echo $', 'allow: rule'],
    ['echo "\\$X" \'$X\'', 'allow: rule'],
    ['echo "$\'b\'"', 'allow: rule'],
    ['echo "\\`b\\`"', 'allow: rule'],
    ['echo {b} {b;', 'allow: rule'],
    ['echo "{b,c}" {b\\,c}', 'allow: rule'],
    ['echo if then', 'allow: rule'],
    ["'if' b", 'allow: rule'],
    ["'!' b", 'allow: rule'],
    ['2b', 'allow: rule'],
    ['( ls ) && (ls)', 'allow: rule'],
    ['cat <<<"b"', 'allow: rule'],
    ['cat <<E\nb\nE', 'allow: rule'],
    ['cat <<E\n\\$X\nE', 'allow: rule'],
    ['', 'ask: unclear'],
    ['   ', 'ask: unclear'],
    ['# b', 'ask: unclear'],
    ['echo $X', 'ask: unclear'],
    ['echo "$X"', 'ask: unclear'],
    ['echo $1', 'ask: unclear'],
    ['echo $?', 'ask: unclear'],
    ['echo $@', 'ask: unclear'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
    ['echo ${X}', 'ask: unclear'],
    ['echo "${X', 'ask: unclear'],
    ['echo ${X', 'ask: unclear'],
    ['echo $(ls', 'ask: unclear'],
    ['echo `ls', 'ask: unclear'],
    ['echo `ls\\`', 'ask: unclear'],
    ["echo 'b", 'ask: unclear'],
    ['echo "b', 'ask: unclear'],
    ['echo "b\\"', 'ask: unclear'],
    ['echo \\', 'ask: unclear'],
    ["echo $'b'", 'ask: unclear'],
    ['echo {b,c}', 'ask: unclear'],
    ['echo {1..9}', 'ask: unclear'],
    ['echo b{c,d}e', 'ask: unclear'],
    ['*.sh', 'ask: unclear'],
    ["'' b", 'ask: unclear'],
    ['$X', 'ask: unclear'],
    ['[ -f b ]', 'ask: unclear'],
    ['ls (b)', 'ask: unclear'],
    ['ls )', 'ask: unclear'],
    ['(ls', 'ask: unclear'],
    ['ls >', 'ask: unclear'],
    ['ls > | b', 'ask: unclear'],
    ['ls > > b', 'ask: unclear'],
    ['ls <<', 'ask: unclear'],
    ['cat <<E', 'ask: unclear'],
    ['cat <<E\nb', 'ask: unclear'],
    ["cat <<'E'\nb\n E", 'ask: unclear'],
    ["cat <<'E'\n\tE", 'ask: unclear'],
    ['cat <<E\n$X\nE', 'ask: unclear'],
    ['cat <<E\n`b\nE', 'ask: unclear'],
    ['case b in c) ls;; esac', 'ask: unclear'],
    ['ls;;', 'ask: unclear'],
    ['ls;&', 'ask: unclear'],
    ['ls;;&', 'ask: unclear'],
    ['ls \u0007', 'ask: unclear'],
    ['ls \u007f', 'ask: unclear'],
    ['ls <(ls)', 'ask: unclear'],
    ['ls >(ls)', 'ask: unclear'],
    ['ls <(ls', 'ask: unclear'],
    [`${'$('.repeat(6)}ls${')'.repeat(6)}`, 'ask: unclear'],
    [`${'sh -c "'.repeat(1)}$X"`, 'ask: unclear'],
  ] as const) {
    it(`${JSON.stringify(line)} -> ${expected}`, () => {
      assert.equal(inWords(decide(shell(line), everything)), expected);
    });
  }
});
