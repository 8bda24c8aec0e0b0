/** Where a gateway keeps its data, as the command line says. */
export interface GatewayStorage {
  readonly dataDir: string;
  /** A file that contains the address of a PostgreSQL database. Absent: SQLite in `dataDir`. */
  readonly database: string | undefined;
}

/** One part of what a gateway needs, and whether it will do. */
export interface CheckedPart {
  /** `configuration`, `database`, `server github`. */
  readonly part: string;
  readonly state: 'ok' | 'warning' | 'failed';
  /** A sentence, or several with a line each. */
  readonly message: string;
}
export interface CheckOptions extends GatewayStorage {
  readonly config: string | undefined;
  readonly secret: string | undefined;
  /** How long an MCP server may take to answer. Absent: none is asked. */
  readonly deadline: ((delayMs: number) => AbortSignal) | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

export interface RotateOptions extends GatewayStorage {
  readonly secret: string | undefined;
  readonly random: (bytes: number) => Uint8Array;
  readonly nowMs: number;
}

/** What is done to a gateway's data while nobody serves it, or beside whoever does. */
export interface GatewayUpkeep {
  check(options: CheckOptions): Promise<readonly CheckedPart[]>;
  /**
   * Writes everything that the database holds to a new file, as it was at one moment, also while a gateway runs.
   * @throws {Fault} `not_found` where there is no database, `already_exists` for a file that is there, `unavailable`
   */
  backup(storage: GatewayStorage, file: string, version: string, at: string): Promise<RowCounts>;
  /**
   * Fills an empty database, of either kind, from a backup.
   * @throws {Fault} `conflict` for a database that is not empty, `internal` for a damaged file, `unsupported_version` for one
   * that a later version wrote, `not_found`, `unavailable`
   */
  restore(storage: GatewayStorage, file: string): Promise<RowCounts>;
  /**
   * Seals all credentials with a new secret. The old one is kept beside it, because older backups require it.
   * @throws {Fault} `conflict` while a gateway runs, `internal` where the secret is not the one that sealed what is there
   */
  rotateSecret(
    options: RotateOptions,
  ): Promise<{ readonly sealed: number; readonly file: string; readonly kept: string }>;
}
