import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { indexOf, rank, wordsOf } from '../../../../../../sidecar/gateway/mcp/toolSearch/ranking.ts';
import { verifies } from '../../../../../support/verifies.ts';

const git = indexOf([
  { name: 'git__create_issue', title: 'New issue', description: 'Opens an issue in a repository.' },
  { name: 'git__list_issues', description: 'Lists the issues of a repository, newest first.' },
  { name: 'git__mergePullRequest', description: 'Merges a pull request.' },
  { name: 'git__delete', description: 'Deletes a repository. This cannot be undone.' },
]);
const mail = indexOf([
  { name: 'mail__send', title: 'Send mail', description: 'Sends a message to people.' },
  { name: 'mail__search', description: 'Finds messages by words, also those about an issue.' },
  { name: 'mail__translate', description: '翻译一封邮件' },
  { name: 7, description: {} },
]);
const lists = [git, mail];
const found = (query: string, limit = 10, mayShow = (_name: unknown) => true) => {
  const nameOf = ({ list, tool }: { list: number; tool: number }) => lists[list]?.tools[tool]?.['name'];
  return rank(lists, query, limit, (it) => mayShow(nameOf(it))).map(nameOf);
};

describe('the search among tools', () => {
  const cases: readonly [query: string, first: string, says: string][] = [
    ['create issue', 'git__create_issue', 'the words of a name'],
    ['CREATE ISSUES', 'git__create_issue', 'other letters and the plural'],
    ['pull request', 'git__mergePullRequest', 'the parts of a name in camel case'],
    ['new', 'git__create_issue', 'the words of a title'],
    ['undone', 'git__delete', 'the words of a description'],
    ['repo undone', 'git__delete', 'the beginning of a word'],
    ['people', 'mail__send', 'the tools of another list'],
    ['翻译', 'mail__translate', 'words without spaces between them'],
    ['git__delete', 'git__delete', 'the whole name'],
    [' mail__search ', 'mail__search', 'the whole name with spaces around it'],
  ];
  for (const [query, first, says] of cases)
    it(`finds ${first} by ${says}`, () => {
      verifies('gateway.tool-search.find');
      assert.equal(found(query)[0], first);
    });

  it('weighs names before titles before descriptions, and rare words before common ones', () => {
    verifies('gateway.tool-search.find');
    const own = indexOf([
      { name: 'a', description: 'report and more words here' },
      { name: 'b', title: 'report', description: 'and more words here' },
      { name: 'report', description: 'and more words here' },
    ]);
    assert.deepEqual(
      rank([own], 'report', 3, () => true).map((it) => it.tool),
      [2, 1, 0],
    );
    assert.equal(found('repository merges')[0], 'git__mergePullRequest');
  });

  it('finds at most as many as are asked for, and none that may not be shown', () => {
    verifies('gateway.tool-search.find');
    assert.equal(found('issue').length, 3);
    assert.deepEqual(found('issue', 1), ['git__create_issue']);
    assert.deepEqual(
      found('issue', 1, (name) => name !== 'git__create_issue'),
      ['git__list_issues'],
    );
  });

  it('finds nothing by words that no tool has, or without words', () => {
    for (const query of ['zebra', 'zz', '', '!?', 'x'.repeat(1_000)]) assert.deepEqual(found(query), [], query);
    assert.deepEqual(
      rank([], 'issue', 5, () => true),
      [],
    );
  });

  it('keeps the order of the lists among equal tools', () => {
    const twins = indexOf(['c', 'a', 'b'].map((name) => ({ name, description: 'same' })));
    assert.deepEqual(
      rank([twins, twins], 'same', 6, () => true).map((it) => `${it.list}${it.tool}`),
      ['00', '01', '02', '10', '11', '12'],
    );
  });

  it('splits names into words', () => {
    assert.deepEqual(wordsOf('getHTTPStatus_by-id2Name'), ['get', 'httpstatu', 'by', 'id2', 'name']);
  });
});
