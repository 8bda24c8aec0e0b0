import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { projectRoot } from '../support/cache.ts';
import { configurationSections } from './references/configuration.ts';
import { anchorOf, plain, type Section } from './references/markdown.ts';
import { references } from './references/references.ts';
import { settingsSections } from './references/settings.ts';

const documents = [
  { name: 'the reference of settings', sections: settingsSections() },
  { name: 'the reference of the gateway configuration', sections: configurationSections() },
];

/** The fields of a document about which nothing is said. */
const unexplained = (sections: readonly Section[]) =>
  sections.flatMap(({ title, fields }) =>
    fields.filter((it) => it.meaning.trim() === '').map((it) => `${title}: ${it.name}`),
  );

describe('references', () => {
  for (const { file, text } of references())
    it(`${file} is what "npm run references" writes`, () => {
      assert.equal(readFileSync(join(projectRoot, file), 'utf8'), text);
    });

  for (const { name, sections } of documents) {
    it(`${name} explains every field`, () => {
      assert.ok(sections.flatMap((it) => it.fields).length > 20);
      assert.deepEqual(unexplained(sections), []);
    });

    it(`${name} describes no object twice, and has a section for every link`, () => {
      const anchors = sections.map((it) => anchorOf(it.title));
      assert.deepEqual(
        anchors.filter((it, at) => anchors.indexOf(it) !== at),
        [],
      );
      const texts = sections.flatMap((it) => [...it.text, ...it.fields.map(({ type }) => type)]);
      const links = texts.flatMap((it) => [...it.matchAll(/\]\(#([^)]*)\)/g)].map((found) => found[1] ?? ''));
      assert.ok(links.length > 0);
      assert.deepEqual(
        links.filter((it) => !anchors.includes(it)),
        [],
      );
    });
  }

  it('a field without an explanation is found by its section and name', () => {
    const fields = [{ name: 'port', type: 'integer', default: '0', meaning: ' ' }];
    assert.deepEqual(unexplained([{ title: 'listen', level: 2, text: [], fields }]), ['listen: port']);
  });

  it('plain text keeps its signs where it stands in Markdown', () =>
    assert.equal(plain('<a> [b] *c* "_" d_e \\'), '\\<a\\> \\[b\\] \\*c\\* "\\_" d_e \\\\'));
});
