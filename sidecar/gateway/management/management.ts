import { Fault } from '../../platform/faults.ts';
import { type HttpRequest, type HttpResponse, TextResponse } from '../../platform/httpMessages.ts';
import { isRecord } from '../../platform/isRecord.ts';
import { signedInByToken } from '../../protocol/gateway/people.ts';
import type { CallContext } from '../auth/caller.ts';
import type { RouteCall } from '../routing/route.ts';
import { unknownNames } from './grants/unknownNames.ts';
import type { ManagementDeps } from './managementDeps.ts';
import { readJson, readQuery } from './read.ts';
import type { Actor, Answer, Route } from './route.ts';
import { type Scim, scimOnUse } from './scim/routes.ts';
import { isReader, isViewer } from './standing.ts';

/** What the routes are served by, with which people and programs run the gateway. */
export interface Management {
  /**
   * @throws {Fault} `invalid_params`, `forbidden`, `not_found`, `already_exists`, `conflict`, `unavailable`; `data.field`
   *   names the field where there is one
   */
  serve(route: Route, call: RouteCall): Promise<HttpResponse>;
  readonly scim: Scim;
}

/** One for the process. */
export function openManagement(deps: ManagementDeps): Management {
  return {
    scim: scimOnUse(deps),
    async serve(route, { request, context, params }) {
      checkWho(route, context);
      const body = route.body ? await readJson(request) : undefined;
      const { caller } = context;
      const actor = actorOf(request, context);
      const query = readQuery(new URL(request.url).searchParams);
      const answer = await route.run({ query, body, params, caller, context, request, actor }, deps);
      const warnings = caller.isAdmin ? await unknownNames(body, deps) : [];
      return response(warnings.length > 0 ? warned(answer, warnings) : answer);
    },
  };
}

function checkWho(route: Route, { caller }: CallContext): void {
  const isRead = route.method === 'GET' || route.isRead === true;
  if (caller.isAdmin) return;
  if (route.who === 'admin') throw new Fault('forbidden', `Only administrators can use ${route.method} ${route.path}.`);
  if (route.who === 'viewer' && !isViewer(caller)) {
    throw new Fault('forbidden', `Only administrators and viewers can use ${route.method} ${route.path}.`);
  }
  if (!isRead && isReader(caller)) throw new Fault('forbidden', 'This key has read-only access.');
}

/** The longest `x-gateway-changed-by` that is kept. */
const MAX_NAME = 256;

function actorOf(request: HttpRequest, { caller: { key, user, groupRights, vouchedFor } }: CallContext): Actor {
  const changedBy = request.headers.get('x-gateway-changed-by')?.trim().slice(0, MAX_NAME);
  return {
    id: key.user_id || key.token,
    changedBy: changedBy || undefined,
    email: user?.user_email || undefined,
    signedInBy: vouchedFor ? signedInByToken(vouchedFor) : groupRights ? 'sign_in' : 'key',
  };
}

/** Beside what the route answers. */
const warned = (answer: Answer, warnings: readonly string[]): Answer =>
  isRecord(answer.body) && !isStream(answer.body) ? { ...answer, body: { ...answer.body, warnings } } : answer;

function response({ status, body, headers }: Answer): HttpResponse {
  // Answers hold what callers may know, so no cache between us may keep one.
  const all = { 'cache-control': 'no-store', ...headers };
  if (typeof body === 'string' || isStream(body)) return new Response(body, { status, headers: all });
  return new TextResponse(JSON.stringify(body ?? {}), status, { 'content-type': 'application/json', ...all });
}

/** Checks the shape, because naming the class would load Node's stream implementation before the first stream. */
const isStream = (body: unknown): body is ReadableStream<Uint8Array> => isRecord(body) && 'getReader' in body;
