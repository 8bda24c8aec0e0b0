import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type { Follower } from '../../../sidecar/gateway/storage/database/follow.ts';
import type { Statement, StatementResult } from '../../../sidecar/gateway/storage/database/sqliteThread.ts';

interface Asking {
  readonly link: DatabaseLink;
  readonly connection: object;
  readonly statement: Statement | 'commit' | 'rollback';
  readonly isInTransaction: boolean;
  readonly answer: (result: StatementResult | Error) => void;
}

/** One replica's connections to the database, and the notifications that have not arrived at it. */
export class DatabaseLink {
  /** Its replica crashed. */
  isGone = false;
  /** The database cannot be reached. */
  isCut = false;
  readonly #ask: (asking: Asking) => void;
  #onNotified: ((about: string | undefined) => void) | undefined;
  #notices: (string | undefined)[] = [];

  constructor(ask: (asking: Asking) => void) {
    this.#ask = ask;
  }

  get hasNotice(): boolean {
    return this.#notices.length > 0;
  }
  /** Lets the next notification arrive. */
  deliver(): string {
    const about = this.#notices.shift();
    this.#onNotified?.(about);
    return String(about);
  }
  /** The connection that listens for notifications breaks. Those on their way are lost, and the replica listens again. */
  breakListening(): void {
    if (this.#onNotified) this.#notices = [undefined];
  }
  notify(about: string): void {
    if (this.#onNotified && !this.isCut) this.#notices.push(about);
  }
  follow(onNotified: (about: string | undefined) => void): Follower {
    this.#onNotified = onNotified;
    this.#notices = [undefined];
    return {
      close: async () => {
        this.#onNotified = undefined;
        this.#notices = [];
      },
    };
  }

  driver(): Driver {
    return {
      init: async () => undefined,
      acquireConnection: async () => new SimConnection((it) => this.#send(it)),
      beginTransaction: async (it: DatabaseConnection) => (it as SimConnection).begin(),
      commitTransaction: (it: DatabaseConnection) => (it as SimConnection).end('commit'),
      rollbackTransaction: (it: DatabaseConnection) => (it as SimConnection).end('rollback'),
      releaseConnection: async () => undefined,
      destroy: async () => undefined,
    };
  }

  /** Gets no answer if the replica is gone. */
  #send(asking: Omit<Asking, 'link' | 'answer'>): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      if (this.isGone) return;
      const answer = (result: StatementResult | Error) => {
        if (this.isGone) return;
        if (result instanceof Error) reject(result);
        else resolve(result);
      };
      this.#ask({ ...asking, link: this, answer });
    });
  }
}

class SimConnection implements DatabaseConnection {
  readonly #send: (asking: Omit<Asking, 'link' | 'answer'>) => Promise<StatementResult>;
  #isInTransaction = false;

  constructor(send: (asking: Omit<Asking, 'link' | 'answer'>) => Promise<StatementResult>) {
    this.#send = send;
  }

  begin(): void {
    this.#isInTransaction = true;
  }
  async end(how: 'commit' | 'rollback'): Promise<void> {
    try {
      await this.#send({ connection: this, statement: how, isInTransaction: true });
    } finally {
      this.#isInTransaction = false;
    }
  }
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const isInTransaction = this.#isInTransaction;
    const { rows, changes } = await this.#send({ connection: this, statement: { sql, parameters }, isInTransaction });
    return { rows: rows as R[], ...(changes !== undefined && { numAffectedRows: BigInt(changes) }) };
  }
  streamQuery(): never {
    throw new Error('the simulated database streams nothing');
  }
}
