import type { Recordings } from '../model/server.ts';

/** The repository in which the agent works. The test of `half` fails. */
export const repository: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "fixture", "type": "module" }\n',
  'src/sum.js': 'export const sum = (a, b) => a + b;\n',
  'src/total.js': "import { sum } from './sum.js';\n\nexport const total = (all) => all.reduce(sum, 0);\n",
  'src/half.js': 'export const half = (n) => n / 3;\n',
  'test/half.test.js':
    "import assert from 'node:assert/strict';\nimport test from 'node:test';\nimport { half } from '../src/half.js';\n\ntest('halves', () => assert.equal(half(4), 2));\n",
  'test/total.test.js':
    "import assert from 'node:assert/strict';\nimport test from 'node:test';\nimport { total } from '../src/total.js';\n\ntest('adds', () => assert.equal(total([1, 2, 3]), 6));\n",
  'data/long.txt': `${'a line of a long file, of which nobody needs a word\n'.repeat(400)}`,
  'keep/precious.txt': 'precious\n',
};

const call = (name: string, input: Readonly<Record<string, unknown>>) => ({ name, input });
const runs = (file: string) => [call('shell', { command: `node --test test/${file}.test.js` })];

/** The text and calls of the model in each task. */
export const recordings: Recordings = {
  feature: [
    { text: 'I look first.', calls: [call('read', { path: 'src/sum.js' }), call('list', {})] },
    {
      calls: [
        call('write', { path: 'src/product.js', content: 'export const product = (a, b) => a * b;\n' }),
        call('write', {
          path: 'test/product.test.js',
          content:
            "import assert from 'node:assert/strict';\nimport test from 'node:test';\nimport { product } from '../src/product.js';\n\ntest('multiplies', () => assert.equal(product(2, 3), 6));\n",
        }),
      ],
    },
    { calls: runs('product') },
    { text: 'The function and its test are there.' },
  ],
  rename: [
    { calls: [call('search', { pattern: '\\bsum\\b', glob: '**/*.js' })] },
    {
      calls: [
        call('edit', { path: 'src/sum.js', old_string: 'const sum =', new_string: 'const add =' }),
        call('patch', {
          patch:
            "--- a/src/total.js\n+++ b/src/total.js\n@@ -1,3 +1,3 @@\n-import { sum } from './sum.js';\n+import { add } from './sum.js';\n \n-export const total = (all) => all.reduce(sum, 0);\n+export const total = (all) => all.reduce(add, 0);\n",
        }),
      ],
    },
    { calls: runs('total') },
    { text: 'Renamed.' },
  ],
  mend: [
    { calls: runs('half') },
    { calls: [call('read', { path: 'src/half.js' })] },
    // The old text differs from the file in spaces.
    {
      calls: [
        call('edit', {
          path: 'src/half.js',
          old_string: '  export const half = (n) => n / 3;',
          new_string: '  export const half = (n) => n / 2;',
        }),
      ],
    },
    { calls: runs('half') },
    { text: 'The test passes.' },
  ],
  destroy: [{ calls: [call('shell', { command: 'rm -rf keep' })] }, { text: 'I did not delete it.' }],
  question: [
    { calls: [call('ask', { question: 'Which name?', options: [{ label: 'red' }, { label: 'blue' }] })] },
    { calls: [call('write', { path: 'answer.txt', content: 'asked\n' })] },
    { text: 'Written.' },
  ],
  parent: [
    { calls: [call('delegate', { title: 'Count the files', task: 'Count the files. replay child' })] },
    { text: 'The sub-agent counted.' },
  ],
  child: [{ calls: [call('search', { glob: 'src/*.js' })] }, { text: 'There are three files in src.' }],
  compact: [
    { calls: [call('read', { path: 'data/long.txt' })], usage: { input: 500, output: 20 } },
    { text: 'The user wants after.txt, and data/long.txt was read. replay compact' },
    { calls: [call('write', { path: 'after.txt', content: 'remembered\n' })] },
    { text: 'Done after the summary.' },
  ],
  resume: [
    { text: 'First half.', calls: [call('write', { path: 'first.txt', content: 'one\n' })] },
    // The host holds back the end of a text that may be the beginning of a secret. No secret begins with a full stop.
    { text: 'Waiting.', hangs: true },
    { calls: [call('write', { path: 'second.txt', content: 'two\n' })] },
    { text: 'Second half.' },
  ],
  plan: [
    {
      calls: [
        call('write', { path: 'early.txt', content: 'too early\n' }),
        call('shell', { command: 'touch early.txt' }),
      ],
    },
    { calls: [call('read', { path: 'src/half.js' })] },
    { calls: [call('present_plan', { plan: '1. Write planned.txt' })] },
    { calls: [call('write', { path: 'planned.txt', content: 'planned\n' })] },
    { text: 'The plan is carried out.' },
  ],
  readonly: [
    { calls: [call('read', { path: 'src/half.js' })] },
    { calls: [call('write', { path: 'forbidden.txt', content: 'no\n' })] },
    { text: 'I could only read.' },
  ],
  mcp: [{ calls: [call('echo', { text: 'hello', loud: true })] }, { text: 'The server answered.' }],
  budget: [
    { calls: [call('write', { path: 'before.txt', content: 'before\n' })] },
    { calls: [call('write', { path: 'behind.txt', content: 'behind\n' })] },
    { text: 'Done within the new budget.' },
  ],
  flaky: [{ status: 503, text: 'overloaded' }, { text: 'The second try worked.' }],
};
