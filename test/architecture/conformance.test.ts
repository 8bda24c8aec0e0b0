import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { channels } from '../../sidecar/protocol/channels/index.ts';
import { errorCodes } from '../../sidecar/protocol/errors.ts';
import { clientNotifications, methods } from '../../sidecar/protocol/methods.ts';
import { open } from '../requirements/host/open.ts';
import { projectRoot } from '../support/cache.ts';

/** Rows of the built table below the heading `title`, by the id in their first cell. */
function rowsBelow(title: string): ReadonlyMap<string, string> {
  const document = readFileSync(join(projectRoot, 'dist', 'conformance.md'), 'utf8');
  const section = document.split('\n## ').find((it) => it.startsWith(`${title}\n`));
  const lines = section?.split('\n').filter((it) => it.startsWith('| `')) ?? [];
  return new Map(lines.map((it) => [/^\| `([^`]+)`/.exec(it)?.[1] ?? '', it]));
}

describe('the conformance table of the host', () => {
  for (const { title, prefix, names } of [
    {
      title: 'Commands',
      prefix: 'host.command.',
      names: [...Object.keys(methods), ...Object.keys(clientNotifications)]
        .filter((it) => !it.startsWith('x-switchboard/'))
        .filter((it) => it !== 'listSessions'), // the same as root/listSessions
    },
    { title: 'Actions', prefix: 'host.action.', names: channels.flatMap((it) => Object.keys(it.actions)) },
    { title: 'Errors', prefix: 'host.error.', names: Object.values(errorCodes).map(String) },
  ]) {
    it(`has a row for each of the ${title.toLowerCase()}, with a test that shows it or the word open`, () => {
      const rows = rowsBelow(title);
      assert.deepEqual(
        names.filter((it) => !rows.has(it)),
        [],
      );
      for (const [name, row] of rows) {
        const isOpen = row.endsWith('| **open** |');
        assert.equal(isOpen, open.includes(`${prefix}${name}`), row);
        assert.ok(isOpen || /\(test\/[^)]+\) \|$/.test(row), row);
      }
    });
  }
});
