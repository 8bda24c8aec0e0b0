import { Fault } from '../../platform/faults.ts';
import type { HttpResponse } from '../../platform/httpMessages.ts';
import type { CallContext } from '../auth/caller.ts';
import type { RouteCall } from '../routing/route.ts';
import type { A2aDeps } from './a2aDeps.ts';
import { Account } from './account.ts';
import { type Serving, serveCall } from './call.ts';
import { serveCard } from './cards.ts';
import { Endpoints } from './endpoints.ts';
import { Owners } from './owners.ts';
import { methodNotAllowed, Refusal } from './refusal.ts';
import { refuseRest } from './rest/binding.ts';
import type { RestCall } from './rest/operations.ts';
import { serveRest } from './rest/serve.ts';
import type { CardFile } from './routes.ts';
import { SessionCounters } from './sessions.ts';

/**
 * The A2A surface of the gateway. Every request leaves one record. Each throws {Fault} `forbidden` for an agent the caller may
 * not use, `invalid_params` without a trace id that is asked for, `budget_exceeded` in a session at its caps, `unavailable`
 * without a card; and what `admit` throws.
 */
export interface A2aFront {
  /** `POST /a2a/{agent}`, `/a2a/{agent}/message/send` and `/v1/a2a/{agent}/message/send`. */
  call(call: RouteCall): Promise<HttpResponse>;
  /** The same over HTTP+JSON, below `/a2a/{agent}`. */
  rest(call: RouteCall, asked: RestCall): Promise<HttpResponse>;
  /** `GET /a2a/{agent}/.well-known/agent-card.json` and `…/agent.json`. */
  card(call: RouteCall, file: CardFile): Promise<HttpResponse>;
  /** An address that has another method only. */
  refuseMethod(call: RouteCall, allowed: 'GET' | 'POST'): Promise<HttpResponse>;
}

export function openA2aFront(deps: A2aDeps): A2aFront {
  const sessions = new SessionCounters(deps.clock, deps.options.sessionMs);
  const owners = new Owners(deps.owners, deps.clock);
  const endpoints = new Endpoints(deps.clock);

  async function recorded(
    { context, params, route }: RouteCall,
    serve: (serving: Serving) => Promise<HttpResponse>,
    refuse = (refusal: Refusal): HttpResponse => refusal.toResponse(),
  ): Promise<HttpResponse> {
    const first = { endpoint: route.path, call_type: 'a2a', model: 'a2a_agent' };
    const account = new Account(deps.record(context, first));
    try {
      return await serve({ deps, sessions, owners, endpoints, context, agent: params['agent_id'] ?? '', account });
    } catch (thrown) {
      account.close({ status: 'failure', ...failedBy(thrown, context) });
      if (thrown instanceof Refusal) return refuse(thrown);
      throw thrown;
    }
  }

  return {
    call: (call) => recorded(call, (serving) => serveCall(serving, call.request)),
    rest(call, asked) {
      const serve = (serving: Serving) => serveRest(serving, call.request, asked);
      return recorded(call, serve, (refusal) => refuseRest(refusal, asked));
    },
    card: (call, file) => recorded(call, (serving) => serveCard(serving, file)),
    refuseMethod: (call, allowed) => recorded(call, () => Promise.reject(methodNotAllowed(allowed))),
  };
}

function failedBy(thrown: unknown, { signal }: CallContext) {
  if (thrown instanceof Refusal) return { error: thrown.message, error_code: thrown.code };
  if (thrown instanceof Fault) return { error: thrown.message, error_code: thrown.code };
  return signal.aborted
    ? { error: 'the caller disconnected', error_code: 'caller_left' }
    : { error: 'internal error', error_code: 'internal' };
}
