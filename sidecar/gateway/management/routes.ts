import type { KeyRoute } from '../routing/route.ts';
import type { Management } from './management.ts';
import type { Route } from './route.ts';

interface Subject {
  /** Templates that together fit every address of the rows. */
  readonly paths: readonly string[];
  load(): Promise<readonly Route[]>;
}

/**
 * The routes of the management API, by subject. A subject is loaded with the first request for one of its addresses: most
 * gateways need few of them, and none of them to start.
 */
export const subjects: readonly Subject[] = [
  {
    paths: ['/v1/mcp/server', '/v1/mcp/server/{server_id}'],
    load: async () => (await import('./servers/crud.ts')).serverRoutes,
  },
  {
    paths: [
      '/v1/mcp/server/{server_id}/**',
      ...['access_groups', 'make_public', 'registry.json', 'network/**', 'catalog', 'access-request/**'].map(ofMcp),
      ...['discover', 'openapi-registry', 'toolset/**', 'user-credentials', 'user-env-vars/**'].map(ofMcp),
    ],
    load: async () => (await import('./servers/routes.ts')).moreServerRoutes,
  },
  {
    paths: ['/key/**', '/team/key/**'],
    load: async () => (await import('./keys/routes.ts')).keyRoutes,
  },
  {
    paths: ['/team/**'],
    load: async () => (await import('./teams/routes.ts')).teamRoutes,
  },
  {
    paths: ['/organization/**', '/user/**', '/invitation/**', '/scim/token/**', '/customer/**', '/budget/**'],
    load: async () => (await import('./people/routes.ts')).peopleRoutes,
  },
  {
    paths: ['/v1/access_group/**'],
    load: async () => (await import('./accessGroups/routes.ts')).accessGroupRoutes,
  },
  {
    paths: ['/v1/agents/**', '/credentials/**'],
    load: async () => (await import('./agents/routes.ts')).agentRoutes,
  },
  {
    paths: ['/model/**'],
    load: async () => (await import('./models/routes.ts')).modelRoutes,
  },
  {
    paths: [
      ...['user', 'team', 'organization', 'customer', 'agent', 'tag', 'gateway'].map((it) => `/${it}/daily/**`),
      ...['/activity/**', '/spend/**'],
    ],
    load: async () => (await import('./activity/routes.ts')).activityRoutes,
  },
  {
    paths: ['/alert/**'],
    load: async () => (await import('./alerts/routes.ts')).alertRoutes,
  },
  {
    paths: ['/guardrails/**'],
    load: async () => (await import('./guardrails/routes.ts')).guardrailRoutes,
  },
  {
    paths: ['/access/explain', '/audit', '/gateway/info'],
    load: async () => (await import('./oversight/routes.ts')).oversightRoutes,
  },
];

/** By the tags of the document. */
const requirements: Readonly<Record<string, string>> = {
  keys: 'gateway.manage.keys',
  teams: 'gateway.manage.people',
  organizations: 'gateway.manage.people',
  users: 'gateway.manage.people',
  invitations: 'gateway.invitations',
  customers: 'gateway.manage.people',
  budgets: 'gateway.manage.people',
  'mcp servers': 'gateway.manage.servers',
  'own credentials': 'gateway.manage.servers',
  toolsets: 'gateway.manage.servers',
  'access groups': 'gateway.manage.access-groups',
  agents: 'gateway.manage.agents',
  credentials: 'gateway.manage.agents',
  models: 'gateway.manage.models',
  activity: 'gateway.activity.daily',
  guardrails: 'gateway.manage.oversight',
  access: 'gateway.manage.oversight',
  audit: 'gateway.manage.oversight',
  alerts: 'gateway.manage.alerts',
};

/** Below any name these are addresses of a server: `/credentials/mcp` is that of a server called credentials. */
const ofServers: ReadonlySet<string> = new Set(['mcp', 'sse', 'authorize', 'token', 'register']);
const hasShortParameter = (path: string): boolean => path.split('/').length === 3 && path.endsWith('}');

/** A row of management in the table of the gateway. */
export function keyRoute(route: Route): KeyRoute<Management> {
  const { method, path, summary, tag, query, body, answer, status, who } = route;
  return {
    method,
    path,
    surface: 'management',
    auth: 'browser',
    groups: method === 'GET' ? ['management_routes', 'info_routes'] : ['management_routes'],
    countedAs: '(management)',
    limitsAdminKeys: true,
    requirements: [requirements[tag] ?? ''],
    openapi: [{ method, path, summary, tag, query, body, answer, status, who }],
    accepts: (params) => !hasShortParameter(path) || !Object.values(params).some((it) => ofServers.has(it)),
    handle: (call, management) => management.serve(route, call),
  };
}

function ofMcp(path: string): string {
  return `/v1/mcp/${path}`;
}
