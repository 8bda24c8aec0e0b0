import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { decide, inWords, shell } from '../../../../support/host/permissionQuestions.ts';

/** A person who allowed every command and every edit: what is asked about all the same is what no rule may allow. */
const everything = ['allow shell user *', 'allow edit user **'];

/** Commands that nothing brings back, each line beside neighbours of the same program that are harmless. */
const commands: readonly (readonly [dangerous: readonly string[], harmless: readonly string[]])[] = [
  [
    ['rm -R a', 'rm -rf a', 'rm --recursive a', 'rm ?.txt', 'rm [ab]'],
    ['rm a', 'rm -f a', 'rm --force a', "rm '*'"],
  ],
  [
    ['rmdir -r a', 'del -s a', 'rd -S a', 'rmdir a*', 'del a*', 'rd a?'],
    ['rmdir a', 'del a', 'rd a', 'rename -s a', 'ls -r a'],
  ],
  [
    ['mkfs a', 'mkfs.vfat a', 'newfs_msdos a'],
    ['mk a', 'fs a'],
  ],
  [['SUDO ls', '/usr/bin/sudo ls', 'sudo.exe ls'], ['sudoku ls']],
  [['truncate -s 0 a'], ['trunc a']],
  [
    ['chmod -R 7 a', 'chown --recursive a b', 'chgrp -vR a b', 'chattr -R +i a', 'setfacl -R a'],
    ['chmod -r a', 'chown a b', 'setfacl a'],
  ],
  [
    ['kill -1', 'kill -9 -1', 'kill -4711', 'kill -- -5', 'kill --'],
    ['kill 4711', 'kill -9 4711', 'kill -TERM 5', 'skill -1'],
  ],
  [
    [
      'find a -delete',
      'find a -fprint b',
      'find a -fprintf b c',
      'find a -fls b',
      'find a -okdir ls ;',
      'find a -ok ls ;',
    ],
    ['find a -print', 'find a -ls'],
  ],
  [
    ['rsync --delete a b', 'rsync --del a b'],
    ['rsync -a b c', 'echo --delete'],
  ],
  [
    ['ls | sh', 'ls | bash -x', 'ls | python3 -', 'ls | node', 'ls |& perl'],
    ['sh a.sh', 'ls | grep sh', 'ls | python3 a.py'],
  ],
  [
    [
      'npm publish',
      'npm --silent publish',
      'yarn npm publish',
      'pnpm publish',
      'cargo yank',
      'docker run a',
      'podman rm a',
    ],
    ['npm test', 'yarn add a', 'pnpm test publish', 'cargo build', 'docker ps', 'podman ps', 'npm', 'publish'],
  ],
  [
    ['kubectl delete a', 'kubectl exec a', 'helm rollback a', 'terraform apply', 'gh repo delete a', 'gh api a'],
    ['kubectl get a', 'helm list', 'terraform plan', 'gh pr list'],
  ],
  [
    [
      'git push -d origin a',
      'git push --delete origin a',
      'git push --force=a',
      'git push --mirror',
      'git push --prune',
    ],
    ['git push origin a', 'git push -v', 'git push --dry-run'],
  ],
  [['git push --receive-pack=a', 'git push --exec=a', 'git push -vf', 'git push origin :a'], ['git push origin a:b']],
  [
    ['git reset --hard', 'git reset --merge', 'git reset --keep a'],
    ['git reset', 'git reset --soft a'],
  ],
  [
    ['git clean -n', 'git restore a', 'git filter-branch', 'git filter-repo', 'git update-ref a b', 'git config a b'],
    ['git status', 'git diff', 'git add a'],
  ],
  [
    ['git prune', 'git gc', 'git rm a'],
    ['git log', 'git mv a b'],
  ],
  [
    [
      'git checkout -f a',
      'git checkout -- a',
      'git checkout .',
      'git checkout --force',
      'git switch --discard-changes a',
    ],
    ['git checkout a', 'git switch a', 'git switch -c a'],
  ],
  [
    [
      'git branch -D a',
      'git branch -d a',
      'git branch --delete a',
      'git branch -f a b',
      'git branch -M a',
      'git tag -d a',
    ],
    ['git branch', 'git branch a', 'git branch -m a', 'git tag a', 'git tag -a b'],
  ],
  [
    ['git branch -C a b', 'git tag -f a', 'git tag --force a'],
    ['git branch -c a b', 'git branch -v', 'git tag -l'],
  ],
  [
    ['git stash drop', 'git stash clear', 'git stash pop'],
    ['git stash', 'git stash list', 'git stash push drop'],
  ],
  [
    ['git reflog expire', 'git reflog delete a'],
    ['git reflog', 'git reflog show expire'],
  ],
  [
    [
      'git worktree remove a',
      'git worktree prune',
      'git remote rm a',
      'git remote set-url a b',
      'git submodule deinit a',
    ],
    ['git worktree list', 'git remote', 'git remote -v', 'git submodule status'],
  ],
  [['git submodule foreach ls', 'git remote -v remove a'], ['git submodule update']],
  [
    ['git rebase -x ls a', 'git rebase --exec ls a', 'git rebase --exec=ls a', 'git bisect run ls'],
    ['git rebase a', 'git bisect start', 'git rebase --onto run a'],
  ],
  [
    ['git fetch --upload-pack=a', 'git log --ext-diff', 'git grep --open-files-in-pager a', 'git log --output=a'],
    ['git fetch', 'git log -p', 'git grep a'],
  ],
  [
    ['git -c a=b log', 'git --config-env=a=b log', 'git --exec-path=a log', 'git -C a clean', 'git --git-dir a clean'],
    ['git -C clean log', 'git --git-dir clean log', 'git -P log', 'git'],
  ],
  [
    ['git --work-tree a clean', 'git --namespace a clean', 'git -P clean'],
    ['git --work-tree clean log', 'git --namespace clean log'],
  ],
  // Programs that run the program that their arguments name.
  [
    ['nohup rm -r a', 'nice -n 5 rm -r a', 'timeout 5 rm -r a', 'timeout -k 1 5 rm -r a', 'exec rm -r a'],
    ['nohup ls', 'nice -n 5 ls', 'timeout 5 ls', 'timeout -k 1 5 ls', 'exec ls'],
  ],
  [
    ['command rm -r a', 'builtin rm -r a', 'stdbuf -o L rm -r a', 'setsid rm -r a', 'ionice -c 2 rm -r a'],
    ['command ls', 'command -v rm', 'command -V rm -r', 'stdbuf -oL ls', 'setsid ls'],
  ],
  [
    ['env rm -r a', 'env X=1 rm -r a', 'env X=1 Y=2 rm -r a', 'env -i rm -r a'],
    ['env', 'env X=1', 'env X=1 ls'],
  ],
  [
    [
      'timeout --signal=KILL 5 rm -r a',
      'timeout --signal KILL 5 rm -r a',
      'timeout -vs KILL 5 rm -r a',
      'timeout -sKILL 5 rm -r a',
    ],
    ['timeout --foreground 5 ls', 'timeout --signal KILL 5 ls', 'nice --adjustment 5 ls'],
  ],
  [
    ['exec -a b rm -r a', 'exec -cla b rm -r a'],
    ['exec -a b ls', 'exec -c ls'],
  ],
  [['busybox rm -r a', 'toybox rm -r a', 'strace -f rm -r a', 'flock a rm -r a', 'xargs -I {} rm -r {}'], []],
  [['xargs rm -r', 'parallel rm -r', 'find a -exec rm -r {} +', 'find a -execdir rm -r b ;'], []],
  [['eval rm -r a', 'eval "rm -r" a', 'eval "eval rm -r a"'], []],
  [
    ['bash -c "rm -r a"', 'bash -xc "rm -r a"', 'bash -e -c "rm -r a"', 'X=1 bash -c "rm -r a"'],
    ['bash -c ls', 'bash -ec ls'],
  ],
  [['doas ls', 'su -c ls', 'pkexec ls', 'runuser ls'], []],
];

