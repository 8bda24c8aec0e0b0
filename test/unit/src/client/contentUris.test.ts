import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { URI } from 'vscode-uri';
import { contentUri } from '../../../../sidecar/protocol/uris.ts';
import { contentUriParts, hostContentOf } from '../../../../src/client/contentUris.ts';

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
