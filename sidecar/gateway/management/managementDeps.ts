import type { Clock } from '../../platform/clock.ts';
import type { AgentRecord } from '../../protocol/gateway/agent.ts';
import type { AlertTargetRecord } from '../../protocol/gateway/alerts/target.ts';
import type { ModelHealth, ModelPriceList } from '../../protocol/gateway/answers.ts';
import type { Guardrail } from '../../protocol/gateway/guardrail.ts';
import type { GuardrailTryAnswer } from '../../protocol/gateway/guardrails/answers.ts';
import type { KeyRecord } from '../../protocol/gateway/key.ts';
import type { McpCredentials, McpServerRecord } from '../../protocol/gateway/mcpServer.ts';
import type { ModelRecord } from '../../protocol/gateway/model.ts';
import type { CallContext } from '../auth/caller.ts';
import type { Directory } from '../auth/directory.ts';
import type { Permissions } from '../auth/permissions.ts';
import type { WrongKeys } from '../auth/wrongKeys.ts';
import type { Backends } from '../backends/backends.ts';
import type { ServerResilience } from '../backends/mcp/resilience/resilience.ts';
import type { UserTokenStore } from '../backends/oauth/stores.ts';
import type { GatewayStore } from '../storage/store.ts';
import type { ActivityReads, Spending } from './activity/reads.ts';

export interface ServerHealth {
  readonly server_id: string;
  readonly status: 'healthy' | 'unhealthy' | 'unknown';
  /** RFC 3339, UTC. */
  readonly last_health_check?: string | null;
  /** In words, without secrets. */
  readonly health_check_error?: string | null;
}

/** A guardrail as people see it: no parameter that could hold a secret. */
export interface GuardrailInfo {
  readonly guardrail_name: string;
  readonly mode: string | readonly string[];
  /** Runs for every call, not only for keys that name it. */
  readonly default_on: boolean;
  readonly description?: string | null;
  /** It comes from the configuration file. */
  readonly from_config: boolean;
  readonly gateway_params: Guardrail['gateway_params'];
}

/** The guardrails of this replica, as administrators see and try them. */
export interface GuardrailAdmin {
  /** In the order in which they run. */
  all(): readonly GuardrailInfo[];
  /** What was written applies here when this resolves. */
  applied(): Promise<void>;
  tryOut(
    context: CallContext,
    asked: {
      readonly server?: McpServerRecord;
      readonly tool: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly result?: Readonly<Record<string, unknown>>;
      /** Default: all of them. */
      readonly names?: readonly string[];
    },
  ): Promise<GuardrailTryAnswer['guardrails']>;
}

export interface ManagementOptions {
  /** Between a server's name and a tool's: names of servers must not hold it. */
  readonly separator: string;
  /** Above how many tools a list is replaced by tool search. Absent: never. */
  readonly toolSearchAbove?: number;
  /** `GET /v1/mcp/registry.json` is answered. */
  readonly isRegistryOn: boolean;
  /** What the OpenAPI document and the registry say. */
  readonly version: string;
  /** How requests and responses are stored; absent where they are not. */
  readonly content?: { readonly keepDays: number } | undefined;
}

/** Everything the management routes need; whoever builds the gateway hands it in. */
export interface ManagementDeps {
  readonly store: GatewayStore;
  readonly directory: Directory;
  readonly permissions: Permissions;
  readonly backends: Pick<
    Backends,
    'checkServer' | 'checkAgent' | 'checkModel' | 'checkAddress' | 'issuerOf' | 'forget' | 'forgetToken'
  >;
  /** People's tokens at servers with OAuth: the same store that calls read. */
  readonly tokens: UserTokenStore;
  /** Servers that are tried before they are saved. */
  readonly drafts: {
    begin(
      server: McpServerRecord,
      secrets: McpCredentials,
      user: string,
    ): { readonly server: McpServerRecord; readonly untilMs: number };
    find(serverId: string, user: string): { readonly server: McpServerRecord } | undefined;
  };
  /** Slows down whoever tries credentials; absent where only one person reaches this gateway. */
  readonly wrongKeys?: WrongKeys | undefined;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly spending: Spending;
  readonly activity: ActivityReads;
  /** Asks servers whether they are well; `unknown` for one that cannot be asked without a person. */
  readonly health: (serverIds: readonly string[]) => Promise<readonly ServerHealth[]>;
  /** The tools that a server listed last; `undefined` where nobody has asked it. */
  readonly listedTools: (serverId: string) => readonly string[] | undefined;
  /** The processes of stdio servers at this replica, by server ID. */
  readonly processes: () => ReadonlyMap<string, { readonly count: number; readonly memoryBytes: number }>;
  /** The circuits and retries of servers that have them, as they are at this replica, by server ID. */
  readonly resilience: () => ReadonlyMap<string, ServerResilience>;
  /** Whether the routes of a key include one that calls models. */
  readonly mayCallModels: (key: KeyRecord) => boolean;
  /** What a backend of a model costs, and how its calls from this replica went. */
  readonly describeModel: (
    model: ModelRecord,
  ) => Promise<{ readonly prices: ModelPriceList | null; readonly health: ModelHealth }>;
  /** False where the agent gives no card; for one of a provider's own kind, where nothing answers. */
  readonly isAgentHealthy: (agent: AgentRecord) => Promise<boolean>;
  /** Tool definitions as they were approved. */
  readonly pins: {
    /** @returns how many tools were pinned. @throws {Fault} `unavailable` where the server does not list them */
    pin(server: McpServerRecord): Promise<{ readonly tools: number }>;
    unpin(serverId: string): Promise<void>;
  };
  /** @throws {Fault} `forbidden` naming the field, for a program that no stdio server may run here */
  readonly checkCommand: (server: McpServerRecord) => void;
  readonly guardrails: GuardrailAdmin;
  /** Sends a test message to a target. @returns why it was not taken, in words; `undefined` where it was */
  readonly testAlert: (target: AlertTargetRecord) => Promise<string | undefined>;
  readonly options: ManagementOptions;
}
