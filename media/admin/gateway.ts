import * as z from 'zod';
import { AgentRecord } from '../../sidecar/protocol/gateway/agent.ts';
import * as alerts from '../../sidecar/protocol/gateway/alerts/answers.ts';
import * as answers from '../../sidecar/protocol/gateway/answers.ts';
import { GuardrailListAnswer, GuardrailTryAnswer } from '../../sidecar/protocol/gateway/guardrails/answers.ts';
import { BudgetRecord } from '../../sidecar/protocol/gateway/limits.ts';
import { ToolsetRecord } from '../../sidecar/protocol/gateway/mcpServer.ts';
import { AccessRequestListAnswer, CatalogAnswer } from '../../sidecar/protocol/gateway/pages/accessRequest.ts';
import { CallContentAnswer } from '../../sidecar/protocol/gateway/pages/callContent.ts';
import { GatewayInfoAnswer, UserInfoAnswer } from '../../sidecar/protocol/gateway/pages/info.ts';
import { RecordUse, type RecordUseQuery } from '../../sidecar/protocol/gateway/pages/recordUse.ts';
import {
  AcceptedInvitation,
  InvitationMade,
  InvitationView,
} from '../../sidecar/protocol/gateway/people/invitation.ts';
import { ScimTokenListAnswer, ScimTokenMade } from '../../sidecar/protocol/gateway/people.ts';
import { ToolPinRecord } from '../../sidecar/protocol/gateway/toolPin.ts';
import type { Api, Method, Query } from './api.ts';
import { visible } from './records/lookups.ts';

/** What one page of a list holds, counted by the gateway. */
export interface RecordPage<T> {
  readonly rows: readonly T[];
  readonly total: number;
  readonly page: number;
  readonly totalPages: number;
}

/** Answers that nothing is read from. */
const Done = z.unknown();
/** An id as a part of a path. */
const part = encodeURIComponent;

const invitationRoutes = (api: Api) => ({
  invitations: (signal?: AbortSignal) => api.get('/invitation/list', {}, z.array(InvitationView), signal),
  createInvitation: (body: unknown) => api.send('POST', '/invitation/new', body, InvitationMade),
  deleteInvitation: (invitation_id: string) => api.send('POST', '/invitation/delete', { invitation_id }, Done),
  scimTokens: async (signal?: AbortSignal) =>
    (await api.get('/scim/token/list', {}, ScimTokenListAnswer, signal)).tokens,
  createScimToken: (body: unknown) => api.send('POST', '/scim/token/new', body, ScimTokenMade),
  revokeScimToken: (token_id: string) => api.send('POST', '/scim/token/delete', { token_id }, Done),
  /** @param token the secret of the link */
  acceptInvitation: (token: string, name: string) =>
    api.send('POST', '/ui/invitation', { token, name }, AcceptedInvitation),
});

/** An address of the identity provider. */
const ProviderPage = z.object({ url: z.string() });

const signInRoutes = (api: Api) => ({
  signIn: (key: string) => api.send('POST', '/ui/session', { key }, Done),
  /** @returns where to sign out at the identity provider too, if the person signed in there */
  signOut: () => api.send('DELETE', '/ui/session', undefined, ProviderPage.optional()),
  waysIn: () => api.get('/ui/sign-in', {}, answers.WaysInAnswer),
  /** @param query of the page to return to @returns where the provider asks who it is */
  signInWithProvider: (query: string) => api.send('POST', '/ui/sign-in', { query }, ProviderPage),
});

