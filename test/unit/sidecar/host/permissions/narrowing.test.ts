import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { PermissionFacts } from '../../../../../sidecar/host/permissions/facts.ts';
import { decide, file, inWords, shell } from '../../../../support/host/permissionQuestions.ts';

const everything = ['allow shell user *', 'allow edit user **'];

describe('a command line and the folders', () => {
  for (const [line, expected] of [
    ['cat /ws/b', 'allow: rule'],
    ['cat ./b', 'allow: rule'],
    ['cat b/../c', 'allow: rule'],
    ['cat /ws', 'allow: rule'],
    ['cat /wsx', 'ask: outside'],
    ['cat /ws/../b', 'ask: outside'],
    ['/x/run', 'ask: outside'],
    ['/usr/local/bin/run b', 'allow: rule'],
    ['/opt/homebrew/bin/run', 'allow: rule'],
    ['/usr/bin/x/run', 'ask: outside'],
    ['ls /usr/bin/run', 'ask: outside'],
    ['cat < /x', 'ask: outside'],
    ['cat > /dev/null', 'allow: rule'],
    ['cat > /dev/fd/3', 'allow: rule'],
    ['cat /dev/urandom', 'allow: rule'],
    ['cat > /dev/sda', 'ask: outside'],
    ['cat > ~', 'ask: outside'],
    ['cat > ~/b', 'ask: outside'],
    ['cat < $X', 'ask: outside'],
    ['cat > $X', 'ask: outside'],
    ['cat > b*', 'ask: outside'],
    ['cat < b*', 'ask: outside'],
    ['ls ~', 'ask: outside'],
    ['ls ~ada/b', 'ask: outside'],
    ["ls '~'", 'ask: outside'],
    ['ls --a=~/b', 'ask: outside'],
    ['ls b~', 'allow: rule'],
    ['ls --a=/x', 'ask: outside'],
    ['ls -v b:/x', 'ask: outside'],
    ['ls b,/x', 'ask: outside'],
    ['ls @/x', 'ask: outside'],
    ['ls -o/x', 'ask: outside'],
    ['ls -o../x', 'ask: outside'],
    ['ls -oa/x', 'allow: rule'],
    ['X=/x ls', 'ask: outside'],
    ['X=b ls', 'allow: rule'],
    ['ls https://x.org/..', 'allow: rule'],
    ['ls HTTPS://x.org/../../b', 'allow: rule'],
    ['ls file:///x', 'ask: outside'],
    ['ls FILE:/x', 'ask: outside'],
    ['ls file:///ws/b', 'allow: rule'],
    ['cd b', 'ask: default'],
    ['cd b && ls', 'allow: rule'],
    ['cd -P b && ls', 'allow: rule'],
    ['cd -L .. && ls', 'ask: outside'],
    ['cd - && ls', 'ask: outside'],
    ['cd', 'ask: outside'],
    ['cd -P', 'ask: outside'],
    ['cd /x', 'ask: outside'],
    ['cd b && cat ../c', 'ask: outside'],
    ['cd b && cat c', 'allow: rule'],
    ['cd b && cat > c', 'allow: rule'],
    ['pushd b', 'ask: outside'],
    ['pushd .. ', 'ask: outside'],
    ['popd', 'ask: outside'],
    [`${'cd b && '.repeat(3)}ls`, 'allow: rule'],
    [`${Array.from({ length: 16 }, (_, n) => `cd d${n} && `).join('')}ls`, 'ask: outside'],
    ['cat > b', 'allow: rule'],
    ['cat > .git/b', 'ask: protected'],
    ['cat >> .vscode/b', 'ask: protected'],
    ['cat < .git/config', 'allow: rule'],
    ['cd .git && cat > b', 'ask: protected'],
    ['cat > b.code-workspace', 'ask: protected'],
    ['cat > .husky/b', 'ask: protected'],
    ['cat > .switchboard/b', 'ask: protected'],
    ['cat > b/.mcp.json', 'ask: protected'],
    ['cat > .claude/settings.local.json', 'ask: protected'],
    ['cat > .github/hooks/b', 'ask: protected'],
    ['cat > .github/b', 'allow: rule'],
    ['cat > mcp.json.b', 'allow: rule'],
    ['cat > b.git', 'allow: rule'],
  ] as const) {
    it(`${line} -> ${expected}`, () => assert.equal(inWords(decide(shell(line), everything)), expected));
  }

  it('writes only where an edit is allowed as well', () => {
    const only = ['allow shell user *', 'allow edit user out/**', 'allow read user **'];
    assert.equal(inWords(decide(shell('ls > out/b'), only)), 'allow: rule');
    assert.equal(inWords(decide(shell('ls > b'), only)), 'ask: default');
    assert.equal(inWords(decide(shell('ls > 1'), only)), 'ask: default');
    assert.equal(inWords(decide(shell('ls >& b'), only)), 'ask: default');
    assert.equal(inWords(decide(shell('ls > out/b > c'), only)), 'ask: default');
    assert.equal(
      inWords(decide(shell('cd out && ls > b'), only)),
      'ask: default',
      'the shell may not have changed its folder',
    );
    assert.equal(inWords(decide(shell('> out/b'), only)), 'allow: rule');
    assert.equal(inWords(decide(shell('ls < b'), only)), 'allow: rule');
  });
  it('runs in the first folder where it names none', () => {
    const facts = { kind: 'shell', command: 'cat ../v/b', paths: [] } as const;
    assert.equal(inWords(decide(facts, everything, { folders: ['/ws', '/v'] })), 'allow: rule');
    assert.equal(inWords(decide(facts, everything, { folders: ['/x/ws', '/v'] })), 'ask: outside');
    assert.equal(inWords(decide(facts, everything, { folders: [] })), 'ask: outside');
  });
  it('is allowed by one rule for the line as it was written, and by the rules for its parts otherwise', () => {
    const used = (line: string, ...rules: string[]) => {
      const verdict = decide(shell(line), rules);
      return verdict.verdict === 'allow' ? verdict.rule?.id : undefined;
    };
    assert.equal(used(' a | b ', 'allow shell user a', 'allow shell user a | b'), '1');
    assert.equal(used('a | b', 'allow shell user b', 'allow shell user a'), '1', 'the rule of the first command');
    assert.equal(used('cd x && true && : && b', 'allow shell user b'), '0');
    assert.equal(used('X=1 cd x && b', 'allow shell user b'), undefined);
    assert.equal(used('cd x; true', 'allow shell user b'), undefined);
    assert.equal(used('cd x', 'allow shell user *'), undefined);
  });
});

