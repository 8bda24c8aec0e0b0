import { channels } from '../../sidecar/protocol/channels/index.ts';
import { citations, fixtureCitations } from '../support/citations.ts';
import { hostRequirements } from './host.ts';
import type { Promised } from './promised.ts';

interface Row extends Promised {
  readonly id: string;
  /** Titles of the tests that show it, with their paths; none where it is open. */
  readonly shownBy: readonly string[];
}

/** Where a row belongs, by how its id begins; the rest goes by its source. */
const tables = [
  { title: 'Commands', prefix: 'host.command.' },
  { title: 'Actions', prefix: 'host.action.' },
  { title: 'Errors', prefix: 'host.error.' },
] as const;

/** What the specification of the host says, statement by statement, with the tests that show it, as Markdown. */
export function conformanceTable(): string {
  const rows = readRows();
  const shown = rows.filter((it) => it.shownBy.length > 0);
  const named = tables.map(({ title, prefix }) => ({
    title,
    prefix,
    rows: rows.filter((it) => it.id.startsWith(prefix)),
  }));
  const others = rows.filter((it) => !named.some((table) => table.rows.includes(it)));
  const sources = [...new Set(others.map((it) => it.source))];
  return [
    '# Conformance of the host',
    `Made by \`npm run build\` from \`test/requirements/host\` and the tests that cite it: ${shown.length} of ${rows.length} statements are shown by a test.`,
    ...named.flatMap(({ title, prefix, rows: own }) => [`## ${title}`, tableOf(own, prefix)]),
    ...sources.flatMap((source) => {
      const own = others.filter((it) => it.source === source);
      return [`## ${source}`, tableOf(own, 'host.')];
    }),
    '',
  ].join('\n\n');
}

function readRows(): readonly Row[] {
  const tests = new Map<string, Set<string>>();
  for (const { place, titles, ids } of [...citations(), ...fixtureCitations(channels.map((it) => it.kind))]) {
    const test = `${titles.join(' › ')} (${place.replace(/:\d+$/, '')})`;
    for (const id of ids) tests.set(id, (tests.get(id) ?? new Set()).add(test));
  }
  return hostRequirements.flatMap((group) =>
    Object.entries<Promised>(group).map(([id, promised]) => ({ id, ...promised, shownBy: [...(tests.get(id) ?? [])] })),
  );
}

function tableOf(rows: readonly Row[], prefix: string): string {
  const lines = rows.map(({ id, fact, shownBy }) => {
    const tests = shownBy.length === 0 ? '**open**' : shownBy.map(inCell).join('<br>');
    return `| \`${id.slice(prefix.length)}\` | ${inCell(fact)} | ${tests} |`;
  });
  return ['| id | what holds | shown by |', '| --- | --- | --- |', ...lines].join('\n');
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
