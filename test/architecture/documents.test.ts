import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { rooms } from '../../rooms.ts';
import { projectRoot } from '../support/cache.ts';

const read = (name: string) => readFileSync(join(projectRoot, name), 'utf8');

/** The names in backticks that begin the rows of the table whose header begins with `header`. */
function firstColumn(document: string, header: string): string[] {
  const lines = document.split('\n');
  const from = lines.findIndex((line) => line.toLowerCase().startsWith(`| ${header} |`));
  assert.notEqual(from, -1, `there is no table "${header}"`);
  const rows = lines.slice(from + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end === -1 ? undefined : end).flatMap((line) => /^\|\s*`([^`]+)`/.exec(line)?.[1] ?? []);
}

describe('documents say what the code says', () => {
  it('ARCHITECTURE.md lists the rooms of rooms.ts', () => {
    assert.deepEqual(firstColumn(read('ARCHITECTURE.md'), 'room').sort(), Object.keys(rooms).sort());
  });

  it('README.md lists the settings of package.json with their defaults', () => {
    const { contributes } = JSON.parse(read('package.json')) as {
      contributes: { configuration: { properties: Record<string, { default: unknown }> }[] };
    };
    const settings = Object.assign({}, ...contributes.configuration.map((it) => it.properties)) as Record<
      string,
      { default: unknown }
    >;
    const readme = read('README.md');
    assert.deepEqual(firstColumn(readme, 'setting').sort(), Object.keys(settings).sort());
    for (const [id, { default: value }] of Object.entries(settings)) {
      const row = readme.split('\n').find((line) => line.startsWith(`| \`${id}\``)) ?? '';
      const said = typeof value === 'string' ? value : JSON.stringify(value);
      assert.ok(
        row.includes(`\`${said}\``) || row.includes(`\`"${said}"\``),
        `${id}: the default is ${said}, the README says: ${row}`,
      );
    }
  });

  it('every file that a document names in backticks is there', () => {
    const missing = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md'].flatMap((name) =>
      [...read(name).matchAll(/`((?:src|sidecar|media|test)\/[\w./-]+)`/g)]
        .map((it) => it[1] as string)
        .filter((path) => !existsSync(join(projectRoot, path.replace(/\/$/, ''))))
        .map((path) => `${name}: ${path}`),
    );
    assert.deepEqual(missing, []);
  });

  it('every npm script that a document names is there', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const missing = ['CONTRIBUTING.md', 'README.md', '.ci/run'].flatMap((name) =>
      [...read(name).matchAll(/npm run ([a-z:]+)/g)].map((it) => it[1] as string).filter((it) => !(it in scripts)),
    );
    assert.deepEqual(missing, []);
  });
});
