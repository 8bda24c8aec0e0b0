import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { repositoryIn } from '../../../../../sidecar/agents/cloud/repository.ts';

const origin = (url: string) =>
  `[core]\n\tbare = false\n[remote "fork"]\n\turl = https://git.example/me/name\n[remote "origin"]\n\turl = ${url}\n[branch "main"]\n\tremote = origin\n`;

describe('the repository that a Git configuration names', () => {
  for (const [url, expected] of [
    ['https://git.example/owner/name.git', 'https://git.example/owner/name'],
    ['https://me:secret@git.example:8443/owner/name', 'https://git.example:8443/owner/name'],
    ['git@git.example:owner/name.git', 'https://git.example/owner/name'],
    ['ssh://git@git.example:2222/owner/name.git', 'https://git.example/owner/name'],
    ['ssh://git@git.example/owner/name', 'https://git.example/owner/name'],
    ['/srv/git/name.git', undefined],
    ['file:///srv/git/name.git', undefined],
  ] as const) {
    it(`is ${expected ?? 'unknown'} for the origin ${url}`, () => {
      assert.equal(repositoryIn(origin(url)), expected);
    });
  }

  it('is unknown if there is no origin', () => {
    assert.equal(repositoryIn('[remote "fork"]\n\turl = https://git.example/me/name\n'), undefined);
    assert.equal(repositoryIn(''), undefined);
  });

  it('is not one of a section that follows an origin without an address', () => {
    const text = '[remote "origin"]\n\tfetch = +refs/*\n[remote "fork"]\n\turl = https://git.example/me/name\n';
    assert.equal(repositoryIn(text), undefined);
  });
});
