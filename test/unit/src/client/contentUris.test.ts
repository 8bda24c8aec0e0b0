import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { URI } from 'vscode-uri';
import { contentUri } from '../../../../sidecar/protocol/uris.ts';
import { contentUriParts, hostContentOf, shownFileOf } from '../../../../src/client/contentUris.ts';
import { verifies } from '../../../support/verifies.ts';

const sha = 'a'.repeat(64);

describe('URIs of kept contents', () => {
  it('keep the path of the real file and come back whole through the editor, whatever the name', () => {
    for (const path of ['/w/a b.ts', '/c:/w/ä%20#?.md', '/w/[x](y).png', '/w/日本.txt', "/w/it's & co?.ts"]) {
      const kept = contentUri(sha, path.slice(path.lastIndexOf('/') + 1));
      const again = URI.parse(URI.from(contentUriParts(kept, path)).toString());
      assert.equal(again.path, path);
      assert.equal(hostContentOf(again.query), kept);
    }
  });

  it('name a file of a host elsewhere, as the document that shows it, and kept contents name none', () => {
    verifies('host.remote.comments');
    const far = contentUriParts('file:///w/a%20b.txt', '/w/a b.txt', 'wss://far.test:1/x');
    assert.deepEqual(shownFileOf(far, ''), { authority: 'wss.far.test:1~x', uri: 'file:///w/a%20b.txt' });
    const kept = contentUriParts(`host-content:/${'0'.repeat(64)}/a.txt`, '/w/a.txt', 'wss://far.test');
    assert.equal(shownFileOf(kept, ''), undefined);
    const own = { scheme: 'file', authority: '', query: '' };
    assert.deepEqual(shownFileOf(own, 'file:///w/a.txt'), { authority: '', uri: 'file:///w/a.txt' });
  });

  it('name nothing but kept contents', () => {
    for (const query of [
      '',
      'file:///etc/passwd',
      `host-content:/${sha}`,
      `host-content:/${sha}/a/b`,
      'host-content:/xyz/a',
    ]) {
      assert.equal(hostContentOf(query), undefined);
    }
  });
});
