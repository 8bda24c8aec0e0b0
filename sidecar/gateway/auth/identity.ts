import { Fault } from '../../platform/faults.ts';
import type { HeaderList, Surface } from './headerList.ts';

/** What the headers of a request state about its caller beside the key. None of it grants anything. */
export interface Identity {
  readonly endUserId?: string;
  readonly agentId?: string;
  readonly traceId?: string;
  readonly sessionId?: string;
  readonly tags: readonly string[];
  /** Debug headers are wanted in the answer. */
  readonly debug: boolean;
  /** Servers that the request is limited to; `[]` where the header is there and names none. */
  readonly mcpServers?: readonly string[];
  /** Access groups that the request is limited to, as {@link mcpServers}. */
  readonly mcpAccessGroups?: readonly string[];
}

/** The members of a body that identify, as far as the route has read one. */
export interface IdentifyingBody {
  readonly user?: unknown;
  readonly gateway_metadata?: unknown;
  readonly metadata?: unknown;
  readonly safety_identifier?: unknown;
  readonly tags?: unknown;
}
const identifying: readonly (keyof IdentifyingBody)[] = [
  'user',
  'gateway_metadata',
  'metadata',
  'safety_identifier',
  'tags',
];
/** Whether a body says nothing about the caller, so that the headers are enough. */
export const saysNobody = (body: IdentifyingBody): boolean => identifying.every((it) => body[it] === undefined);

export interface IdentityOptions {
  /** A header of the deployment that holds the end user, in lower case. */
  readonly endUserHeader?: string;
}

const vendorSession = /^x-[a-z0-9][a-z0-9-]*-session-id$/;
/** What looks like an id, and not like a flag or a word. */
const idLike = /^[A-Za-z0-9_-]{8,}$/;

/** @throws {Fault} `invalid_params` naming the header, where headers name more than one end user or more than one agent */
export function readIdentity(
  headers: HeaderList,
  surface: Surface,
  body: IdentifyingBody = {},
  options: IdentityOptions = {},
): Identity {
  const endUserId = endUserOf(headers, body, options);
  const agentId = onlyValue(headers, 'x-gateway-agent-id');
  const sessionId = headers.first('x-gateway-session-id');
  const traceId = headers.first('x-gateway-trace-id') ?? sessionId ?? vendorSessionOf(headers);
  const limitedTo = (name: string) => (surface === 'mcp' ? headers.values(name) : []);
  const servers = limitedTo('x-mcp-servers');
  const groups = limitedTo('x-mcp-access-groups');
  return {
    ...(endUserId !== undefined && { endUserId }),
    ...(agentId !== undefined && { agentId }),
    ...(traceId !== undefined && { traceId }),
    ...(sessionId !== undefined && { sessionId }),
    tags: surface === 'rest' ? (listOf(body.tags) ?? split(headers.first('x-gateway-tags') ?? '')) : [],
    debug: surface === 'mcp' && /^(true|1|yes)$/i.test(headers.first('x-gateway-mcp-debug') ?? ''),
    ...(servers.length > 0 && { mcpServers: servers.flatMap(split) }),
    ...(groups.length > 0 && { mcpAccessGroups: groups.flatMap(split) }),
  };
}

/**
 * The headers are names for one thing: where several are there they say the same, so that none is a way around what another one
 * says. Only without any of them a body counts, by its first member that is there.
 */
function endUserOf(headers: HeaderList, body: IdentifyingBody, { endUserHeader }: IdentityOptions): string | undefined {
  const names = [
    'x-gateway-end-user-id',
    'x-gateway-customer-id',
    ...(endUserHeader === undefined ? [] : [endUserHeader]),
  ];
  const values = names.flatMap((name) => {
    const value = onlyValue(headers, name);
    return value === undefined ? [] : [{ name, value }];
  });
  const [first] = values;
  const other = values.find((it) => it.value !== first?.value);
  if (first && other) {
    throw new Fault(
      'invalid_params',
      `The ${first.name} and ${other.name} headers identify different end users. Send only one of them, or send the same value in both.`,
      { data: { field: other.name } },
    );
  }
  return (
    first?.value ??
    textOf(body.user) ??
    textOf(memberOf(body.gateway_metadata, 'user')) ??
    textOf(memberOf(body.metadata, 'user_id')) ??
    textOf(body.safety_identifier)
  );
}

/** A proxy may have joined two headers of one name by a comma, so an id with one cannot be distinguished from two. */
function onlyValue(headers: HeaderList, name: string): string | undefined {
  const values = headers.values(name).filter((it) => it !== '');
  if (values.length <= 1 && !values[0]?.includes(',')) return values[0];
  throw new Fault(
    'invalid_params',
    `The ${name} header appears more than once or contains a comma. Send it once, with one ID.`,
    {
      data: { field: name },
    },
  );
}

function vendorSessionOf(headers: HeaderList): string | undefined {
  for (const name of headers.names) {
    if (!vendorSession.test(name) || name === 'x-gateway-session-id') continue;
    const found = headers.values(name).find((it) => idLike.test(it));
    if (found !== undefined) return found;
  }
  return undefined;
}

const split = (list: string): readonly string[] =>
  list
    .split(',')
    .map((it) => it.trim())
    .filter((it) => it !== '');

/** `tags` of a body takes the place of the header's, also when it is empty. */
function listOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((it: unknown) => textOf(it)?.trim() || []);
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
