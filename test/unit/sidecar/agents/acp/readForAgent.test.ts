import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readForAgent } from '../../../../../sidecar/agents/acp/readForAgent.ts';
import type { SessionFiles } from '../../../../../sidecar/agents/provider.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';

const files = (text: string | Fault): SessionFiles => {
  const readText = async () => {
    if (text instanceof Fault) throw text;
    return text;
  };
  return { readText } as unknown as SessionFiles;
};

describe('what an ACP agent reads of a file', () => {
  const three = 'a\nb\nc';
  for (const [says, text, range, expected] of [
    ['all of it where it names no lines', three, {}, three],
    ['all of it where lines are null', three, { line: null, limit: null }, three],
    ['from a line on', three, { line: 2 }, 'b\nc'],
    ['from the first line on where it names one before it', three, { line: 0, limit: 1 }, 'a\n'],
    ['so many lines', three, { limit: 2 }, 'a\nb\n'],
    ['so many lines from one on', three, { line: 3, limit: 5 }, 'c'],
    ['no lines where it wants none', three, { line: 1, limit: 0 }, ''],
    ['no lines where it wants fewer than none', three, { line: 1, limit: -1 }, ''],
    ['no lines behind the end', three, { line: 4 }, ''],
    ['empty lines as lines', '\n\nc\n', { line: 2, limit: 1 }, '\n'],
  ] as const) {
    it(`is ${says}`, async () => assert.equal(await readForAgent({ path: '/ws/a', ...range }, files(text)), expected));
  }
  for (const code of ['not_found', 'content_not_found'] as const) {
    it(`is empty where there is none (${code})`, async () => {
      assert.equal(await readForAgent({ path: '/ws/a', line: 1 }, files(new Fault(code, 'It is not there.'))), '');
    });
  }
  it('is refused where the file may not be read', async () => {
    const refused = files(new Fault('forbidden', 'It lies outside.'));
    await assert.rejects(readForAgent({ path: '/x' }, refused), (it: Fault) => it.code === 'forbidden');
  });
});
