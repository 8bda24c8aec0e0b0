import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { pageGroups } from '../../media/admin/pages.ts';
import { readmePictures, subjects } from '../pictures/list.ts';
import { projectRoot } from '../support/cache.ts';
import { folderOf } from '../support/editor/treeDefinitions.ts';

const read = (name: string) => readFileSync(join(projectRoot, name), 'utf8');
const all: readonly string[] = Object.values(subjects).flat();
const missing = (wanted: readonly string[]) => wanted.filter((it) => !all.includes(it));

describe('the list of pictures', () => {
  it('has each view of package.json empty, with content, and in a folder that is not trusted', () => {
    const { contributes } = JSON.parse(read('package.json')) as {
      contributes: { views: Record<string, readonly { id: string }[]> };
    };
    const views = Object.values(contributes.views).flat();
    assert.ok(views.length > 0);
    const states = ['empty', 'content', 'untrusted'];
    assert.deepEqual(missing(views.flatMap(({ id }) => states.map((it) => `view-${folderOf(id)}-${it}`))), []);
  });

  it('has each page of the gateway empty and with records in it', () => {
    const pages = pageGroups.flatMap((it) => it.pages);
    assert.ok(pages.length > 0);
    assert.deepEqual(missing(pages.flatMap(({ id }) => [`page-${id}`, `page-${id}-empty`])), []);
  });

  it('names each picture once, so that none takes the place of another', () => {
    assert.deepEqual(
      all.filter((it, at) => all.indexOf(it) !== at),
      [],
    );
  });

  it('has those that the README shows', () => {
    const shown = [...read('README.md').matchAll(/\(media\/screenshots\/([\w-]+)\.png\)/g)].map(
      (it) => it[1] as string,
    );
    assert.deepEqual(shown.toSorted(), Object.keys(readmePictures).toSorted());
    for (const it of shown) assert.ok(existsSync(join(projectRoot, 'media', 'screenshots', `${it}.png`)), it);
  });
});
