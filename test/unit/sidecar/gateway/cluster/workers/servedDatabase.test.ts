import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { CompiledQuery } from 'kysely';
import { describe, it } from 'mocha';
import { ServedDatabase } from '../../../../../../sidecar/gateway/cluster/workers/servedDatabase.ts';
import type { GatewayDatabase } from '../../../../../../sidecar/gateway/storage/database/database.ts';

describe('the database that an owner serves to a worker', () => {
  it('takes back a transaction of a killed worker, with what was running', async () => {
    const said: string[] = [];
    const connection = {
      async executeQuery({ sql }: CompiledQuery) {
        said.push(sql);
        await turn();
        return { rows: [] };
      },
    };
    let isFree = true;
    const connecting = {
      async execute(use: (it: typeof connection) => Promise<void>) {
        isFree = false;
        await use(connection);
        isFree = true;
      },
    };
    const db = { ...connection, connection: () => connecting } as unknown as GatewayDatabase['db'];
    const served = new ServedDatabase({ db, reports: db });
    const statements = ['begin immediate', 'insert'].map((sql) => ({ sql, parameters: [] }));
    const running = served.run('db', statements);
    while (said.length === 0) await turn();
    await Promise.all([served.close(), running]);
    // Outside the transaction, the second statement would have been written.
    assert.deepEqual(said, ['begin immediate', 'insert', 'rollback']);
    await turn();
    assert.ok(isFree, 'others can use the connection');
  });
});