describe('a rule that asks or denies', () => {
  const move = file('move', '/ws/.env', '/ws/b');
  for (const [says, rule, facts, expected] of [
    ['of reading a file, about moving it', 'deny read user .env', move, 'deny'],
    ['of reading a file, about editing it', 'deny read user .env', file('edit', '/ws/sub/.env'), 'deny'],
    ['of reading another file, about an edit', 'deny read user .env', file('edit', '/ws/b'), 'ask: default'],
    ['of all reading, about an edit', 'deny read user **', file('edit', '/ws/b'), 'ask: default'],
    ['of all reading, about a search', 'deny read user **', file('search'), 'deny'],
    ['of editing a file, about reading it', 'deny edit user .env', file('read', '/ws/.env'), 'allow: default'],
    ['of all editing, about an edit of nothing named', 'deny edit user **', file('edit'), 'deny'],
    ['of reading a file, about a command that names it', 'deny read user .env', shell('cat --f=.env'), 'deny'],
    [
      'of reading a file, about a command that another folder is for',
      'deny read user .env',
      shell('cd b; cat .env'),
      'deny',
    ],
    ['of all reading, about a command', 'deny read user **', shell('cat b'), 'ask: default'],
    ['of editing a file, about a command that names it', 'deny edit user ./b', shell('tee b'), 'deny'],
    ['of editing a file, about a command that names another', 'deny edit user ./b', shell('tee c'), 'ask: default'],
    ['of all editing, about a command that writes', 'deny edit user **', shell('ls > b'), 'deny'],
    ['of all editing, about a command that writes nothing', 'deny edit user **', shell('ls b'), 'ask: default'],
    [
      'of reading a file, about a command that works on it',
      'ask read user .env',
      { ...shell('ls'), paths: ['/ws/.env'] },
      'ask: rule',
    ],
    ['of a tool, about that tool', 'deny tool user a_*', { kind: 'other', toolName: 'a_b', paths: [] }, 'deny'],
    ['of one command, about another', 'ask shell user make *', shell('ls'), 'ask: default'],
    ['of a tool, about another', 'deny tool user a_*', { kind: 'other', toolName: 'b', paths: [] }, 'ask: default'],
    ['of a tool, about one without a name', 'deny tool user a*', { kind: 'other', paths: [] }, 'ask: default'],
    ['of all tools, about one without a name', 'deny tool user *', { kind: 'other', paths: [] }, 'deny'],
    [
      'of a tool, about a read by that tool',
      'deny tool user a',
      { ...file('read', '/ws/b'), toolName: 'a' },
      'allow: default',
    ],
    [
      'of all fetching, about an address',
      'deny fetch user *',
      { kind: 'fetch', paths: [], toolInput: 'https://a.org' },
      'deny',
    ],
    ['of all fetching, about one without an address', 'deny fetch user *', { kind: 'fetch', paths: [] }, 'deny'],
    [
      'of an address, about two of which it is the second',
      'deny fetch user https://b.org/*',
      { kind: 'fetch', paths: [], toolInput: '["https://a.org/x","HTTPS://b.org/x","https://b.org/y"]' },
      'deny',
    ],
    [
      'of an address, about one that only mentions it',
      'deny fetch user https://b.org/*',
      { kind: 'fetch', paths: [], toolInput: 'https://a.org/https://b.org/x' },
      'ask: default',
    ],
    ['of commands, about a tool', 'deny shell user *', { kind: 'other', toolName: 'a', paths: [] }, 'ask: default'],
    [
      'of commands, about a tool that has a command',
      'deny shell user *',
      { ...shell('ls'), kind: 'other' },
      'ask: default',
    ],
  ] satisfies [string, string, PermissionFacts, string][]) {
    it(`${says} -> ${expected}`, () => assert.equal(inWords(decide(facts, [rule])), expected));
  }

  for (const [says, facts, rules, expected] of [
    [
      'an address in capitals',
      { kind: 'fetch', paths: [], toolInput: 'HTTPS://a.org/x' },
      ['allow fetch user HTTPS://a.org/*'],
      'allow: rule',
    ],
    ['any address', { kind: 'fetch', paths: [], toolInput: 'https://a.org/' }, ['allow fetch user *'], 'allow: rule'],
    ['no address', { kind: 'fetch', paths: [] }, ['allow fetch user *'], 'ask: default'],
    ['an edit of nothing named', file('edit'), ['allow edit user **'], 'ask: default'],
    ['an edit by a rule for reading', file('edit', '/ws/b'), ['allow read user **'], 'ask: default'],
    [
      'a tool by a rule for commands',
      { kind: 'other', toolName: 'ls', paths: [] },
      ['allow shell user *'],
      'ask: default',
    ],
    [
      'a tool by a name that is longer',
      { kind: 'other', toolName: 'abc', paths: [] },
      ['allow tool user ab'],
      'ask: default',
    ],
  ] satisfies [string, PermissionFacts, string[], string][]) {
    it(`a rule that allows ${says} -> ${expected}`, () => assert.equal(inWords(decide(facts, rules)), expected));
  }
});
