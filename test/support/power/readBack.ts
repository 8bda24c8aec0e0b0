import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Found } from './cuts.ts';
import { openGatewayPlace, ownedId, TEAM } from './gatewayPlace.ts';
import { CHAT, openPlace, SESSION } from './hostPlace.ts';

/** How far the text of the chat goes, and whether the contents are there that rows refer to. */
export async function readHost(dataDir: string): Promise<Found> {
  const { store, storage, problems } = openPlace(dataDir);
  const chat = store.state('chat', CHAT);
  const turns = [...(chat?.turns ?? []), ...(chat?.activeTurn ? [chat.activeTurn] : [])];
  const text = turns.flatMap((it) => it.responseParts.map((part) => (part.kind === 'markdown' ? part.content : '')));
  const counts = text.join('').split(';').slice(0, -1).map(Number);
  if (counts.some((it, n) => it !== n + 1)) problems.push(`a gap: ${counts.join(' ')}`);
  for (const { sha, size } of storage.small.contentOf(SESSION)) {
    const file = join(dataDir, 'content', sha.slice(0, 2), sha);
    const bytes = existsSync(file) ? readFileSync(file) : undefined;
    if (bytes === undefined) problems.push('a content is missing');
    else if (createHash('sha256').update(bytes).digest('hex') !== sha) problems.push(`a content of ${size} is torn`);
  }
  store.close();
  await storage.close();
  return { last: { ack: counts.at(-1) ?? 0 }, problems: [...problems, ...damageOf(join(dataDir, 'host.db'))] };
}

/** How far the records, the calls and the owners go. */
export async function readGateway(dataDir: string): Promise<Found> {
  const problems: string[] = [];
  const store = await openGatewayPlace(dataDir);
  const { db } = store.database;
  const count = Number((await store.team.get(TEAM))?.metadata?.['count'] ?? 0);
  const teams = new Set((await store.team.all()).map((it) => it.team_id));
  for (let n = 1; n <= count; n += 2) if (!teams.has(`t${n}`)) problems.push(`a gap: ${n} of ${count} records`);
  await store.logLines.enterAll();
  const batches = (await db.selectFrom('flush_marks').select('seq').executeTakeFirst())?.seq ?? 0;
  const calls = (await db.selectFrom('spend_logs').select('request_id').execute()).length;
  if (calls !== batches / 2) problems.push(`a gap: ${calls} calls of ${batches / 2} batches`);
  const owned = new Set((await db.selectFrom('a2a_owners').select('id').execute()).map((it) => it.id));
  let soon = 0;
  while (owned.has(ownedId(soon + 1, 0))) soon += 1;
  if (soon % 20 === 0 && soon > 0 && !owned.has(ownedId(soon, 4))) soon -= 1;
  await store.close();
  return {
    last: { ack: Math.max(count, batches), soon },
    problems: [...problems, ...damageOf(join(dataDir, 'gateway.db'))],
  };
}

function damageOf(file: string): string[] {
  const sql = new DatabaseSync(file);
  const verdict = sql.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
  sql.close();
  return verdict === 'ok' ? [] : [`damaged: ${String(verdict)}`];
}
