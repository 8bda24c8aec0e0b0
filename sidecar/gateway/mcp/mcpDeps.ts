import { isRecord } from '../../platform/isRecord.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { Sealer } from '../../platform/seal.ts';
import type { McpServerRecord } from '../../protocol/gateway/mcpServer.ts';
import type { CallContent } from '../auth/callContent.ts';
import type { CallContext } from '../auth/caller.ts';
import type { McpConnections } from '../backends/mcp/connections.ts';
import type { Eras } from '../backends/mcp/eras.ts';
import type { ResilienceOnUse } from '../backends/mcp/resilience/resilienceOnUse.ts';
import type { Outbound } from '../backends/mcp/types.ts';
import type { Outbound as SentOutbound } from '../backends/outbound.ts';
import type { McpRegistration } from '../backends/registration.ts';
import { ownMethods, type RelayedMethods } from '../wire/mcpMessage.ts';
import type { ListCache } from './aggregation/listCache.ts';
import type { KeepLimits } from './session/keptCalls.ts';
import type { Peers } from './session/peers.ts';

/** The members of a registered server that the MCP routes read, and hand on. The record itself fits. */
export interface McpServer
  extends McpRegistration,
    Partial<
      Pick<
        McpServerRecord,
        | 'tags'
        | 'guardrails'
        | 'available_on_public_internet'
        | 'is_byok'
        | 'mcp_info'
        | 'timeout'
        | 'stdio'
        | 'retry'
        | 'circuit_breaker'
        | 'list_cache_ttl_s'
      >
    > {
  readonly transport: McpServerRecord['transport'];
  readonly command?: string | null | undefined;
  readonly args?: readonly string[] | null | undefined;
  readonly env?: Readonly<Record<string, string>> | null | undefined;
  readonly mcp_access_groups?: readonly string[] | null | undefined;
  readonly allowed_params?: Readonly<Record<string, readonly string[]>> | null | undefined;
  readonly tool_name_to_display_name?: Readonly<Record<string, string>> | null | undefined;
  readonly tool_name_to_description?: Readonly<Record<string, string>> | null | undefined;
}

/** A server that the caller may use, with the one decision that lists and calls share. */
export interface VisibleServer {
  readonly server: McpServer;
  /** By the bare name, over all levels and the registration's own lists (`gateway.access.tools`). */
  allows(tool: string): boolean;
  /** The caller has the server as a whole, with its resources and prompts, and not some of its tools. */
  readonly isWhole: boolean;
}

/** The resolved call itself. */
export type McpContext = CallContext;

/** A tool call as guardrails see it. */
export interface GuardedCall {
  readonly context: McpContext;
  readonly server: McpServer;
  /** Bare name. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The record of the call, for what guardrails did. */
  readonly of?: GuardNotes;
}

