import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { FolderAgents } from '../../../../src/client/folderAgents.ts';
import { type Later, later } from '../../../support/later.ts';

const agent = (name: string) => ({ name }) as never;

describe('the custom agents of the folder of a new session', () => {
  let asked: (Later<{ items: never[] }> & { readonly folder: string })[];
  let warnings: string[];
  let agents: FolderAgents;
  let changes: number;
  beforeEach(() => {
    [asked, warnings, changes] = [[], [], 0];
    const request = (_method: string, { workingDirectory: folder }: { workingDirectory: string }) => {
      const answer = later<{ items: never[] }>();
      asked.push({ ...answer, folder });
      return answer.promise;
    };
    agents = new FolderAgents({ port: { request } as never, warn: (it) => warnings.push(it) }, () => (changes += 1));
  });
  const soon = () => new Promise((resolve) => void setImmediate(resolve));

  it('are read once for each folder that is chosen, and shown where there are some', async () => {
    agents.read('file:///a');
    agents.read('file:///a');
    asked[0]!.resolve({ items: [agent('one')] });
    await soon();
    assert.deepEqual([asked.map((it) => it.folder), agents.items, changes], [['file:///a'], [agent('one')], 1]);
    agents.read('file:///b');
    assert.deepEqual(agents.items, [], 'those of another folder are not shown');
    asked[1]!.resolve({ items: [] });
    await soon();
    assert.deepEqual([agents.items, changes], [[], 1]);
    agents.read(undefined);
    assert.equal(asked.length, 2);
    agents.read('file:///b');
    assert.equal(asked.length, 3);
  });

  it('are those of the folder that was chosen last, whichever is answered last', async () => {
    agents.read('file:///slow');
    agents.read('file:///fast');
    asked[1]!.resolve({ items: [agent('fast')] });
    await soon();
    asked[0]!.resolve({ items: [agent('slow')] });
    await soon();
    assert.deepEqual([agents.items, changes], [[agent('fast')], 1]);
  });

  it('are none where they are not read, and the log says why', async () => {
    agents.read('file:///a');
    asked[0]!.reject(new Error('no'));
    await soon();
    assert.deepEqual([agents.items, changes, warnings], [[], 0, ['the custom agents of a folder were not read: no']]);
  });
});
