import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openBenchHost } from '../benchHost.ts';
import type { Row } from '../measure.ts';

const BYTES = 1_000_000;
const TURNS = 10;
const STILL_MS = 300;

/**
 * What the database and its log hold more after a turn ended and the host had its moment to tidy, for each byte that was
 * streamed until then: the worst of the turns counts.
 */
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
    const before = await settledBytes(host.place.dataDir);
    const figures: number[] = [];
    for (let count = 1; count <= TURNS; count += 1) {
      await turn(chat, '/long');
      figures.push(((await settledBytes(host.place.dataDir)) - before) / BYTES / count);
    }
    return [
      {
        name: 'disk bytes for each streamed byte, after the turn ended',
        value: Math.max(...figures),
        limit: 3,
        unit: 'bytes per byte',
        detail: `the worst of ${TURNS} turns of 1 MB; after each of them ${figures.map((it) => it.toFixed(2)).join(', ')}`,
      },
    ];
  } finally {
    await host.close();
  }
}

/** Once nothing was written for a moment. */
async function settledBytes(dataDir: string): Promise<number> {
  let [bytes, sinceMs] = [databaseBytes(dataDir), performance.now()];
  while (performance.now() - sinceMs < STILL_MS) {
    await new Promise((resolve) => void setTimeout(resolve, STILL_MS / 10));
    const now = databaseBytes(dataDir);
    if (now !== bytes) [bytes, sinceMs] = [now, performance.now()];
  }
  return bytes;
}

function databaseBytes(dataDir: string): number {
  return readdirSync(dataDir)
    .filter((it) => it.startsWith('host.db'))
    .reduce((sum, it) => sum + statSync(join(dataDir, it)).size, 0);
}
