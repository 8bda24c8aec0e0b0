import type { Children } from '../platform/children/children.ts';
import type { Runtime } from '../platform/runtime.ts';
import type { ConfigJwtIssuer } from '../protocol/gateway/config/jwt.ts';
import type { SecretRef } from '../protocol/gateway/config/secretRef.ts';
import type { Guardrail } from '../protocol/gateway/guardrail.ts';
import type { ContentOptions } from './activity/content/contents.ts';
import type { MetricsDeps } from './activity/telemetry/metricsRoute.ts';
import type { OtlpOptions } from './activity/telemetry/otlpOptions.ts';
import type { BackendsDeps } from './backends/backends.ts';
import type { Workers } from './cluster/workers/openWorkers.ts';
import type { WorkerLink } from './cluster/workers/workerLink.ts';
import type { Certificate, ListenOptions } from './http/listen.ts';
import type { McpOptions } from './mcp/mcpDeps.ts';
import type { ModelGate } from './models/modelGate.ts';
import type { UsableModel } from './models/usableModels.ts';
import type { SignInOptions } from './oauth/signin/contract.ts';
import type { EndedCall } from './storage/activity/endedCall.ts';
import type { DatabaseAddress } from './storage/database/database.ts';
import type { GatewayStore, StoreOptions } from './storage/store.ts';

export interface GatewayOptions {
  readonly database: DatabaseAddress;
  /** As in {@link StoreOptions}. */
  readonly openDatabase?: StoreOptions['openDatabase'];
  /** As in {@link BackendsDeps}. */
  readonly connect?: BackendsDeps['connect'];
  /** Seals secrets, sessions and cookies: at least 32 bytes, kept outside of the database, the same on all replicas. */
  readonly secret: Uint8Array;
  /** An administrator's key that somebody else keeps; it is stored as its hash. */
  readonly adminKey?: string;
  /** Runs when the store is open, before anybody is listened to; where it throws, the gateway does not start. */
  readonly prepare?: (store: GatewayStore) => Promise<void>;
  readonly listen: {
    readonly host: string;
    /** 0: any that is free. */
    readonly port: number;
    readonly tls?: Certificate | undefined;
    readonly allowInsecure?: boolean;
    /** As in {@link ListenOptions}. */
    readonly onServer?: ListenOptions['onServer'];
    /** As in {@link ListenOptions}. */
    readonly handed?: ListenOptions['handed'];
  };
  /** As callers reach us; default: the address that is listened on. */
  readonly publicUrl?: string | undefined;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  /** Addresses and networks. */
  readonly trustedProxies?: readonly string[];
  /** Where neither key nor team says anything: all for one person's own gateway, none for a team's. */
  readonly defaultAccess: 'none' | 'all';
  readonly emptyListInherits?: boolean;
  readonly separator?: string;
  readonly alwaysPrefix?: boolean;
  /** Above how many tools a list shows two that find and call them. Absent: never. */
  readonly toolSearchAbove?: number | undefined;
  /** Sizes and times; what is left out has its default. */
  readonly limits?: Partial<
    Pick<
      McpOptions,
      | 'maxBodyBytes'
      | 'maxResponseBytes'
      | 'timeoutMs'
      | 'listTimeoutMs'
      | 'sessionIdleMs'
      | 'maxSessionsPerCaller'
      | 'keepMs'
      | 'keepBytes'
      | 'keepCalls'
      | 'pageSize'
    >
  >;
  /** Methods beside those of MCP that clients may use, with the members of their `params`. */
  readonly mcpMethods?: Readonly<Record<string, { readonly params: readonly string[] }>>;
  /** Asked before each call to a model. */
  readonly modelGate?: ModelGate;
  readonly stdio: {
    readonly isTrusted: boolean;
    readonly allowedCommands: readonly string[];
    /** Packages are fetched by their exact versions alone. */
    readonly wantsVersions?: boolean;
    /** How many may run at a time. Default 64. */
    readonly maxProcesses?: number;
    /** How long one may be idle. Default 5 minutes. */
    readonly idleMs?: number;
  };
  /** What is configured now: the same objects until something changes. */
  readonly guardrails?: () => readonly Guardrail[];
  /** Reads a secret that the configuration names. Absent: there is none. @throws {Fault} `unavailable` */
  readonly secretOf?: ((ref: SecretRef) => Promise<string>) | undefined;
  /** A server rejected a credential of the configuration file. Absent where that cannot have changed. */
  readonly credentialRefused?: (() => void) | undefined;
  /** `GET /v1/mcp/registry.json` is answered. */
  readonly isRegistryOn?: boolean;
  readonly cloudAgents?:
    | {
        readonly upstreamUrl: string;
        readonly prefix: string;
        /** Goes before the credential that is registered for the provider. */
        readonly credential?: string;
      }
    | undefined;
  /** What one address may try in a minute. Absent, or 0: as often as it wants. */
  readonly throttle?: { readonly wrongKeysPerMinute: number; readonly registrationsPerMinute: number } | undefined;
  readonly caller?: { readonly subscriptionKeyHeaders?: readonly string[]; readonly endUserHeader?: string };
  /** Identity providers whose tokens callers may send instead of a virtual key. */
  readonly jwt?: readonly ConfigJwtIssuer[];
  /** Where MCP clients may be sent after a sign-in, beside https addresses and this machine: each to the letter. */
  readonly trustedRedirects?: readonly string[];
  /** The identity provider with which people sign in to the pages. */
  readonly signIn?: SignInOptions | undefined;
  /** Folder with the built pages; absent where there are none. */
  readonly pagesFolder?: string | undefined;
  /** Asks servers by itself how they are, once for all replicas. */
  readonly checksHealth?: boolean;
  /** Lines of older calls are let go; 0 keeps them for ever. Default: 90. */
  readonly keepLogDays?: number;
  /** Requests and responses of calls are stored. Default: they are not. */
  readonly content?: ContentOptions | undefined;
  /** Older entries of the audit are let go. Default: 0, which keeps them for ever. */
  readonly keepAuditDays?: number;
  /** Where traces and metrics are sent. Default: nowhere. */
  readonly otlp?: OtlpOptions | undefined;
  /** Lines of the log that no sink will ever get, by the name of the sink. Default: there are no sinks. */
  readonly droppedLogLines?: MetricsDeps['droppedLogLines'];
  /** The processes that judge and relay calls for this one, which owns everything else. Default: there are none. */
  readonly workers?: Workers | undefined;
  /** Set in one of them: its owner. */
  readonly owner?: WorkerLink | undefined;
  readonly children: Children;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtime: Runtime;
  readonly version: string;
}

/** What {@link GatewayOptions} give. */
export interface Gateway {
  /** Where callers reach it, without a slash at the end. */
  readonly baseUrl: string;
  readonly store: GatewayStore;
  /** Calls the listener with each call that has ended, before it is written. @returns a function that stops this */
  onCall(listener: (call: EndedCall) => void): () => void;
  /** The registered models that a key can use. @param token its hash @throws {Fault} as its calls */
  modelsOf(token: string): Promise<readonly UsableModel[]>;
  /** Every model that is registered. */
  allModels(): Promise<readonly UsableModel[]>;
  /** For connections that begin from now on. @throws where certificate and key do not belong together */
  renewCertificate(certificate: Certificate): void;
  /**
   * For `leaveMs` it says that it leaves and still serves, so that load balancers send calls elsewhere.
   * Then it takes no new ones, ends streams that only listen, lets calls under way end for at most `graceMs`, writes what
   * is not written yet, and leaves.
   */
  close(graceMs?: number, leaveMs?: number): Promise<void>;
}
