import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/logger.ts';
import { openActivity } from './activity/activity.ts';
import type { FirstFacts, Recording, Who } from './activity/recording.ts';
import type { CallContext } from './callers/caller.ts';
import type { GatewayStore } from './storage/store.ts';

/** What budgets, limits and the log of calls are to the surfaces. */
export interface Ledger {
  /** Begins the one record of a request. */
  begin(context: CallContext, first: FirstFacts): Recording;
  /** @throws {Fault} `budget_exceeded`, `rate_limited` */
  admit(
    context: CallContext,
    ask: { readonly cost: number; readonly server_id?: string; readonly agent_id?: string },
  ): Promise<{ settle(spend: number): void }>;
  /** A request that was refused before its caller was known. @param template of the route */
  turnedAway(template: string): void;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

export interface LedgerParts {
  readonly store: GatewayStore;
  readonly clock: Clock;
  readonly log: Log;
}

export function openLedger({ store, clock, log }: LedgerParts): Ledger {
  const activity = openActivity({ store, clock, log });
  return {
    begin: (context, first) => activity.begin(whoOf(context), withSession(first, context)),
    admit: () => Promise.resolve({ settle: () => undefined }),
    turnedAway: (template) => activity.refused(template),
    close: () => activity.close(),
  };
}

function whoOf({ caller, requestId, clientAddress }: CallContext): Who {
  const { key } = caller;
  return {
    requestId,
    api_key: key.token,
    user_id: key.user_id,
    team_id: key.team_id,
    organization_id: caller.organization?.organization_id,
    end_user: caller.endUserId,
    agent_id: caller.agent?.agent_id,
    session_id: caller.sessionId,
    trace_id: caller.traceId,
    tags: caller.tags,
    requester_ip_address: clientAddress,
  };
}

/** A key that was made for a session of the host says so in each record. */
function withSession(first: FirstFacts, { caller }: CallContext): FirstFacts {
  const session = caller.key.metadata?.['session'];
  return typeof session === 'string' ? { ...first, metadata: { ...first.metadata, session } } : first;
}