/** Every route that the pages use, by what it is for. The schemas of the answers are those of the protocol. */
export function routesOf(api: Api) {
  const send = (method: Method, path: string, body?: unknown) => api.send(method, path, body, Done);
  return {
    ...signInRoutes(api),
    ...invitationRoutes(api),
    ownKey: (signal?: AbortSignal) => api.get('/key/info', {}, answers.KeyInfoAnswer, signal),
    key: (hash: string, signal?: AbortSignal) => api.get('/key/info', { key: hash }, answers.KeyInfoAnswer, signal),

    /** Absent for a gateway that does not say. */
    info: async () => (await visible(api.get('/gateway/info', {}, GatewayInfoAnswer).then((it) => [it])))[0],

    keys: async (query: Query, signal?: AbortSignal): Promise<RecordPage<answers.KeyAnswer>> => {
      const it = await api.get('/key/list', { ...query, return_full_object: true }, answers.KeyListAnswer, signal);
      return { rows: it.keys, total: it.total_count, page: it.current_page, totalPages: it.total_pages };
    },
    createKey: (body: unknown) => api.send('POST', '/key/generate', body, answers.NewKeyAnswer),
    updateKey: (body: unknown) => send('POST', '/key/update', body),
    rotateKey: (body: unknown) => api.send('POST', '/key/regenerate', body, answers.NewKeyAnswer),
    blockKey: (key: string, isBlocked: boolean) => send('POST', isBlocked ? '/key/block' : '/key/unblock', { key }),
    deleteKey: (key: string) => send('POST', '/key/delete', { keys: [key] }),
    explain: (body: unknown) => api.send('POST', '/access/explain', body, answers.ExplainAnswer),

    teams: (signal?: AbortSignal) => api.get('/team/list', {}, z.array(answers.TeamAnswer), signal),
    organizations: (signal?: AbortSignal) =>
      api.get('/organization/list', {}, z.array(answers.OrganizationAnswer), signal),
    endUsers: (signal?: AbortSignal) => api.get('/customer/list', {}, z.array(answers.EndUserAnswer), signal),
    users: async (query: Query, signal?: AbortSignal): Promise<RecordPage<answers.UserAnswer>> => {
      const it = await api.get('/user/list', query, answers.UserListAnswer, signal);
      return { rows: it.users, total: it.total, page: it.page, totalPages: it.total_pages };
    },
    /** Absent where the user is not there. */
    user: async (user_id: string, signal?: AbortSignal) =>
      (await api.get('/user/info', { user_id }, UserInfoAnswer, signal)).user_info ?? undefined,
    budgets: (signal?: AbortSignal) => api.get('/budget/list', {}, z.array(BudgetRecord), signal),

    servers: (signal?: AbortSignal) => api.get('/v1/mcp/server', {}, z.array(answers.McpServerAnswer), signal),
    server: (id: string, signal?: AbortSignal) =>
      api.get(`/v1/mcp/server/${part(id)}`, {}, answers.McpServerAnswer, signal),
    /** Servers that somebody proposed and nobody let in. */
    submissions: async (signal?: AbortSignal) =>
      (await api.get('/v1/mcp/server/submissions', {}, answers.SubmissionsAnswer, signal)).items,
    createServer: (body: unknown) => send('POST', '/v1/mcp/server', body),
    updateServer: (body: unknown) => send('PUT', '/v1/mcp/server', body),
    deleteServer: (id: string) => send('DELETE', `/v1/mcp/server/${part(id)}`),
    serverHealth: (signal?: AbortSignal) =>
      api.get('/v1/mcp/server/health', {}, z.array(answers.ServerHealthAnswer), signal),
    pinServer: (id: string, isPinned: boolean) => send(isPinned ? 'POST' : 'DELETE', `/v1/mcp/server/${part(id)}/pin`),
    pins: async (id: string, signal?: AbortSignal) => {
      const Pins = ToolPinRecord.pick({ tools: true });
      return (await api.get(`/v1/mcp/server/${part(id)}/pin`, {}, Pins, signal)).tools;
    },
    reviewServer: (id: string, verdict: 'approve' | 'reject', review_notes?: string) =>
      send('PUT', `/v1/mcp/server/${part(id)}/${verdict}`, review_notes ? { review_notes } : {}),
    /** @param server_id absent for the tools of all servers */
    tools: (server_id?: string, signal?: AbortSignal) =>
      api.get('/mcp-rest/tools/list', { server_id }, answers.ToolListAnswer, signal),
    /** Tries a server that is not saved. */
    tryTools: (body: unknown) => api.send('POST', '/mcp-rest/test/tools/list', body, answers.TriedToolsAnswer),
    callTool: (body: unknown) => api.send('POST', '/mcp-rest/tools/call', body, answers.ToolCallAnswer),

    toolsets: (signal?: AbortSignal) => api.get('/v1/mcp/toolset', {}, z.array(ToolsetRecord), signal),
    createToolset: (body: unknown) => send('POST', '/v1/mcp/toolset', body),
    updateToolset: (body: unknown) => send('PUT', '/v1/mcp/toolset', body),
    deleteToolset: (id: string) => send('DELETE', `/v1/mcp/toolset/${part(id)}`),

    agents: (signal?: AbortSignal) => api.get('/v1/agents', {}, z.array(AgentRecord), signal),
    createAgent: (body: unknown) => send('POST', '/v1/agents', body),
    updateAgent: (id: string, body: unknown) => send('PATCH', `/v1/agents/${part(id)}`, body),
    deleteAgent: (id: string) => send('DELETE', `/v1/agents/${part(id)}`),
    card: (id: string) =>
      api.get(`/a2a/${part(id)}/.well-known/agent-card.json`, {}, z.record(z.string(), z.unknown())),

    alertTargets: (signal?: AbortSignal) =>
      api.get('/alert/target/list', {}, z.array(alerts.AlertTargetAnswer), signal),
    alertRules: (signal?: AbortSignal) => api.get('/alert/rule/list', {}, z.array(alerts.AlertRuleAnswer), signal),
    testAlert: (target_name: string) => api.send('POST', '/alert/target/test', { target_name }, alerts.AlertTestAnswer),
    alertDeliveries: async (query: Query, signal?: AbortSignal): Promise<RecordPage<alerts.AlertDeliveryAnswer>> => {
      const it = await api.get('/alert/delivery/list', query, alerts.AlertDeliveryListAnswer, signal);
      return { rows: it.deliveries, total: it.total, page: it.page, totalPages: it.total_pages };
    },

    guardrails: (signal?: AbortSignal) => api.get('/guardrails/list', {}, GuardrailListAnswer, signal),
    tryGuardrails: (body: unknown) => api.send('POST', '/guardrails/try', body, GuardrailTryAnswer),
    credentials: async (signal?: AbortSignal) =>
      (await api.get('/credentials', {}, answers.CredentialListAnswer, signal)).credentials,
    createCredential: (body: unknown) => send('POST', '/credentials', body),
    updateCredential: (name: string, body: unknown) => send('PATCH', `/credentials/${part(name)}`, body),
    deleteCredential: (name: string) => send('DELETE', `/credentials/${part(name)}`),

    ...modelsOf(api),
    ...activityOf(api),
    ...ownUseOf(api),
    /** A write whose answer is not read. */
    write: (path: string, body: unknown) => send('POST', path, body),
  };
}
export type Routes = ReturnType<typeof routesOf>;

