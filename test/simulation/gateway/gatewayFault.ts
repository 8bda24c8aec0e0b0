import type { Statement, StatementResult } from '../../../sidecar/gateway/storage/database/sqliteThread.ts';
import type { GatewayStore } from '../../../sidecar/gateway/storage/store.ts';
import type { Random } from '../../fuzz/random.ts';

/** Something that goes wrong in what the gateway is handed, and that the simulation has to notice. */
export interface GatewayFault {
  /** A sentence that is true of it. */
  readonly name: string;
  /** Changes the store that a replica uses. */
  readonly store?: (store: GatewayStore, random: Random) => void;
  /** What the database runs instead of a statement. */
  readonly statement?: (statement: Statement, random: Random) => readonly Statement[];
  /** What the database answers instead. */
  readonly result?: (statement: Statement, result: StatementResult, random: Random) => StatementResult;
  /** What a caller is given instead of a message that the gateway sent. */
  readonly received?: (caller: string, message: string, random: Random) => readonly string[];
}
