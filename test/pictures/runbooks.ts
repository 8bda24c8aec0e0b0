import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const rename = `---
title: Rename a price
---
# Rename a price

The plan is simple: look, ask, edit, check.

\`\`\`sh
cat src/prices.js
\`\`\`

\`\`\`ask
name: fruit
message: Which name shall the plum get?
required: true
\`\`\`

\`\`\`ask
name: why
kind: single-select
message: Why does it change?
options:
- exact: Say exactly what it is (recommended) | The shop sells one kind of plum
- taste: It sounds better
\`\`\`

\`\`\`diff
--- a/src/prices.js
+++ b/src/prices.js
@@ -3,4 +3,4 @@
   apple: 45,
   pear: 60,
-  plum: 25,
+  {{fruit}}: 25,
 };
\`\`\`

\`\`\`write docs/{{fruit}}.md
# {{fruit}}

Twenty-five cents.
\`\`\`

The plum is called {{fruit}} now.
`;

const danger = '# Danger\n\nThe build is made anew.\n\n```sh\nrm -rf build\n```\n';

const slow = `# A long check

It takes a while.

\`\`\`sh
for n in 1 2 3 4 5; do echo "checked part $n of 9"; done; sleep 600
\`\`\`
`;

const report = `# What the shop sells

The receipt adds up what \`src/prices.js\` says. **Three fruits** have a price:

| fruit | cents | sold today |
| :--- | ---: | ---: |
| apple | 45 | 12 |
| pear | 60 | 7 |
| plum | 25 | 31 |

The total is made here:

\`\`\`js
/** @param {{ name: string, count: number }[]} items */
export function total(items) {
  return items.reduce((sum, { name, count }) => sum + prices[name] * count, 0);
}
\`\`\`

Two things to look at:

1. A fruit that has no price makes the total \`NaN\`.
2. Nothing rounds, which is [fine for cents](https://example.com/money).

> Prices are in cents everywhere.
`;

const broken = '# A check that fails\n\nThe sums are looked at.\n\n```sh\nls build\n```\n\nNever said.\n';

export const runbooks = { rename, danger, slow, report, broken };

/** Writes a file of a workspace, with the folders above it. */
export function write(workspace: string, path: string, text: string): void {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
}

export function writeRunbooks(workspace: string): void {
  for (const [name, text] of Object.entries(runbooks)) write(workspace, `.switchboard/runbooks/${name}.md`, text);
}
