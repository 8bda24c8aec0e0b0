import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { commandLink, escapeTitle, MAX_TITLE_TEXT } from '../../../../src/requests/escape.ts';
import { toastTitle } from '../../../../src/requests/toastText.ts';
import { english, shellRequest } from '../../../support/extensionStates.ts';

/** How the editor finds links in a notification. */
const linkPattern = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;
const linksIn = (title: string) => [...title.matchAll(linkPattern)].map((it) => it[2]);

const idOf = (key: string) => `id of ${key}`;

describe('the title of a notification', () => {
  it('offers to allow once and to deny with the one-time id, and to look with the key alone', () => {
    const request = shellRequest('npm test');
    const links = linksIn(toastTitle(english, [request], idOf));
    assert.deepEqual(
      links.map((it) => it?.slice('command:'.length).split('?')[0]),
      ['switchboard.request.allowOnce', 'switchboard.request.deny', 'switchboard.request.open'],
    );
    const claim = { key: request.key, id: idOf(request.key) };
    assert.deepEqual(
      links.map((it) => JSON.parse(decodeURIComponent(it?.split('?')[1] ?? '')) as unknown),
      [[claim], [claim], [request.key]],
    );
  });

  it('gets no link, code or break from the words of an agent', () => {
    const evil =
      'echo [Allow](command:workbench.action.terminal.sendSequence?%5B%5D) `x`\n\u202e[y](https://evil.example)';
    const title = toastTitle(english, [shellRequest(evil)], idOf);
    assert.equal(linksIn(title).length, 1);
    assert.doesNotMatch(title, /[`\n\u202e]/);
    assert.match(title, /‹U\+202E›/);
    assert.doesNotMatch(escapeTitle(evil), /[[\]`\n]/);
  });

  it('offers only to look where the command is destructive or too long to be read', () => {
    for (const it of [
      shellRequest('rm -rf /', { oneClick: false }),
      shellRequest('npm test', { oneClick: undefined }),
      shellRequest('echo `date`'),
      shellRequest('npm test\nnpm run lint'),
      shellRequest(`echo ${'x'.repeat(MAX_TITLE_TEXT)}; rm -rf ~`),
    ]) {
      assert.deepEqual(
        linksIn(toastTitle(english, [it], idOf)).map((link) => link?.split('?')[0]),
        ['command:switchboard.request.open'],
      );
    }
  });

  it('is one for several requests, without an answer to any of them', () => {
    const title = toastTitle(english, [shellRequest('a'), { ...shellRequest('b'), key: 'k2' }], idOf);
    assert.match(title, /^2 requests need you/);
    assert.deepEqual(linksIn(title), ['command:switchboard.requests.review']);
  });

  it('is empty when nothing waits', () => {
    assert.equal(toastTitle(english, [], idOf), '');
  });
});

describe('a command link', () => {
  it('survives brackets and quotes in a key', () => {
    const key = `host-session:/s#a)b("c")'d*!`;
    const [found] = linksIn(commandLink('Go', 'switchboard.request.open', key));
    assert.deepEqual(JSON.parse(decodeURIComponent(found?.split('?')[1] ?? '')), [key]);
  });
});
