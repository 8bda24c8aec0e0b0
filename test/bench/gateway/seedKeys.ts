import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { hashKey } from '../../../sidecar/gateway/auth/keys.ts';

/** The key with this number. */
export const seededSecret = (number: number): string => `sk-key-of-the-bench-${number}`;

/**
 * Copies a key into the database of a gateway that does not run, each time as a key of its own.
 *
 * @param place folder of an SQLite database, or connection string of a PostgreSQL
 * @param token hash of the key to copy
 */
export async function seedKeys(
  place: { readonly dataDir: string } | { readonly database: string },
  token: string,
  count: number,
): Promise<void> {
  const tokens = Array.from({ length: count }, (_, at) => hashKey(seededSecret(at)));
  if ('dataDir' in place) {
    const db = new DatabaseSync(join(place.dataDir, 'gateway.db'));
    db.exec('PRAGMA synchronous = OFF');
    db.prepare(sqliteSql).run(JSON.stringify(tokens), token);
    db.close();
    return;
  }
  const client = new pg.Client({ connectionString: place.database });
  await client.connect();
  try {
    await client.query(postgresSql, [tokens, token]);
    await client.query('analyze records');
  } finally {
    await client.end();
  }
}

const columns = 'kind, id, alias, team_id, organization_id, user_id, agent_id, created_at, body';

const sqliteSql = `
  with tokens as (select key as n, value as token,
    strftime('%Y-%m-%dT%H:%M:%fZ', 1.7e9 + key, 'unixepoch') as created_at from json_each(?))
  insert into records (${columns})
  select kind, token, 'key-' || n, team_id, organization_id, user_id, agent_id, tokens.created_at,
    json_set(body, '$.token', token, '$.token_id', 'id-' || n, '$.key_alias', 'key-' || n, '$.created_at', tokens.created_at)
  from records, tokens where kind = 'key' and id = ?`;

const postgresSql = `
  with tokens as (select n, token, to_char(to_timestamp(1.7e9 + n) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    as created_at from unnest($1::text[]) with ordinality as t(token, n))
  insert into records (${columns})
  select kind, token, 'key-' || n, team_id, organization_id, user_id, agent_id, tokens.created_at,
    (body::jsonb || jsonb_build_object('token', token, 'token_id', 'id-' || n, 'key_alias', 'key-' || n, 'created_at',
      tokens.created_at))::text
  from records, tokens where kind = 'key' and id = $2`;
