import { Fault, type FaultCode } from '../../../platform/faults.ts';
import { type HttpRequest, type HttpResponse, TextResponse } from '../../../platform/httpMessages.ts';
import { hashKey } from '../../auth/keys.ts';
import type { PublicContext, RouteCall } from '../../routing/route.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { readJson, readQuery } from '../read.ts';
import type { Call } from '../route.ts';
import { discoveryDocument } from './discovery.ts';
import { readFilter } from './filter.ts';
import { groups } from './groups.ts';
import { applyPatch } from './patch.ts';
import type { ResourceKind } from './resource.ts';
import type { ScimPlace } from './routes.ts';
import { scimTokenOf } from './tokens.ts';
import { users } from './users.ts';
import { PatchRequest, readScim, scimFault, urns } from './wire.ts';

type Who = Pick<Call, 'actor'>;
interface Stamped {
  readonly created_at: string;
  readonly updated_at: string;
}
const DEFAULT_COUNT = 100;
const MAX_COUNT = 200;

/** Serves a request of an identity provider; refusals are answers in the format of SCIM (RFC 7644, 3.12). */
export async function serveScim(
  call: RouteCall<PublicContext>,
  place: ScimPlace,
  deps: ManagementDeps,
): Promise<HttpResponse> {
  try {
    const who = await authenticated(call, deps);
    if (place !== 'Users' && place !== 'Groups') {
      const found = place && discoveryDocument(place, call.params['id']);
      if (!found) throw new Fault('not_found', 'No such address.');
      return answer(found);
    }
    return place === 'Users' ? await serveKind(call, users, who, deps) : await serveKind(call, groups, who, deps);
  } catch (thrown) {
    if (thrown instanceof Fault) return refusal(thrown);
    throw thrown;
  }
}

/** @throws {Fault} `auth_required` for everything but a token of SCIM; `rate_limited` */
async function authenticated({ request, context }: RouteCall<PublicContext>, deps: ManagementDeps): Promise<Who> {
  const token = /^bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (token === undefined) throw new Fault('auth_required', 'A SCIM token is required as a bearer token.');
  const hash = hashKey(token);
  deps.wrongKeys?.check(context.clientAddress, hash);
  const record = await scimTokenOf(deps, token);
  if (!record) {
    deps.wrongKeys?.unknown(context.clientAddress, hash);
    throw new Fault('auth_required', 'This is not a SCIM token of this gateway, or it was deleted.');
  }
  deps.wrongKeys?.good(hash);
  return { actor: { id: `scim:${record.name}`, changedBy: undefined, email: undefined, signedInBy: 'scim' } };
}

async function serveKind<Resource, Managed extends Stamped>(
  { request, params, context }: RouteCall<PublicContext>,
  kind: ResourceKind<Resource, Managed>,
  who: Who,
  deps: ManagementDeps,
): Promise<HttpResponse> {
  const id = params['id'];
  const parameters = new URL(request.url).searchParams;
  const show = (record: Managed) => resourceOf(kind, record, context.baseUrl, parameters);
  if (id === undefined) {
    if (request.method === 'GET') return answer(await list(kind, show, readQuery(parameters), deps));
    const added = await kind.add(who, deps, readScim(kind.schema, await readJson(request)));
    return answer(show(added), 201, { location: locationOf(kind, added, context.baseUrl) });
  }
  const before = await kind.find(deps, id);
  if (request.method === 'GET') return answer(show(before), 200, { etag: versionOf(before) });
  const wanted = request.headers.get('if-match');
  if (wanted !== null && wanted !== '*' && wanted !== versionOf(before))
    return refusal(new Fault('conflict', 'This resource was changed in the meantime.'), 412);
  if (request.method === 'DELETE') {
    await kind.remove(who, deps, id);
    return new Response(null, { status: 204 });
  }
  const after = await kind.put(who, deps, id, readScim(kind.schema, await wantedOf(request, kind, before)));
  return answer(show(after), 200, { etag: versionOf(after) });
}