describe('a command that nothing brings back', () => {
  for (const command of commands.flatMap(([dangerous]) => dangerous)) {
    it(`${command} is asked about, whatever is allowed`, () => {
      assert.equal(inWords(decide(shell(command), everything)), 'ask: destructive');
    });
  }
  for (const command of commands.flatMap(([, harmless]) => harmless)) {
    it(`${command} is not taken for one`, () => {
      assert.equal(inWords(decide(shell(command), everything)), 'allow: rule');
    });
  }
});

describe('a program that runs what its arguments say', () => {
  for (const command of [
    'timeout --novelty 5 ls',
    'nice --novelty 5 ls',
    'nohup',
    'exec -a b',
    'xargs ls',
    'parallel ls',
    'busybox ls',
    'watch ls',
    'flock a ls',
    'script -c ls a',
    'env -S "ls a"',
    'env -u X ls',
    'env -i ls',
    'source a.sh',
    '. a.sh',
    'eval ls',
    'bash',
    'ls | bash a.sh -s',
    'bash --rcfile a -c ls',
    'nohup $X',
    'find a -exec ls',
    'python3 -c 1',
    'python3.12 -c 1',
    'pypy3 -c 1',
    'node -e 1',
    'node -p 1',
    'node --eval 1',
    'deno eval 1',
    'perl -pe 1',
    'ruby -r x a',
    'ruby -rx a',
    "perl -e'1'",
    "perl -lne'1'",
    "python3 -Bc'1'",
    'node --print=1',
    'php -r 1',
    'pwsh -c 1',
    'ls | lua',
  ]) {
    it(`${command} is asked about where that cannot be told`, () => {
      const verdict = inWords(decide(shell(command), everything));
      assert.ok(verdict === 'ask: unclear' || verdict === 'ask: destructive', verdict);
    });
  }
  for (const command of [
    'node a.js',
    'python3 a.py',
    'python3 -Werror a.py',
    'python3 -m pytest',
    'ruby -Ispec a.rb',
    'node --enable-source-maps a.js',
    'bash a.sh',
    'ls | python3 a.py -',
    'sourced a',
    'evaluate ls',
  ]) {
    it(`${command} is allowed where it can`, () => {
      assert.equal(inWords(decide(shell(command), everything)), 'allow: rule');
    });
  }
});
