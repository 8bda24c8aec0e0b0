import type { Statement, StatementResult } from '../../../sidecar/gateway/storage/database/sqliteThread.ts';
import type { GatewayStore } from '../../../sidecar/gateway/storage/store.ts';
import type { Random } from '../../fuzz/random.ts';

/** An error in what the simulation provides to the gateway, which the simulation must detect. */
export interface GatewayFault {
  /** A sentence that describes it. */
  readonly name: string;
  /** Changes the store that a replica uses. */
  readonly store?: (store: GatewayStore, random: Random) => void;
  /** The statements that the database runs instead of one. */
  readonly statement?: (statement: Statement, random: Random) => readonly Statement[];
  /** The result that the database returns instead. */
  readonly result?: (statement: Statement, result: StatementResult, random: Random) => StatementResult;
  /** The messages that a caller gets instead of one that the gateway sent. */
  readonly received?: (caller: string, message: string, random: Random) => readonly string[];
}
