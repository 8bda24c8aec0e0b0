import { openProcessStand, type ProcessStand } from '../../support/gateway/processStand.ts';

/** A gateway of {@link openProcessStand} that serves. */
export interface BenchGateway {
  readonly pid: number;
  readonly url: string;
  /** Where its database is. */
  readonly dataDir: string;
  /** A request of the administrator. @returns the body; throws for a status of 400 or more */
  ask<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T>;
  /** Ends the process, and starts another one on the same data. */
  restart(): Promise<BenchGateway>;
  /** Ends the process; its data stays. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export const ADMIN_KEY = 'sk-administrator-of-the-bench';
export const withKey = (key: string) => ({ 'x-gateway-api-key': `Bearer ${key}` });

/**
 * @param config of `switchboard.jsonc`
 * @param flags of the command, beside those of its files
 * @param database connection string of a PostgreSQL; without one, it has SQLite
 */
export const startGateway = (config: object, flags: readonly string[] = [], database?: string): Promise<BenchGateway> =>
  served(openProcessStand({ config, flags, adminKey: ADMIN_KEY, ...(database !== undefined && { database }) }));

async function served(stand: ProcessStand): Promise<BenchGateway> {
  const gateway = stand.start('bench');
  const url = await gateway.baseUrl;
  const stop = async () => {
    // At once: nobody has to be sent elsewhere first.
    gateway.signal('SIGINT');
    await gateway.exited;
  };
  return {
    pid: gateway.pid,
    url,
    dataDir: gateway.dataDir,
    ask: (method, path, body) => stand.manage(url, method, path, body),
    async restart() {
      await stop();
      return served(stand);
    },
    stop,
    async close() {
      await stop();
      await stand.close();
    },
  };
}
