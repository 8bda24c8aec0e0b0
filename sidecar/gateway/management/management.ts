import { Fault } from '../../platform/faults.ts';
import { isRouteAllowed } from '../auth/allowedRoutes.ts';
import type { CallContext } from '../auth/caller.ts';
import type { ManagementDeps } from './deps.ts';
import { RouteTable } from './dispatch.ts';
import { unknownNames } from './grants/unknownNames.ts';
import { openApi } from './openapi.ts';
import { readJson, readQuery } from './read.ts';
import type { Actor, Answer, Route } from './route.ts';
import { routes } from './routes.ts';
import { isReader, isViewer } from './standing.ts';

/** The routes by which people and programs run the gateway. */
export interface Management {
  /**
   * @returns `undefined` where no such route is here
   * @throws {Fault} `invalid_params`, `forbidden`, `not_found`, `already_exists`, `conflict`, `unavailable`; `data.field`
   *   names the field where there is one
   */
  handle(request: Request, context: CallContext): Promise<Response | undefined>;
  /** The template of the row that a request goes to, for logs and sums: never a raw path. */
  templateOf(method: string, pathname: string): string | undefined;
  /** OpenAPI 3.1 of all routes. */
  openapi(): object;
}

/** One for the process. */
export function openManagement(deps: ManagementDeps): Management {
  const table = new RouteTable(routes);
  let document: object | undefined;
  return {
    async handle(request, context) {
      const url = new URL(request.url);
      const found = table.find(request.method, url.pathname);
      if (!found) return undefined;
      const { route, params } = found;
      checkWho(route, url.pathname, context);
      const body = route.body ? await readJson(request) : undefined;
      const { caller } = context;
      const actor = actorOf(request, context);
      const query = readQuery(url.searchParams);
      const answer = await route.run({ query, body, params, caller, context, request, actor }, deps);
      const warnings = caller.isAdmin ? await unknownNames(body, deps) : [];
      return response(warnings.length > 0 ? warned(answer, warnings) : answer);
    },
    templateOf: (method, pathname) => table.find(method, pathname)?.route.path,
    openapi: () => (document ??= openApi(routes, deps.options.version)),
  };
}

/** Also asks `allowed_routes` of the key: on the very row that is run. */
function checkWho(route: Route, pathname: string, { caller }: CallContext): void {
  const isRead = route.method === 'GET' || route.isRead === true;
  const groups = isRead ? ['management_routes', 'info_routes'] : ['management_routes'];
  if (!isRouteAllowed(caller.key.allowed_routes, pathname, route.path, groups)) {
    throw new Fault('forbidden', `This key is limited to other routes than ${route.path}.`, {
      data: { field: 'allowed_routes' },
    });
  }
  if (caller.isAdmin) return;
  if (route.who === 'admin') throw new Fault('forbidden', `Only administrators may use ${route.method} ${route.path}.`);
  if (route.who === 'viewer' && !isViewer(caller)) {
    throw new Fault('forbidden', `Only administrators and viewers may use ${route.method} ${route.path}.`);
  }
  if (!isRead && isReader(caller)) throw new Fault('forbidden', 'This key may look, and change nothing.');
}

/** The longest `x-gateway-changed-by` that is kept. */
const MAX_NAME = 256;

function actorOf(request: Request, { caller }: CallContext): Actor {
  const changedBy = request.headers.get('x-gateway-changed-by')?.trim().slice(0, MAX_NAME);
  return { id: caller.key.user_id || caller.key.token, changedBy: changedBy || undefined };
}

/** Beside what the route answers. */
const warned = (answer: Answer, warnings: readonly string[]): Answer =>
  isRecord(answer.body) ? { ...answer, body: { ...answer.body, warnings } } : answer;
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ReadableStream);

function response({ status, body, headers }: Answer): Response {
  if (typeof body === 'string' || body instanceof ReadableStream) {
    return new Response(body, { status, headers: { 'cache-control': 'no-store', ...headers } });
  }
  // Answers hold what callers may know, so no cache between us may keep one.
  return Response.json(body ?? {}, { status, headers: { 'cache-control': 'no-store', ...headers } });
}
