import { Fault } from '../../platform/faults.ts';
import type { KeyRecord } from '../../protocol/gateway/key.ts';
import { checkAddress } from '../auth/allowedIps.ts';
import { isRouteAllowed } from '../auth/allowedRoutes.ts';
import type { Caller } from '../auth/caller.ts';
import type { HoldsKey } from '../backends/keyGuard.ts';
import { modelRoutes } from '../models/routes.ts';
import { type Route, templateOf } from '../routing/route.ts';

export interface CallAddress {
  readonly pathname: string;
  readonly search: string;
  /** Of the client, or of the one for which a trusted proxy speaks. */
  readonly clientAddress: string;
  /** Whether a text holds the key of this call. */
  readonly holdsKey: HoldsKey;
}

/**
 * What holds for every call of a known caller, before a part of the gateway sees it.
 *
 * @throws {Fault} `forbidden` for a route that the key may not use, and for an address that it may not be used from; `invalid_params` naming `query` where the key stands in
 *   it, or `x-gateway-trace-id` where the agent that owns the key asks for one
 */
export function checkCall(caller: Caller, route: Route, call: CallAddress): void {
  const { pathname, search, clientAddress, holdsKey } = call;
  checkAddress(caller, clientAddress);
  checkRoute(caller, route, pathname);
  checkQuery(search, route, holdsKey);
  checkTrace(caller, route);
}

/** Queries stand in the logs of everybody on the way, and the pass-through sends them on. */
function checkQuery(search: string, { surface }: Route, holdsKey: HoldsKey): void {
  // The keys that management routes are asked about are named in the query.
  if (search === '' || surface === 'management' || !holdsKey(search)) return;
  throw new Fault(
    'invalid_params',
    'A virtual key must not appear in the query string. Send it in a header, and rotate this key.',
    {
      data: { field: 'query' },
    },
  );
}

/**
 * Gemini clients may send their key in the query, where it appears in logs. Such a request is refused with an explanation,
 * before its caller is identified (`security.key-in-query`).
 *
 * @throws {Fault} `invalid_params` naming `key`
 */
export function checkModelQuery({ surface }: Route, search: string): void {
  if (surface !== 'models' || !/[?&](?:key|api_key|access_token)=/i.test(search)) return;
  throw new Fault(
    'invalid_params',
    'A key must not appear in the URL. Send it in the x-goog-api-key header, and rotate this key.',
    { data: { field: 'key' } },
  );
}

function isKeyAllowed(key: KeyRecord, route: Route, pathname: string): boolean {
  // A key that an administrator restricted for a program of theirs stays restricted.
  if (key.role === 'proxy_admin' && !route.limitsAdminKeys) return true;
  const { surface, groups } = route;
  const template = templateOf(route);
  const passThrough = surface === 'cloudagents' ? key.allowed_passthrough_routes : undefined;
  const isFree = isRouteAllowed(key.allowed_routes, pathname, template, groups);
  return isFree && isRouteAllowed(passThrough, pathname, template, groups);
}

/** Whether the routes of a key include one that calls models. */
export const mayCallModels = (key: KeyRecord): boolean =>
  modelRoutes.some((it) => it.method === 'POST' && isKeyAllowed(key, it, it.path));

function checkRoute({ key }: Caller, route: Route, pathname: string): void {
  if (isKeyAllowed(key, route, pathname)) return;
  const passThrough = route.surface === 'cloudagents' ? key.allowed_passthrough_routes : undefined;
  const allowed = [...(key.allowed_routes ?? []), ...(passThrough ?? [])];
  throw new Fault('forbidden', `This key is not allowed to use ${pathname}. Allowed routes: ${allowed.join(', ')}.`, {
    data: { field: 'allowed_routes' },
  });
}

/**
 * Spec, Agent registration parameters: a key that belongs to an agent may have to say which call it works for. A2A asks
 * for it itself, of the called agent as well.
 */
function checkTrace({ owner, traceId }: Caller, { surface }: Route): void {
  if (traceId !== undefined || owner?.gateway_params?.require_trace_id_on_calls_by_agent !== true) return;
  if (surface !== 'mcp' && surface !== 'rest' && surface !== 'cloudagents' && surface !== 'models') return;
  throw new Fault('invalid_params', "Calls that use an agent's key require the x-gateway-trace-id header.", {
    data: { field: 'x-gateway-trace-id' },
  });
}
