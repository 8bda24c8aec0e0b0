import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import type { Row } from '../../../src/webviews/contract/chatModel.ts';
import { type ChatHarness, editRow, headOf, running, startChatHarness, themes, useTheme } from './chatHarness.ts';

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const answer = `# Result

A [link](https://example.com), \`src/a.ts:3\`, and \`npm test\`.

#### Steps

- [x] one
- [ ] two

> A quotation.

| fruit | cents |
| --- | --: |
| apple | 45 |

\`\`\`ts
// A comment of the code.
import { readFile } from 'node:fs';
@decorated
class Basket<T extends Fruit> {
  readonly pattern = /a+b/g;
  total(count: number): string {
    return \`\${count * 4.5} of \${this.name ?? null}\`;
  }
}
\`\`\`

\`\`\`css
.basket > #id:hover { color: #f00; margin: 4px; }
\`\`\`

\`\`\`diff
- old
+ new
\`\`\`

\`\`\`html
<a href="x">text &amp; more</a>
\`\`\`
`;

const options = [
  { id: 'allow-once', label: 'Allow once', approves: true },
  { id: 'allow-session', label: 'Allow', approves: true },
  { id: 'deny', label: 'Deny', approves: false },
  { id: 'deny-with-reason', label: 'Deny with a reason', approves: false },
];
const output = { text: 'src/a.ts:3:1 - error\nok', lines: 2, isCut: false };
const rows: readonly Row[] = [
  { kind: 'prompt', id: 't/prompt', turnId: 't', text: 'Fix it', attachments: [{ label: 'a.ts', kind: 'document' }] },
  { kind: 'reasoning', id: 't/r', turnId: 't', text: 'So.', durationMs: 12_000 },
  { kind: 'markdown', id: 't/m', turnId: 't', text: answer },
  editRow('a', { state: 'failed', exitCode: 2, error: 'It failed.', command: 'npm test', output }),
  editRow('b', { parentId: 't/a' }),
  editRow('c', { state: 'denied', reason: 'Not now' }),
  { kind: 'notice', id: 't/n', turnId: 't', text: '**Note**', isMarkdown: true },
  editRow('d', { state: 'pending', ask: { options, oneClick: true, rule: 'src/**' } }),
  editRow('e', {
    state: 'pending',
    toolKind: 'shell',
    command: 'rm -r build',
    ask: { options, oneClick: false, because: 'destructive' },
  }),
  { kind: 'error', id: 't/error', turnId: 't', message: 'The agent stopped.', action: 'retry' },
  {
    kind: 'end',
    id: 't/end',
    turnId: 't',
    state: 'complete',
    changes: { files: 2, added: 3, removed: 1, status: 'open', canKeep: true, canUndo: true, canRedo: false },
  },
];

interface Violation {
  readonly id: string;
  readonly nodes: readonly {
    readonly html: string;
    readonly failureSummary: string;
    readonly any: readonly { readonly data?: { readonly messageKey?: string } | null }[];
  }[];
}
/** What axe finds, with the element and the reason. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { axe: run } = window as unknown as {
      axe: { run(): Promise<{ violations: Violation[]; incomplete: Violation[] }> };
    };
    const { violations: wrong, incomplete } = await run.run();
    // Text in the very color of its background axe takes for hidden on purpose.
    const unseen = incomplete.flatMap((it) => ({
      ...it,
      nodes: it.nodes.filter(({ any }) => any.some(({ data }) => data?.messageKey === 'equalRatio')),
    }));
    return [...wrong, ...unseen];
  });
  return found.flatMap(({ id, nodes }) => nodes.map((it) => `${id}: ${it.html.slice(0, 160)} ${it.failureSummary}`));
}

describe('the chat page for people who see or hear it otherwise', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  for (const name of Object.keys(themes)) {
    it(`has nothing that axe finds wrong in ${name}, code and changes included`, async () => {
      const { page, send, rest, said } = await harness.open();
      await useTheme(page, name);
      // What is scrolled out of sight is not looked at.
      await page.setViewportSize({ width: 900, height: 3_000 });
      await send({ type: 'model', seq: 1, model: { head: headOf(), rows } });
      await page.locator('.code').first().waitFor();
      for (const { toolCallId } of await said('diff')) {
        const marks = [[9, 10]] as const;
        const lines = [
          { kind: 'same', text: 'function total() {' },
          { kind: 'removed', text: '  return 4;', marks },
          { kind: 'added', text: '  return 5;', marks },
        ] as const;
        await send({ type: 'diff', turnId: 't', toolCallId, index: 0, diff: { lines, more: 3 } });
      }
      await page.locator('.diff-line').first().waitFor();
      await rest();
      assert.deepEqual(await violations(page), []);
      await page.close();
    });

    it(`has nothing that axe finds wrong in ${name} while an agent works`, async () => {
      const { page, send, rest } = await harness.open();
      await useTheme(page, name);
      const banners = [{ id: 'silent', kind: 'silent', subject: 'Claude', detail: 'It waits.' }] as const;
      const plan = [{ text: 'Look', state: 'done' } as const, { text: 'Write', state: 'doing' } as const];
      const head = headOf({ turn: { ...running.turn, plan }, banners });
      const live = [
        rows[0]!,
        { ...rows[1]!, durationMs: undefined } as unknown as Row,
        editRow('f', { state: 'running' }),
      ];
      await send({ type: 'model', seq: 1, model: { head, rows: live } });
      await page.locator('.banner').first().waitFor();
      await rest();
      assert.deepEqual(await violations(page), []);
      await page.close();
    });
  }
});
