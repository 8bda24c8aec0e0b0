import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { ripgrepOf } from '../../../../src/platform/ripgrep.ts';
import { openWorkspace, type Workspace } from '../../../support/host/workspace.ts';

const name = process.platform === 'win32' ? 'rg.exe' : 'rg';

describe("the editor's ripgrep", () => {
  let editor: Workspace;
  afterEach(() => editor.remove());

  for (const folder of [
    `node_modules/@vscode/ripgrep-universal/bin/${process.platform}-${process.arch}`,
    'node_modules/@vscode/ripgrep/bin',
    'node_modules.asar.unpacked/@vscode/ripgrep/bin',
  ])
    it(`is found in ${folder}`, () => {
      editor = openWorkspace({ [`${folder}/${name}`]: '' });
      assert.equal(ripgrepOf(editor.path), join(editor.path, folder, name));
    });

  it('is absent from an editor that has none', () => {
    editor = openWorkspace();
    assert.equal(ripgrepOf(editor.path), undefined);
  });
});
