import { after } from 'mocha';
import { type PostgresServer, startPostgres } from './postgresServer.ts';

let server: Promise<PostgresServer> | undefined;

/** A new, empty database on the one PostgreSQL server of this test run, which starts with the first. @returns its address */
export async function postgresDatabase(): Promise<string> {
  server ??= startPostgres();
  return (await server).database();
}

after(async function endPostgres() {
  await (await server)?.stop();
});
