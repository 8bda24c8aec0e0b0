import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { contributedBy } from '../../../../src/activation/contributed.ts';

describe('what package.json contributes', () => {
  it('is registered at activation: all commands, and the trees of all containers, but no webview', () => {
    const contributes = {
      commands: [{ command: 'a.one', title: 'One' }, { command: 'a.two' }],
      views: {
        a: [{ id: 'a.flat' }, { id: 'a.deep', showCollapseAll: true }],
        b: [
          { id: 'b.chat', type: 'webview' },
          { id: 'b.rows', type: 'tree', showCollapseAll: false, canSelectMany: true, takesFiles: true },
        ],
      },
    };
    assert.deepEqual(contributedBy({ contributes }), {
      commands: ['a.one', 'a.two'],
      trees: [
        { id: 'a.flat', showCollapseAll: false, canSelectMany: false, takesFiles: false },
        { id: 'a.deep', showCollapseAll: true, canSelectMany: false, takesFiles: false },
        { id: 'b.rows', showCollapseAll: false, canSelectMany: true, takesFiles: true },
      ],
    });
  });
});