const OwnModels = z.object({ data: z.array(z.object({ id: z.string() })) });
/** Of a chat completion, what is shown. */
const ChatCompletion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }) })),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
});
/** Of an agent's answer in JSON-RPC. */
const AgentAnswer = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** What calls were made, and what was changed. */
function activityOf(api: Api) {
  return {
    /** The calls of a record, and who names it. */
    recordUse: (query: RecordUseQuery, signal?: AbortSignal) =>
      api.get('/activity/record', { ...query }, RecordUse, signal),
    endpoints: (query: Query, signal?: AbortSignal) =>
      api.get('/activity/endpoints', query, answers.EndpointActivityAnswer, signal),
    daily: (
      entity: 'user' | 'team' | 'agent' | 'customer' | 'organization' | 'tag',
      query: Query,
      signal?: AbortSignal,
    ) => api.get(`/${entity}/daily/activity`, query, answers.DailyActivityAnswer, signal),
    logs: async (query: Query, signal?: AbortSignal) => {
      const it = await api.get('/spend/logs/v2', query, answers.SpendLogsAnswer, signal);
      return {
        ...{ rows: it.data, total: it.total, page: it.page, totalPages: it.total_pages },
        ...{ isMore: it.total_is_more === true, since: it.looked_at_since },
      };
    },
    callContent: (request_id: string) => api.get('/spend/logs/content', { request_id }, CallContentAnswer),
    audit: async (query: Query, signal?: AbortSignal): Promise<RecordPage<answers.AuditLine>> => {
      const it = await api.get('/audit', query, answers.AuditAnswer, signal);
      return { rows: it.audit_logs, total: it.total, page: it.page, totalPages: it.total_pages };
    },
  };
}

/** What everybody may do: find servers, ask for them, and try what they may use. */
function ownUseOf(api: Api) {
  const send = (method: Method, path: string, body?: unknown) => api.send(method, path, body, Done);
  return {
    catalog: async (signal?: AbortSignal) => (await api.get('/v1/mcp/catalog', {}, CatalogAnswer, signal)).servers,
    requestAccess: (body: unknown) => send('POST', '/v1/mcp/access-request', body),
    accessRequests: async (signal?: AbortSignal) =>
      (await api.get('/v1/mcp/access-request', {}, AccessRequestListAnswer, signal)).requests,
    decideAccess: (id: string, verb: 'grant' | 'refuse', body: unknown) =>
      send('POST', `/v1/mcp/access-request/${part(id)}/${verb}`, body),
    /** Names of the models that the caller may call. */
    ownModels: async (signal?: AbortSignal) =>
      (await api.get('/v1/models', {}, OwnModels, signal)).data.map((it) => it.id),
    chat: (body: unknown) => api.send('POST', '/v1/chat/completions', body, ChatCompletion),
    message: (agent: string, body: unknown) => api.send('POST', `/a2a/${part(agent)}`, body, AgentAnswer),
  };
}

/** The models that callers can use. */
function modelsOf(api: Api) {
  const send = (method: Method, path: string, body?: unknown) => api.send(method, path, body, Done);
  return {
    models: async (signal?: AbortSignal) => (await api.get('/model/info', {}, answers.ModelInfoAnswer, signal)).data,
    modelUsers: async (signal?: AbortSignal) =>
      (await api.get('/model/access', {}, answers.ModelAccessAnswer, signal)).data,
    createModel: (body: unknown) => send('POST', '/model/new', body),
    updateModel: (body: unknown) => send('POST', '/model/update', body),
    deleteModel: (model_id: string) => send('POST', '/model/delete', { model_id }),
  };
}
