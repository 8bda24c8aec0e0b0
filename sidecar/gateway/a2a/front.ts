import { Fault } from '../../platform/faults.ts';
import { Account } from './account.ts';
import { serveCall } from './call.ts';
import { serveCard } from './cards.ts';
import type { A2aContext, A2aDeps } from './deps.ts';
import { Owners } from './owners.ts';
import { methodNotAllowed, Refusal } from './refusal.ts';
import { matchA2aRoute } from './routes.ts';
import { SessionCounters } from './sessions.ts';

/** The A2A surface of the gateway, as a web-standard handler. */
export interface A2aFront {
  /**
   * `GET /a2a/{agent}/.well-known/agent-card.json` and `…/agent.json`; `POST /a2a/{agent}`, `/a2a/{agent}/message/send`
   * and `/v1/a2a/{agent}/message/send`. Every request leaves one record.
   *
   * @throws {Fault} `not_found` for any other address; `forbidden` for an agent the caller may not use, `invalid_params`
   *   without a trace id that is asked for, `budget_exceeded` in a session at its caps, `unavailable` without a card; and
   *   what `admit` throws
   */
  handle(request: Request, context: A2aContext): Promise<Response>;
}

export function openA2aFront(deps: A2aDeps): A2aFront {
  const sessions = new SessionCounters(deps.clock, deps.options.sessionMs);
  const owners = new Owners(deps.owners, deps.clock);
  return {
    async handle(request, context) {
      const route = matchA2aRoute(new URL(request.url).pathname);
      if (!route) throw new Fault('not_found', 'There is no such address.');
      const account = new Account(
        deps.record(context, { endpoint: route.template, call_type: 'a2a', model: 'a2a_agent' }),
      );
      try {
        const allowed = route.kind === 'card' ? 'GET' : 'POST';
        if (request.method !== allowed) throw methodNotAllowed(allowed);
        const serving = { deps, sessions, owners, context, account };
        if (route.kind === 'card') return await serveCard({ ...serving, route });
        return await serveCall({ ...serving, route }, request);
      } catch (thrown) {
        account.close({ status: 'failure', ...failedBy(thrown, context) });
        if (thrown instanceof Refusal) return thrown.toResponse();
        throw thrown;
      }
    },
  };
}

function failedBy(thrown: unknown, { signal }: A2aContext) {
  if (thrown instanceof Refusal) return { error: thrown.message, error_code: thrown.code };
  if (thrown instanceof Fault) return { error: thrown.message, error_code: thrown.code };
  return signal.aborted
    ? { error: 'the caller left', error_code: 'caller_left' }
    : { error: 'internal error', error_code: 'internal' };
}
