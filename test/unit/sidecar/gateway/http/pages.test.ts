import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openPages, type Pages } from '../../../../../sidecar/gateway/http/pages.ts';

describe('the pages of the gateway', () => {
  let folder: string;
  let pages: Pages;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-pages-'));
    pages = openPages(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const textOf = async (path: string) => {
    const answer = (await pages(path)) as Response | undefined;
    return answer?.text();
  };

  it('are not there before they are built, are looked for again, and read once', async () => {
    for (const path of ['/', '/keys', '/admin.js', '/admin.css']) assert.equal(await pages(path), undefined, path);
    writeFileSync(join(folder, 'admin.js'), 'built');
    assert.equal(await textOf('/admin.js'), 'built');
    assert.match((await textOf('/keys')) ?? '', /src="admin.js"/);
    assert.equal(await pages('/admin.css'), undefined);
    writeFileSync(join(folder, 'admin.js'), 'built anew');
    assert.equal(await textOf('/admin.js'), 'built');
  });

  it('hold no file but those beside the script, whatever the path says', async () => {
    writeFileSync(join(folder, 'admin.js'), 'built');
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    for (const path of ['/secret.txt', '/../secret.txt', '/..%2fsecret.txt', '/a/b', '/.js'])
      assert.match((await textOf(path)) ?? '', /^<!DOCTYPE html>/, path);
    const sent = (await pages('')) as Response;
    assert.deepEqual([sent.status, sent.headers.get('location')], [308, '/ui/']);
  });

  it('run no script of anybody else and stand in no frame', async () => {
    writeFileSync(join(folder, 'admin.js'), 'built');
    const { headers } = (await pages('/')) as Response;
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/);
    assert.deepEqual(
      ['referrer-policy', 'x-frame-options', 'cache-control'].map((it) => headers.get(it)),
      ['no-referrer', 'DENY', 'no-cache'],
    );
    assert.equal(
      ((await pages('/admin.js')) as Response).headers.get('content-type'),
      'text/javascript; charset=utf-8',
    );
  });
});
