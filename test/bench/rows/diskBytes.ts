import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openBenchHost } from '../benchHost.ts';
import type { Row } from '../measure.ts';

const BYTES = 1_000_000;
const TURNS = 10;

/** What the database and its log hold more after a turn ended, for each byte that was streamed in it. */
export async function diskBytes(): Promise<readonly Row[]> {
  const host = openBenchHost();
  host.addRunbook(
    'long',
    `# Long\n\n${'A sentence that is said in the course of a long answer. '.repeat(BYTES / 56)}\n`,
  );
  try {
    const { newSession, turn } = await host.connect();
    const { chat } = await newSession();
    await turn(chat, '/long');
    const before = databaseBytes(host.place.dataDir);
    const figures: number[] = [];
    for (let count = 1; count <= TURNS; count += 1) {
      await turn(chat, '/long');
      figures.push((databaseBytes(host.place.dataDir) - before) / BYTES / count);
    }
    return [
      {
        name: 'disk bytes for each streamed byte, after the turn ended',
        value: figures.at(-1) ?? Number.NaN,
        limit: 3,
        unit: 'bytes per byte',
        detail: `the mean of ${TURNS} turns of 1 MB; after each of them ${figures.map((it) => it.toFixed(2)).join(', ')}`,
      },
    ];
  } finally {
    await host.close();
  }
}

function databaseBytes(dataDir: string): number {
  return readdirSync(dataDir)
    .filter((it) => it.startsWith('host.db'))
    .reduce((sum, it) => sum + statSync(join(dataDir, it)).size, 0);
}
