import { type A2aDeps, type A2aOptions, defaultA2aOptions } from '../../../sidecar/gateway/a2a/a2aDeps.ts';
import { type A2aFront, openA2aFront } from '../../../sidecar/gateway/a2a/front.ts';
import type { OwnerStore } from '../../../sidecar/gateway/a2a/owners.ts';
import { a2aRoutes } from '../../../sidecar/gateway/a2a/routes.ts';
import type { CallContext } from '../../../sidecar/gateway/auth/caller.ts';
import type { LookupAll } from '../../../sidecar/gateway/backends/net/guard.ts';
import { faultResponse } from '../../../sidecar/gateway/http/faultResponses.ts';
import { Fault } from '../../../sidecar/platform/faults.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import type { AgentRecord } from '../../../sidecar/protocol/gateway/agent.ts';
import { SetClock } from '../backends/setClock.ts';
import { callContext } from '../gateway/callContext.ts';
import { serveRoute } from '../gateway/serveRoute.ts';
import { webResponse } from '../gateway/webResponse.ts';
import { keepingLog } from '../testLog.ts';

export interface A2aRecordSeen {
  readonly endpoint: string;
  readonly call_type: string;
  readonly model: string;
  readonly agent_id?: string;
  readonly api_base?: string;
  readonly custom_llm_provider?: string;
  readonly session_id?: string;
  readonly status?: 'success' | 'failure';
  readonly spend?: number;
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly error?: string;
  readonly error_code?: string;
}

export interface FrontUnderTest {
  readonly front: A2aFront;
  /** A second end of a record throws. */
  readonly records: A2aRecordSeen[];
  readonly clock: SetClock;
  readonly logLines: string[];
  /** What was admitted, with what it was settled with. */
  readonly admitted: { readonly cost: number; spend?: number }[];
}

export interface FrontSetup {
  readonly agents: readonly { readonly agent: AgentRecord; readonly url?: string; readonly allowed?: boolean }[];
  readonly outbound: A2aDeps['outbound'];
  readonly options?: Partial<A2aOptions>;
  readonly more?: Partial<A2aDeps>;
}

/** Names that lead to a public address; all others lead nowhere. */
const names: Readonly<Record<string, string>> = {
  'hooks.example': '93.184.216.34',
  'inside.example': '10.0.0.7',
  localhost: '127.0.0.1',
};
export const lookup: LookupAll = (name, done) => {
  const address = names[name];
  done(null, address === undefined ? [] : [{ address, family: 4 }]);
};

/** The room's front with everything that it is handed in memory. */
export function frontUnderTest({ agents, outbound, options, more }: FrontSetup): FrontUnderTest {
  const clock = new SetClock();
  const { log, lines } = keepingLog();
  const records: A2aRecordSeen[] = [];
  const admitted: { cost: number; spend?: number }[] = [];
  const front = openA2aFront({
    agent(_context, nameOrId) {
      const found =
        agents.find((it) => it.agent.agent_id === nameOrId) ?? agents.find((it) => it.agent.agent_name === nameOrId);
      return found && { agent: found.agent, url: found.url, allowed: found.allowed ?? true };
    },
    outbound,
    admit(_context, { cost }) {
      const entry: { cost: number; spend?: number } = { cost };
      admitted.push(entry);
      return Promise.resolve({
        settle(spend) {
          entry.spend = spend;
        },
      });
    },
    record(_context, first) {
      const record = { ...first } as A2aRecordSeen;
      records.push(record);
      return {
        note: (fields) => void Object.assign(record, fields),
        finish(outcome) {
          if (record.status !== undefined) throw new Error('a record was finished twice');
          Object.assign(record, outcome);
        },
      };
    },
    owners: keptOwners(),
    callingAgentRequiresTrace: () => false,
    lookup,
    clock,
    timers: systemTimers,
    log,
    options: { ...defaultA2aOptions, ...options },
    ...more,
  });
  return { front, records, clock, logLines: lines, admitted };
}

/** Owners in memory, as the store keeps them. */
export function keptOwners(): OwnerStore {
  const rows = new Map<string, string>();
  const of = (ids: readonly string[]) =>
    Promise.resolve(new Map(ids.flatMap((id) => (rows.has(id) ? [[id, rows.get(id) ?? ''] as const] : []))));
  return {
    of,
    claim(ids, owner) {
      for (const id of ids) if (!rows.has(id)) rows.set(id, owner);
      return of(ids);
    },
  };
}

/** The front as the gateway's doors use it: faults become the one body of errors. */
export async function answerOf(front: A2aFront, request: Request, baseUrl?: string): Promise<Response> {
  try {
    return await serveRoute(a2aRoutes, front, request, a2aContextOf(request, baseUrl));
  } catch (thrown) {
    if (thrown instanceof Fault) return webResponse(faultResponse(thrown));
    throw thrown;
  }
}

/** What the doors make of a request; the key is what they were given, and a rotation changes what follows its dot. */
export function a2aContextOf(request: Request, baseUrl = 'https://gateway.test'): CallContext {
  const said = request.headers.get('x-gateway-api-key') ?? request.headers.get('authorization') ?? undefined;
  const token = said?.replace('Bearer ', '') ?? '';
  const session = request.headers.get('x-gateway-session-id') ?? undefined;
  const { caller, ...context } = callContext({
    caller: {
      key: { token },
      endUserId: request.headers.get('x-gateway-end-user-id') ?? undefined,
      traceId: request.headers.get('x-gateway-trace-id') ?? session,
      sessionId: session,
    },
    baseUrl,
    headers: new Map(request.headers),
    holdsKey: (text) => token !== '' && text.includes(token),
    signal: request.signal,
  });
  const token_id = token.split('.')[0] ?? token;
  return { ...context, caller: { ...caller, key: { ...caller.key, token_id } } };
}
