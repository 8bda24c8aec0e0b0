import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { LogLevel } from '../../platform/logger.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { Build } from '../../protocol/hostInfo.ts';
import type { AdmittedModelCall, WaitingModelCall } from './modelCalls.ts';
import type { GatewayUpkeep } from './upkeepContract.ts';

/** What a window sends to start the gateway of its user. Both members are secret: they come from the editor's own storage. */
export interface GatewayStart {
  /** Base64 of at least 32 bytes: seals what the gateway keeps. Absent: one from a file in the data directory, mode 0600. */
  readonly secret?: string;
  /** The key with which windows talk to the gateway. */
  readonly adminKey: string;
  /** Whether somebody trusts the folders of this window: only then the gateway starts programs. */
  readonly isTrusted: boolean;
  /** Programs that MCP servers may run. Replaces the list of before; absent: as it was, at first none. */
  readonly allowedCommands?: readonly string[];
}

/** The gateway that runs beside the host for one person. The host knows this much of it. */
export interface EmbeddedGateway {
  /** Starts it, once; later calls add their key and answer the same address. @throws {Fault} */
  start(request: GatewayStart): Promise<{ readonly baseUrl: string }>;
  /** Where the tools of a session are, with a key of its own; `undefined` while the gateway does not run. */
  sessionTools(session: string): Promise<{ readonly url: string; readonly key: string } | undefined>;
  /**
   * The models that an agent of a session may use, with a key for its chat; `undefined` where there is none, or the gateway
   * does not run. A name that ends in `*` serves every name that starts so.
   */
  sessionModels(session: string, chat: string): Promise<OfferedModels | undefined>;
  /**
   * The registered A2A agents, and the cloud-agents service, that sessions may call: now, where the gateway runs, and whenever
   * they change. @returns stops
   */
  onAgents(listener: (agents: readonly OfferedAgent[]) => void): () => void;
  /** The registered models that sessions may call: now, where the gateway runs, and whenever they change. @returns stops */
  onModels(listener: (models: readonly OfferedModel[]) => void): () => void;
  /** Where those agents are, or the service is, with a key of a chat for them; `undefined` while the gateway does not run. */
  sessionAgents(
    session: string,
    chat: string,
    service: 'agents' | 'cloud',
  ): Promise<{ readonly url: string; readonly key: string } | undefined>;
  /** Called with each call under a key of {@link sessionModels} or {@link sessionAgents}, as it is recorded. @returns stops */
  onCall(listener: (call: RecordedCall) => void): () => void;
  /** Asks before each call to a model under such a key, from now on. */
  gateCalls(gate: CallGate): void;
  /** The session is over: its key opens nothing any more. */
  sessionEnded(session: string): Promise<void>;
  /** What is registered and how it is, for the language of its configuration; `undefined` while it does not run. */
  facts(): Promise<ConfigFacts | undefined>;
  close(): Promise<void>;
}

/** Decides whether sessions may call models. */
export interface CallGate {
  /** Whether the cost of a session's calls has to be known before them. */
  limitsCost(session: string): boolean;
  /**
   * Settles when the call may be made; nothing of it was sent.
   * @throws {Fault} where it is refused; the reason of its signal
   */
  admit(call: AskedCall): Promise<AdmittedModelCall>;
}
export interface AskedCall extends WaitingModelCall {
  readonly session: string;
  readonly chat: string;
}

export interface OfferedAgent {
  readonly id: string;
  readonly name: string;
  /** From its card; may be empty. */
  readonly description: string;
  /** It is the cloud-agents service, which has no card. */
  readonly isCloud?: true;
}
export interface RecordedCall {
  readonly session: string;
  readonly chat: string;
  /** By the name that the agent called; `a2a_agent/` and the name of a remote agent. */
  readonly model: string;
  /** A sub-agent of the chat's agent made it. */
  readonly subAgent?: true;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars. */
  readonly cost: number;
}
export interface OfferedModels {
  readonly url: string;
  readonly key: string;
  readonly models: readonly OfferedModel[];
}
export interface OfferedModel {
  readonly name: string;
  readonly dialects: readonly ('chat' | 'responses' | 'messages' | 'gemini')[];
  /** The input token limit. Absent if it is not known. */
  readonly context?: number;
}

/** Names that the configuration file may use, beside its own. No secret is in it. */
export interface ConfigFacts {
  readonly servers: readonly {
    readonly id: string;
    readonly name: string;
    /** By their own names. Absent: nobody asked the server yet. */
    readonly tools?: readonly string[];
    readonly health?: 'healthy' | 'unhealthy' | 'unknown';
    readonly trouble?: string;
    readonly groups?: readonly string[];
  }[];
  readonly agents: readonly { readonly id: string; readonly name: string; readonly groups?: readonly string[] }[];
  readonly toolsets: readonly string[];
  readonly teams: readonly string[];
  readonly organizations: readonly string[];
  readonly budgets: readonly string[];
  readonly models: readonly string[];
}