/** What a guardrail that asks a service did, as it is in the record of the call. */
export interface GuardCheck {
  readonly guardrail_name: string;
  readonly guardrail_mode: string;
  readonly guardrail_status: 'success' | 'guardrail_intervened' | 'guardrail_failed_to_respond';
  /** Seconds. */
  readonly duration: number;
}
export interface GuardNotes {
  readonly record: Pick<McpRecord, 'note'>;
  readonly outcome: { checks?: readonly GuardCheck[] };
}
/** What a guardrail refuses with, in words for the caller: never with the value that was refused. */
export interface GuardRefusal {
  readonly guardrail_name: string;
  readonly error: 'guardrail_violation' | 'blocked_pii_entity';
  readonly message: string;
}
export interface PreVerdict {
  readonly refusal?: GuardRefusal;
  /** Instead of the caller's. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Sent to the backend with this call, for example a signed assertion. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What guardrails made of a result. */
export interface PostVerdict {
  readonly refusal?: GuardRefusal;
  /** Instead of the server's. */
  readonly result?: Readonly<Record<string, unknown>>;
}

/** One record a request. */
export interface McpRecord {
  /** Where request and response are left; absent where they are not stored. */
  readonly content?: CallContent | undefined;
  note(fields: {
    readonly model?: string;
    readonly mcp_namespaced_tool_name?: string;
    readonly api_base?: string;
    readonly session_id?: string;
    readonly metadata?: Readonly<Record<string, unknown>>;
  }): void;
  finish(outcome: {
    readonly status: 'success' | 'failure';
    readonly spend?: number;
    readonly error?: string;
    /** The code of a fault, the kind of a backend's failure, or the number of an error of the protocol. */
    readonly error_code?: string;
  }): void;
}

/** One way out, and what debug headers tell of it. */
export interface McpOutbound extends Outbound {
  /** The value of `x-mcp-debug-auth-resolution`: `static-token`, `no-auth`, … */
  readonly resolution?: string;
  /** As in {@link SentOutbound}. */
  readonly ownHeaders?: SentOutbound['ownHeaders'];
}

/** A call that may go on. */
export interface Admission {
  settle(spend: number): void;
  /** False if it keeps no limit, so that it need not be admitted again. */
  readonly isCounted?: boolean;
}

export interface McpDeps extends Omit<Runtime, 'random'> {
  /** Every server the caller may use, in a stable order. Cached by whoever hands it in: it is asked on each request. */
  visible(context: McpContext): readonly VisibleServer[] | Promise<readonly VisibleServer[]>;
  /** The servers of a toolset as far as the caller may use them; `undefined` where there is none, or not for them. */
  toolset(
    context: McpContext,
    name: string,
  ): readonly VisibleServer[] | undefined | Promise<readonly VisibleServer[] | undefined>;
  /** A server that this caller tries before it is saved. */
  tried(context: McpContext, serverId: string): McpServer | undefined;
  /** How this call leaves: credentials, static and passed headers, address guard. @throws {Fault} */
  outbound(
    server: McpServer,
    context: McpContext,
    call: {
      readonly method: string;
      readonly tool?: string;
      readonly headers?: Readonly<Record<string, string>>;
    },
  ): McpOutbound | Promise<McpOutbound>;
  /** May the call be paid and does it keep the limits? @throws {Fault} when not */
  admit(
    context: McpContext,
    call: {
      readonly cost: number;
      /** Absent for what several servers are asked. */
      readonly server_id?: string;
      /** Only limits that count by server: everything else was asked for the whole request. */
      readonly isPart?: boolean;
    },
  ): Admission | Promise<Admission>;
  /** Whether any guardrail looks at calls of this caller to this server. */
  guards(target: Pick<GuardedCall, 'context' | 'server'>): boolean;
  preMcpCall(call: GuardedCall): PreVerdict | Promise<PreVerdict>;
  /** When the call was admitted: what has to ask its server before it is sent. @returns a refusal or nothing */
  beforeSending(call: GuardedCall): Promise<GuardRefusal | undefined> | undefined;
  /** Before a server is asked for its tools. */
  preMcpList(target: Pick<GuardedCall, 'context' | 'server'>): PreVerdict | Promise<PreVerdict>;
  /** With every list, or page of one, that a server gave: the tools that may be shown, in order. */
  toolsListed(
    target: Pick<GuardedCall, 'context' | 'server'>,
    tools: readonly Readonly<Record<string, unknown>>[],
  ): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /**
   * A tool as people are shown it: without invisible characters, and of a bounded length (`security.tool-poisoning`).
   */
  cleanTool(tool: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Runs beside the call; answers a refusal or nothing. Nothing to wait for where nobody looks. */
  duringMcpCall(call: GuardedCall, signal: AbortSignal): Promise<GuardRefusal | undefined> | undefined;
  /** What looks at the result of the call; nothing where nobody does. */
  postMcpCall(call: GuardedCall): ((result: Readonly<Record<string, unknown>>) => Promise<PostVerdict>) | undefined;
  /** Begins the one record of a request. */
  record(
    context: McpContext,
    first: { readonly endpoint: string; readonly call_type: string; readonly model: string },
  ): McpRecord;
  /** Where a client that called `pathname` learns how to sign in at the server behind it, which authenticates callers itself. */
  signInDocument(baseUrl: string, pathname: string, serverId: string): string;
  /** Set in a worker, which answers only calls to HTTP servers that need nothing of an earlier call. */
  readonly isWorker?: boolean;
  readonly connections: McpConnections;
  /** Absent if there is only this replica. */
  readonly peers?: Peers;
  readonly eras: Eras;
  /** Lists of servers that allow it. */
  readonly lists: ListCache;
  /** For servers with retries or a circuit breaker; opened with the first of them. */
  readonly resilience: ResilienceOnUse;
  readonly sealer: Sealer;
  readonly options: McpOptions;
}

export interface McpOptions extends KeepLimits {
  /** Between a server's name and a tool's. Server names do not contain it. */
  readonly separator: string;
  /** Prefixes names on the single-server route too, as the older gateways do. */
  readonly alwaysPrefix: boolean;
  /** What clients may ask servers for. Default: the methods of MCP. */
  readonly methods: RelayedMethods;
  /** Of a request. Default 10 MB. */
  readonly maxBodyBytes: number;
  readonly maxResponseBytes: number;
  /** Where a registration names no `timeout`. */
  readonly timeoutMs: number;
  /** For each server when several are listed. */
  readonly listTimeoutMs: number;
  readonly sessionIdleMs: number;
  readonly maxSessionsPerCaller: number;
  /** Items on a page of a merged list. */
  readonly pageSize: number;
  /** A caller with more tools than that gets two that find and call them. Absent: every list is shown as a whole. */
  readonly toolSearchAbove?: number;
  readonly keepAliveMs: number;
  /** Shown to clients of merged servers. */
  readonly version: string;
}

export const defaultMcpOptions: McpOptions = {
  separator: '__',
  alwaysPrefix: false,
  methods: ownMethods,
  maxBodyBytes: 10_000_000,
  maxResponseBytes: 32_000_000,
  timeoutMs: 60_000,
  listTimeoutMs: 10_000,
  sessionIdleMs: 30 * 60_000,
  maxSessionsPerCaller: 256,
  keepMs: 5 * 60_000,
  keepBytes: 4_000_000,
  keepCalls: 8,
  pageSize: 256,
  keepAliveMs: 15_000,
  version: '1',
};

/** Whose sessions and memories these are: the key, also as it is rotated step by step, and on top of it the end user. */
export function callerOf({ caller }: McpContext): string {
  let name = callerNames.get(caller);
  if (name === undefined) {
    name = `${caller.key.sessions_of ?? caller.key.token}${BEFORE_END_USER}${caller.endUserId ?? ''}`;
    callerNames.set(caller, name);
  }
  return name;
}
const callerNames = new WeakMap<McpContext['caller'], string>();
const BEFORE_END_USER = '\u0000';

/** The part of {@link callerOf} for the key. */
export const keyOfCaller = (caller: string): string => caller.slice(0, caller.indexOf(BEFORE_END_USER));

/** What a server is called towards clients: alias, else name, else id. */
export const nameOf = (server: McpServer): string =>
  (server.alias || server.server_name || server.server_id).replaceAll(' ', '_');

/** The price of one call of a tool, which is known before the call. */
export function costOf(server: McpServer, tool: string): number {
  const info = server.mcp_info?.['mcp_server_cost_info'];
  if (!isRecord(info)) return 0;
  const byTool = info['tool_name_to_cost_per_query'];
  const price = (isRecord(byTool) ? byTool[tool] : undefined) ?? info['default_cost_per_query'];
  return typeof price === 'number' && price > 0 ? price : 0;
}
