import type { CallContext } from './callers/caller.ts';

/** The one record of a request. */
export interface LedgerEntry {
  note(fields: Partial<LedgerFacts>): void;
  /** The first time counts. */
  finish(outcome: {
    readonly status: 'success' | 'failure';
    readonly spend?: number;
    readonly prompt_tokens?: number;
    readonly completion_tokens?: number;
    readonly error?: string;
  }): void;
}
export interface LedgerFacts {
  readonly call_type: string;
  readonly model: string;
  readonly agent_id: string;
  readonly api_base: string;
  readonly custom_llm_provider: string;
  readonly session_id: string;
  readonly mcp_namespaced_tool_name: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}
/** What budgets, limits and the log of calls are to the surfaces. */
export interface Ledger {
  begin(
    context: CallContext,
    first: { readonly endpoint: string; readonly call_type: string; readonly model: string } & Partial<LedgerFacts>,
  ): LedgerEntry;
  /** @throws {Fault} `budget_exceeded`, `rate_limited` */
  admit(
    context: CallContext,
    ask: { readonly cost: number; readonly server_id?: string; readonly agent_id?: string },
  ): Promise<{ settle(spend: number): void }>;
  /** A request that was refused before its caller was known. */
  turnedAway(template: string): void;
  close(): Promise<void>;
}

// interim
export function openLedger(_: unknown): Ledger {
  return {
    begin: () => ({ note: () => undefined, finish: () => undefined }),
    admit: () => Promise.resolve({ settle: () => undefined }),
    turnedAway: () => undefined,
    close: () => Promise.resolve(),
  };
}
