import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { contributedBy } from '../../src/activation/contributed.ts';
import { commandIds } from '../../src/manifest/manifest.ts';
import { projectRoot } from '../support/cache.ts';
import { disagreements, treeDefinitions, type ViewManifest } from '../support/editor/treeDefinitions.ts';
import { sourcePaths } from '../support/sources.ts';

const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as ViewManifest;
const folders = sourcePaths(['src/views']).flatMap((it) => /^src\/views\/([^/]+)\/view\.ts$/.exec(it)?.[1] ?? []);

describe('tree views', () => {
  it('are those that package.json contributes, each defined once, with commands that it contributes too', async () => {
    assert.ok(folders.length > 0);
    assert.deepEqual(disagreements(manifest, await treeDefinitions(), Object.values(commandIds), folders), []);
  });

  it('are registered at activation as package.json contributes them, and so are all commands', async () => {
    const { trees, commands } = contributedBy(manifest);
    assert.deepEqual(new Set(trees.map((it) => it.id)), new Set((await treeDefinitions()).map((it) => it.id)));
    assert.equal(commands.length, manifest.contributes.commands.length);
  });

  const defined = { id: 'a.prompts', commands: { 'a.prompt.open': () => undefined } };
  const contributes = {
    commands: [{ command: 'a.prompt.open' }, { command: 'a.other' }],
    views: { a: [{ id: 'a.prompts' }], chat: [{ id: 'a.chat', type: 'webview' }] },
  };
  const cases: readonly { fault: string; given: Parameters<typeof disagreements>; reported: readonly string[] }[] = [
    {
      fault: 'a view has no definition',
      given: [{ contributes }, [], ['a.other', 'a.prompt.open'], []],
      reported: ['package.json contributes the tree view a.prompts, which src/views does not define'],
    },
    {
      fault: 'a definition has no view',
      given: [{ contributes: { ...contributes, views: {} } }, [defined], ['a.other'], ['prompts']],
      reported: ['src/views defines a.prompts, which package.json does not contribute as a tree view'],
    },
    {
      fault: 'a view has two definitions',
      given: [{ contributes }, [defined, { id: 'a.prompts' }], ['a.other'], ['prompts']],
      reported: ['src/views defines a.prompts twice'],
    },
    {
      fault: 'a command of a definition is not contributed',
      given: [
        { contributes: { ...contributes, commands: [{ command: 'a.other' }] } },
        [defined],
        ['a.other'],
        ['prompts'],
      ],
      reported: ['a.prompts runs a.prompt.open, which package.json does not contribute'],
    },
    {
      fault: 'nobody runs a command that is contributed',
      given: [{ contributes }, [defined], [], ['prompts']],
      reported: [
        'package.json contributes the command a.other, which neither src/manifest nor a view of src/views names',
      ],
    },
    {
      fault: 'a definition is not in the list',
      given: [{ contributes }, [defined], ['a.other'], ['prompts', 'recent']],
      reported: ['src/views/recent/view.ts is not in the list of src/views/index.ts'],
    },
  ];
  for (const { fault, given, reported } of cases) {
    it(`are refused with a sentence where ${fault}`, () => {
      assert.deepEqual(disagreements(...given), reported);
    });
  }
});