async function wantedOf<Resource, Managed>(
  request: HttpRequest,
  kind: ResourceKind<Resource, Managed>,
  before: Managed,
): Promise<unknown> {
  const body = await readJson(request);
  if (request.method === 'PUT') return body;
  const { Operations } = readScim(PatchRequest, body);
  return kind.cleaned(applyPatch(kind.shown(before), Operations, kind.attributes));
}

async function list<Resource, Managed extends Stamped>(
  kind: ResourceKind<Resource, Managed>,
  show: (record: Managed) => object,
  query: ReturnType<typeof readQuery>,
  deps: ManagementDeps,
): Promise<object> {
  const { filter } = query;
  if (filter !== undefined && typeof filter !== 'string')
    throw scimFault('invalidFilter', 'There is more than one filter.');
  const isMeant = filter === undefined ? () => true : readFilter(filter, kind.filters);
  const found = (await kind.all(deps)).filter((it) => isMeant(kind.attributeOf(it)));
  const startIndex = Math.max(1, wholeOf(query['startIndex'], 1));
  const count = Math.min(MAX_COUNT, Math.max(0, wholeOf(query['count'], DEFAULT_COUNT)));
  const page = found.slice(startIndex - 1, startIndex - 1 + count);
  return {
    schemas: [urns.list],
    totalResults: found.length,
    startIndex,
    itemsPerPage: page.length,
    Resources: page.map(show),
  };
}

function wholeOf(text: string | readonly string[] | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (typeof text !== 'string' || !/^-?\d{1,9}$/.test(text))
    throw scimFault('invalidValue', "'startIndex' and 'count' must be integers.");
  return Number(text);
}

/** IDs are those of the provider, in any script. */
const locationOf = <Resource, Managed>(kind: ResourceKind<Resource, Managed>, record: Managed, baseUrl: string) =>
  `${baseUrl}/scim/v2/${kind.path}/${encodeURIComponent(kind.idOf(record))}`;

function resourceOf<Resource, Managed extends Stamped>(
  kind: ResourceKind<Resource, Managed>,
  record: Managed,
  baseUrl: string,
  parameters: URLSearchParams,
): object {
  const excluded = (parameters.get('excludedAttributes') ?? '').toLowerCase().split(/\s*,\s*/);
  const meta = {
    resourceType: kind.name,
    created: record.created_at,
    lastModified: record.updated_at,
    location: locationOf(kind, record, baseUrl),
    version: versionOf(record),
  };
  const kept = Object.entries(kind.shown(record)).filter(
    ([name]) => name === 'id' || name === 'schemas' || !excluded.includes(name.toLowerCase()),
  );
  return { ...Object.fromEntries(kept), meta };
}

const versionOf = ({ updated_at }: Stamped): string => `W/"${Date.parse(updated_at)}"`;

const answer = (body: object, status = 200, headers: Readonly<Record<string, string>> = {}) =>
  new TextResponse(JSON.stringify(body), status, {
    'content-type': 'application/scim+json',
    'cache-control': 'no-store',
    ...headers,
  });

const statuses: Partial<Record<FaultCode, number>> = {
  invalid_params: 400,
  auth_required: 401,
  forbidden: 403,
  not_found: 404,
  already_exists: 409,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
};

function refusal(fault: Fault, status = statuses[fault.code]): HttpResponse {
  if (status === undefined) throw fault;
  const { scimType, retry_after_ms } = (fault.data ?? {}) as { scimType?: string; retry_after_ms?: number };
  const type =
    scimType ?? (fault.code === 'already_exists' ? 'uniqueness' : status === 400 ? 'invalidSyntax' : undefined);
  return answer(
    { schemas: [urns.error], status: String(status), ...(type && { scimType: type }), detail: fault.message },
    status,
    {
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      ...(retry_after_ms !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retry_after_ms / 1_000))) }),
    },
  );
}
