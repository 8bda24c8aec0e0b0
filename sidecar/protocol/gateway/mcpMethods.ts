/** Names of members by what they hold; `null` where what they hold is not the gateway's to judge. */
export interface MethodParams {
  readonly [name: string]: MethodParams | null;
}

/** One method of MCP that clients may use. */
export interface McpMethodRow {
  /**
   * What decides on it, beside which servers the caller may use: the rules for tools, lists that are filtered, the
   * gateway's own answer, subscriptions; `relayed` where nothing else does.
   */
  readonly judged: 'tool' | 'toolList' | 'gateway' | 'subscription' | 'relayed' | 'notification';
  /** The members of `params` that MCP names. */
  readonly params: MethodParams;
}

const page = { cursor: null };
const byUri = { uri: null, requestState: null, inputResponses: null };
const byTask = { taskId: null };
const implementation = { name: null, version: null, title: null, description: null, icons: null, websiteUrl: null };
const introduction = { protocolVersion: null, capabilities: null, clientInfo: implementation };

const rows: Readonly<Record<string, readonly [judged: McpMethodRow['judged'], params: MethodParams]>> = {
  initialize: ['gateway', introduction],
  ping: ['gateway', {}],
  'server/discover': ['relayed', {}],
  'tools/list': ['toolList', page],
  'tools/call': [
    'tool',
    { name: null, arguments: null, task: { ttl: null }, requestState: null, inputResponses: null },
  ],
  'prompts/list': ['relayed', page],
  'prompts/get': ['relayed', { name: null, arguments: null, requestState: null, inputResponses: null }],
  'resources/list': ['relayed', page],
  'resources/templates/list': ['relayed', page],
  'resources/read': ['relayed', byUri],
  'resources/subscribe': ['relayed', byUri],
  'resources/unsubscribe': ['relayed', byUri],
  'completion/complete': [
    'relayed',
    { ref: { type: null, name: null, title: null, uri: null }, argument: { name: null, value: null }, context: null },
  ],
  'logging/setLevel': ['relayed', { level: null }],
  'subscriptions/listen': [
    'subscription',
    {
      notifications: {
        toolsListChanged: null,
        promptsListChanged: null,
        resourcesListChanged: null,
        resourceSubscriptions: null,
      },
    },
  ],
  'tasks/get': ['relayed', byTask],
  'tasks/result': ['relayed', byTask],
  'tasks/update': ['relayed', { ...byTask, requestState: null, inputResponses: null }],
  'tasks/cancel': ['relayed', byTask],
  'tasks/list': ['relayed', page],
  'notifications/initialized': ['notification', {}],
  'notifications/cancelled': ['notification', { requestId: null, reason: null }],
  'notifications/progress': ['notification', { progressToken: null, progress: null, total: null, message: null }],
  'notifications/roots/list_changed': ['notification', {}],
  'notifications/tasks/status': [
    'notification',
    {
      ...byTask,
      status: null,
      statusMessage: null,
      createdAt: null,
      lastUpdatedAt: null,
      ttl: null,
      pollInterval: null,
    },
  ],
};

/**
 * Every method and notification of clients that the gateway passes on or answers: those of MCP 2024-11-05 to
 * 2026-07-28. Another method reaches no server, unless `mcp_methods` of the configuration names it
 * (`gateway.messages.methods`).
 */
export const mcpMethods: ReadonlyMap<string, McpMethodRow> = new Map(
  Object.entries(rows).map(([method, [judged, params]]) => [method, { judged, params: { _meta: null, ...params } }]),
);

const lowerCase = new Set([...mcpMethods.keys()].map((it) => it.toLowerCase()));

/** Whether a name is one of MCP's own, in whatever case. */
export const isOwnMethod = (method: string): boolean => lowerCase.has(method.toLowerCase());

const notifications = 'notifications/';

/** With methods that the operator added: relayed to the one server of an address, with the members of `params` that are named. */
export function withMethods(added: Readonly<Record<string, { readonly params: readonly string[] }>>) {
  const more = Object.entries(added).map(([method, { params }]): [string, McpMethodRow] => [
    method,
    {
      judged: method.startsWith(notifications) ? 'notification' : 'relayed',
      params: Object.fromEntries(['_meta', ...params].map((it) => [it, null])),
    },
  ]);
  return new Map([...more, ...mcpMethods]);
}
