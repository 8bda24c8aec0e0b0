import { SpendLogsQuery } from '../../../sidecar/protocol/gateway/activityQueries.ts';
import { type RawReply, requestLines, speak } from './rawHttp.ts';
import type { Stand } from './stand.ts';

/** The groups of routes that `allowed_routes` of a key may name. */
const groups = [
  'mcp_routes',
  'agent_routes',
  'passthrough_routes',
  'management_routes',
  'info_routes',
  'llm_api_routes',
] as const;

/** What one address is for each kind of caller. */
export interface AddressAnswer {
  /** Without a key: status, type of the error, and the path that the challenge names. */
  readonly nobody: string;
  /** With a key of a person: status, error and, where there is one, the route under which the call is in the log. */
  readonly key: string;
  /** With a key that may use no route: as above. */
  readonly limited: string;
  /** The groups that let a key in here. */
  readonly groups: string;
  /** Whether a signed-in browser is known here. */
  readonly browser: boolean;
  /** Whether the answer says how long the call took. */
  readonly timed: boolean;
}

export interface Askers {
  readonly key: string;
  readonly limited: string;
  readonly byGroup: Readonly<Record<string, string>>;
  readonly cookie: string;
}

export async function openAskers(whole: Stand): Promise<Askers> {
  const key = await whole.addKey();
  const limited = await whole.addKey({ allowed_routes: ['/none'] });
  const byGroup: Record<string, string> = {};
  for (const it of groups) byGroup[it] = await whole.addKey({ allowed_routes: [it] });
  const signIn = await fetch(`${whole.base}/ui/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ key }),
  });
  return { key, limited, byGroup, cookie: signIn.headers.get('set-cookie')?.split(';')[0] ?? '' };
}

/** Ends the gateway, and reads what it wrote: the routes of calls by their ids, and how many requests each route had. */
export async function writtenCalls(whole: Stand, date: string) {
  const { store } = (await whole.replica()).gateway;
  await whole.gateway.close(0);
  const endpoints = new Map<string, string>();
  for await (const lines of store.spendLogs.all(SpendLogsQuery.parse({}), 500))
    for (const it of lines) endpoints.set(it.request_id, it.endpoint);
  const sums = await store.activityReads.edge(date, date);
  const counted = Object.fromEntries(
    sums
      .map((it) => [it.endpoint, it.successful_requests + it.failed_requests] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
  return { endpoints, counted };
}

/** Asks for one address as everybody. The log is read later: `endpointOf` gets the id of a call. */
export async function askEverybody(whole: Stand, askers: Askers, address: string) {
  const ask = (headers: readonly string[]) =>
    speak(whole.base, requestLines(whole.base, `${address} HTTP/1.1`, ['Content-Length: 0', ...headers]), true);
  const withKey = (key: string) => ask([`x-gateway-api-key: Bearer ${key}`]);
  const page = ['Sec-Fetch-Site: same-origin', `Origin: ${whole.base}`, `Cookie: ${askers.cookie}`];
  const nobody = await ask([]);
  const key = await withKey(askers.key);
  const limited = await withKey(askers.limited);
  const browser = await ask(page);
  const opened: string[] = [];
  for (const [group, own] of Object.entries(askers.byGroup)) {
    if (paramOf(await withKey(own)) !== 'allowed_routes') opened.push(group);
  }
  return (endpointOf: (callId: string) => string | undefined): AddressAnswer => {
    const logged = (reply: RawReply) => endpointOf(reply.headers.get('x-gateway-call-id') ?? '') ?? 'no line';
    return {
      nobody: `${said(nobody)} ${challengeOf(nobody)}`.trim(),
      key: `${said(key)}; ${logged(key)}`,
      limited: `${said(limited)}; ${logged(limited)}`,
      groups: opened.length === groups.length ? 'all' : opened.join(' '),
      browser: browser.status !== 401,
      timed: key.headers.has('x-gateway-overhead-duration-ms'),
    };
  };
}

const said = (reply: RawReply) => `${reply.status} ${errorOf(reply)}`.trim();

function errorOf({ body, headers }: RawReply): string {
  const location = headers.get('location');
  if (location !== undefined) return location;
  const error = membersOf(parsed(body))['error'];
  const { type, code, message } = membersOf(error);
  if (typeof message !== 'string') return typeof error === 'string' ? error : '';
  if (type === 'auth_error') return type;
  return `${typeof type === 'string' ? type : String(code)}: ${message}`;
}
const paramOf = ({ body }: RawReply) => membersOf(membersOf(parsed(body))['error'])['param'];
const challengeOf = ({ headers }: RawReply) =>
  /resource_metadata="https?:\/\/[^/]+([^"]*)"/.exec(headers.get('www-authenticate') ?? '')?.[1] ?? '';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a page, or nothing
  }
}
const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