/** The language server for `switchboard.jsonc`, for one connection. */
export interface ConfigDocuments {
  /** A notification of `textDocument/`. */
  notify(method: string, params: unknown): Promise<void>;
  /** A request of `textDocument/`; answers its result. */
  ask(method: string, params: unknown): Promise<unknown>;
}
/** What the language server knows of the editor behind a connection. */
export interface DocumentEditor {
  /** Sends `textDocument/publishDiagnostics`. */
  readonly publish: (params: object) => void;
  /** It has the JSON schema itself: its findings are not repeated. */
  readonly knowsSchema: () => boolean;
}
/** Loaded when such a document is opened. */
export type OpenConfigDocuments = (
  facts: () => Promise<ConfigFacts | undefined>,
  editor: DocumentEditor,
) => ConfigDocuments;

export interface EmbeddedGatewayDeps {
  readonly dataDir: string;
  /** Folder with the built pages. */
  readonly pagesFolder: string;
  readonly build: Build;
  readonly runtime: Runtime;
}

/** `sidecar/gateway/editions/roles.ts` exports `gatewayRoles` with this shape. */
export interface GatewayRoles {
  /**
   * Another program's file as the text of a `switchboard.jsonc`. @param path its extension decides the kind of file
   * @throws {Fault} `invalid_params` for a file that holds no servers
   */
  readonly importFile: (text: string, path: string) => Promise<string>;
  /** It costs nothing until it is started. */
  readonly openEmbedded: (deps: EmbeddedGatewayDeps) => Promise<EmbeddedGateway>;
  /** For the commands that maintain a gateway. */
  readonly loadUpkeep: () => Promise<GatewayUpkeep>;
  /** The gateway alone, for a team: until it is asked to end. @throws {Fault} */
  readonly runStandalone: (deps: StandaloneGatewayDeps) => Promise<StandaloneGateway>;
  /** A worker of a standalone gateway: comes back when it serves. @throws {Fault} */
  readonly runWorker: (deps: GatewayWorkerDeps) => Promise<void>;
}

/** Files that the command line names; each may be absent. */
export interface GatewayFiles {
  /** `switchboard.jsonc`. */
  readonly config: string | undefined;
  /** Holds the address of the database, so that no password stands in a command line. Absent: SQLite in `dataDir`. */
  readonly database: string | undefined;
  /** Holds the sealing secret; replicas share it. Absent: `gateway.secret` in `dataDir`, made when it is not there. */
  readonly secret: string | undefined;
  /** Holds the administrator's key. Absent: `SWITCHBOARD_ADMIN_KEY`, else one is made at the first start and shown once. */
  readonly adminKey: string | undefined;
}
/** Where the command line says to listen; goes before the configuration. */
export interface GatewayListen {
  readonly host: string | undefined;
  readonly port: number | undefined;
}
/** What a gateway does with its log once its configuration was read. */
export interface LogOutlet {
  /** The least severe lines that are written from now on. */
  setLevel(level: LogLevel): void;
  /** Every line goes there, too, from now on. */
  add(sink: AddedSink): void;
  /** A line of another process of the gateway. @param line as it is written, with its line end */
  write(line: string): void;
}
export interface AddedSink {
  /** Never throws. @param line JSON, with its line end */
  write(line: string): void;
  /** The process ends at once. */
  writeNow?(): void;
}
export interface StandaloneGatewayDeps {
  readonly files: GatewayFiles;
  readonly listen: GatewayListen;
  readonly dataDir: string;
  readonly pagesFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly build: Build;
  readonly runtime: Runtime;
  readonly outlet: LogOutlet;
  /** Absent: this process serves all calls. */
  readonly workers?: GatewayWorkers | undefined;
}
/** Processes that judge and relay calls for a gateway. */
export interface GatewayWorkers {
  readonly count: number;
  /** Where they hand over requests: a path in a folder that only this user can open, or a named pipe of Windows. */
  readonly pipe: string;
  /** Starts a process in the role of a worker. */
  start(): ChildProcess;
}
export interface GatewayWorkerDeps extends Omit<StandaloneGatewayDeps, 'pagesFolder' | 'workers'> {
  /** This process, with a channel to its owner. */
  readonly owner: ChannelEnd;
  /** Called when it was asked to leave, and its calls have ended. */
  left(): void;
}
/** A process with a channel to another one. */
export interface ChannelEnd {
  send?(message: unknown, handle: Socket | undefined, options: undefined, sent: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown, handle: unknown) => void): unknown;
  once(event: 'disconnect' | 'close', listener: () => void): unknown;
}
export interface StandaloneGateway {
  readonly baseUrl: string;
  /** A key that was made for the administrator: shown once, kept nowhere. */
  readonly newAdminKey: string | undefined;
  /** Reads the configuration file again. What is wrong with it goes to the log, and changes nothing. */
  reload(): Promise<void>;
  /**
   * Tells load balancers that it leaves, then takes no new calls, waits for those under way, and writes what is not written.
   * Urgent: without the first.
   */
  close(how: { readonly isUrgent: boolean }): Promise<void>;
}
