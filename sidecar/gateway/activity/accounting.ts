import type { Runtime } from '../../platform/runtime.ts';
import type { CallContext, Caller } from '../auth/caller.ts';
import type { Directory, Registered } from '../auth/directory.ts';
import type { Surface } from '../routing/route.ts';
import type { GatewayStore } from '../storage/store.ts';
import { type Activity, openActivity } from './activity.ts';
import { CallMetrics } from './callMetrics.ts';
import type { Contents } from './content/contents.ts';
import { EndUserProvisioning } from './endUserProvisioning.ts';
import { type LimitLevel, levelsOf } from './limits/levels.ts';
import { type Limits, openLimits, type Permit } from './limits/limits.ts';
import { budgetsOf } from './limits/quotas.ts';
import { refusedRate } from './limits/refusals.ts';
import type { FirstFacts, Recording, Who } from './recording.ts';

/** What budgets, limits and the log of calls are to the surfaces. */
export interface Accounting {
  readonly limits: Limits;
  readonly activity: Activity;
  readonly metrics: CallMetrics;
  readonly contents: Contents | undefined;
  /** Begins the one record of a request. */
  begin(context: CallContext, first: FirstFacts): Recording;
  /** @throws {Fault} `budget_exceeded`, `rate_limited` */
  admit(context: CallContext, ask: Asked): Permit | Promise<Permit>;
  /** Whether a budget limits what the caller can spend. */
  hasBudget(context: CallContext): boolean | Promise<boolean>;
  /** A request that was refused before its caller was known. @param template of the route */
  rejected(template: string): void;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

const dollars = (amount: number) => `$${Number(amount.toFixed(4))}`;

/** A call that wants to begin. */
export interface Asked {
  /** US dollars that are known before it. */
  readonly cost: number;
  readonly server_id?: string;
  readonly agent_id?: string;
  /** Part of a request that was admitted before: only what counts by server. */
  readonly isPart?: boolean;
}

/** A database that was away while the gateway left may be back in a moment. */
const LAST_TRIES = 5;
const LAST_TRY_MS = 1_000;

export interface AccountingDeps extends Pick<Runtime, 'clock' | 'timers' | 'newId' | 'log'> {
  readonly store: GatewayStore;
  readonly directory: Directory;
  /** The part of the gateway that the template of a route belongs to. */
  readonly surfaceOf: (template: string) => Surface;
  /** Absent where requests and responses are not stored. */
  readonly contents?: Contents | undefined;
  /** Set in a worker: counts and writes what its calls cost. */
  readonly owner?: (Pick<Activity, 'ended' | 'refused'> & { readonly limits: Limits }) | undefined;
}

export function openAccounting(deps: AccountingDeps): Accounting {
  const { store, directory, clock, timers, newId, log, surfaceOf, contents, owner } = deps;
  const metrics = new CallMetrics(surfaceOf);
  const activity = openActivity({ store, clock, timers, newId, log, metrics, contents, owner });
  const provisioning = new EndUserProvisioning({ store, clock, log });
  const limits = owner?.limits ?? openLimits({ store, activity, clock, timers, log, crossed: softBudgetNotes(deps) });
  return {
    begin(context, first) {
      const { caller, requestId, trace } = context;
      const content = contents?.begin(caller);
      const recording = activity.begin(requestId, whoOf(context), withSession(first, context), trace, content);
      const { endUser, endUserId } = caller;
      return endUser || endUserId === undefined
        ? recording
        : notifyingFirstSpend(recording, () => provisioning.provision(endUserId));
    },
    limits,
    activity,
    metrics,
    contents,
    admit(context, ask) {
      const registered = directory.registered();
      return registered instanceof Promise
        ? registered.then((it) => admitIn(limits, it, context, ask))
        : admitIn(limits, registered, context, ask);
    },
    hasBudget({ caller }) {
      const has = (registered: Registered) =>
        limitedOf(limits, registered, caller, undefined).levels.some((it) => budgetsOf(it, clock.nowMs()).length > 0);
      const registered = directory.registered();
      return registered instanceof Promise ? registered.then(has) : has(registered);
    },
    rejected: (template) => activity.refused(template),
    async close() {
      await limits.close();
      await provisioning.settled();
      const tries = store.database.kind === 'postgres' ? LAST_TRIES : 1;
      for (let tried = 1; ; tried += 1) {
        try {
          return await activity.close();
        } catch (thrown) {
          if (tried === tries) {
            const lost = activity.queue.length;
            return log.error({ thrown, lost }, 'The database is not responding, so call records are being lost.');
          }
          await timers.wait(LAST_TRY_MS);
        }
      }
    },
  };
}

/** Reports a soft budget that was crossed: in the log, in the audit, and to whoever is alerted. */
const softBudgetNotes =
  ({ store, clock, newId, log }: AccountingDeps): NonNullable<Parameters<typeof openLimits>[0]['crossed']> =>
  async ({ type, id, ...crossed }) => {
    log.warn({ type, ...crossed }, 'A soft budget was exceeded. Calls are still allowed.');
    const auditId = newId();
    const entry = { id: auditId, at: clock.now(), actor: 'gateway', kind: type, object_id: id } as const;
    await store.audit.add({ ...entry, action: 'soft_budget_crossed', after: JSON.stringify(crossed) }, (transaction) =>
      store.alerts.note(transaction, {
        type: 'soft_budget_crossed',
        occasion: `audit ${auditId}`,
        atMs: Date.parse(entry.at),
        subject: { type, id, name: crossed.alias },
        message: `The soft budget of ${type.replaceAll('_', ' ')} '${crossed.alias}' was exceeded: ${dollars(crossed.spend)} of ${dollars(crossed.soft_budget)}.`,
        facts: { soft_budget: crossed.soft_budget, spend: crossed.spend, budget_duration: crossed.budget_duration },
      }),
    );
  };

/** At once where the limits of the caller are known. @throws {Fault} as {@link Accounting.admit} */
function admitIn(
  limits: Limits,
  registered: Registered,
  { caller, progress }: CallContext,
  { cost, server_id, agent_id, isPart }: Asked,
): Permit | Promise<Permit> {
  const { spent, byServer, levels, namesOf } = limitedOf(limits, registered, caller, agent_id);
  if (spent && !isPart) {
    spent(); // looked for meanwhile
    progress.keySpend = spent;
  }
  const admitted = (permit: Permit): Permit => {
    if (!isPart) progress.rates = permit.rates;
    return permit;
  };
  const refused = (thrown: unknown): never => {
    const rate = refusedRate(thrown);
    if (rate && !isPart) progress.rates = () => [rate];
    throw thrown;
  };
  try {
    const permit = limits.admit(isPart ? byServer : levels, { cost, servers: namesOf(server_id) });
    return permit instanceof Promise ? permit.then(admitted, refused) : admitted(permit);
  } catch (thrown) {
    return refused(thrown);
  }
}

/** A recording that calls `onFirstSpend` with an outcome that cost something. */
const notifyingFirstSpend = (recording: Recording, onFirstSpend: () => void): Recording => ({
  content: recording.content,
  note: (facts) => recording.note(facts),
  answered: () => recording.answered(),
  finish(outcome) {
    recording.finish(outcome);
    if ((outcome.status === 'success' || outcome.isPaid) && (outcome.spend ?? 0) > 0) onFirstSpend();
  },
});

/** Whose limits the calls of one caller to one agent keep, or to none: read once for as long as no record changes. */
interface Limited {
  readonly of: Registered;
  /** US dollars that the caller's key has spent, where it is known. One function a caller: a call makes none. */
  readonly spent: (() => number | undefined) | undefined;
  readonly levels: readonly LimitLevel[];
  /** Only what counts by server. */
  readonly byServer: readonly LimitLevel[];
  /** What `mcp_rpm_limit` may call a server. */
  namesOf(serverId: string | undefined): readonly string[];
}

const limitedCallers = new WeakMap<Caller, Map<string | undefined, Limited>>();

function limitedOf(limits: Limits, registered: Registered, caller: Caller, agentId: string | undefined): Limited {
  const ofCaller = limitedCallers.get(caller) ?? new Map<string | undefined, Limited>();
  const found = ofCaller.get(agentId);
  if (found?.of === registered) return found;
  const made = readLimited(limits, registered, caller, agentId);
  limitedCallers.set(caller, ofCaller.set(agentId, made));
  return made;
}

function readLimited(limits: Limits, registered: Registered, caller: Caller, agentId: string | undefined): Limited {
  const { budgets, catalogue, agents } = registered;
  const agent = agents.find((it) => it.agent_id === agentId);
  const all = levelsOf({ ...caller, agent }, (id) => budgets.get(id));
  // Administrators have no limits, and their spending counts like everybody's.
  const levels = caller.isAdmin ? all.map((it) => ({ ...it, limits: {}, mcpRpmLimit: undefined })) : all;
  const own = all.find((it) => it.type === 'key');
  const names = new Map<string, readonly string[]>();
  return {
    of: registered,
    spent: own && (() => limits.spentSoFar(own)),
    levels,
    byServer: levels.map((it) => ({ ...it, limits: {} })),
    namesOf(serverId) {
      const server = serverId === undefined ? undefined : catalogue.servers.get(serverId);
      if (!server) return noNames;
      const { server_id, alias, server_name } = server;
      const known = names.get(server_id) ?? [server_id, alias, server_name].filter((it) => !!it).map(String);
      names.set(server_id, known);
      return known;
    },
  };
}
const noNames: readonly string[] = [];

/** What a record says of the caller of a call: one object as long as it comes from the same address. */
const knownFacts = new WeakMap<Caller, Who>();

function whoOf({ caller, clientAddress }: CallContext): Who {
  let who = knownFacts.get(caller);
  if (who?.requester_ip_address !== clientAddress) {
    who = { ...factsOf(caller), requester_ip_address: clientAddress };
    knownFacts.set(caller, who);
  }
  return who;
}

function factsOf(caller: Caller) {
  const { key } = caller;
  return {
    api_key: key.token,
    user_id: key.user_id,
    team_id: key.team_id,
    organization_id: caller.organization?.organization_id,
    end_user: caller.endUserId,
    agent_id: caller.agent?.agent_id,
    session_id: caller.sessionId,
    trace_id: caller.traceId,
    tags: caller.tags,
    labels: [...(key.tags ?? []), ...(caller.team?.tags ?? [])],
  };
}

/** A key that was made for a session of the host says so in each record. */
function withSession(first: FirstFacts, { caller }: CallContext): FirstFacts {
  const session = caller.key.metadata?.['session'];
  return typeof session === 'string' ? { ...first, metadata: { ...first.metadata, session } } : first;
}
