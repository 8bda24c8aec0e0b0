import type { AgentInstalls } from '../../agents/registry/agentInstalls.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { Build, Notice, ProcessInfo } from '../../protocol/hostInfo.ts';
import type { Tokens } from '../context/tokens.ts';
import type { Effects } from '../effects/effects.ts';
import type { Resources } from '../resources/resources.ts';
import type { Authors } from '../sessions/authors/authors.ts';
import type { Elsewhere } from '../sessions/elsewhere/elsewhere.ts';
import type { Races } from '../sessions/races/races.ts';
import type { Transfers } from '../sessions/transfer/transfers.ts';
import type { Worktrees } from '../sessions/worktrees.ts';
import type { Store } from '../state/store.ts';
import type { HostStorage } from '../storage/hostStorage.ts';
import type { TranscriptSearch } from '../storage/search/transcriptSearch.ts';
import type { Terminals } from '../terminals/terminals.ts';
import type { Clients } from './clients.ts';
import type { Connection } from './connection.ts';
import type { Hub } from './hub.ts';
import type { RefreshLeases } from './refreshLeases.ts';
import type { Telemetry } from './telemetry.ts';

/** What windows ask of the gateway beside the host. */
interface GatewayDoor {
  start(request: {
    readonly secret?: string;
    readonly adminKey: string;
    readonly isTrusted: boolean;
    readonly allowedCommands?: readonly string[];
  }): Promise<{ readonly baseUrl: string }>;
}

/** Who answers an editor about documents, for one connection. */
export interface DocumentSession {
  notify(method: string, params: unknown): Promise<void>;
  ask(method: string, params: unknown): Promise<unknown>;
}

/** What all connections of a host share. */
export interface ConnectionDeps extends Pick<Runtime, 'clock' | 'timers' | 'newId' | 'log'> {
  readonly store: Store;
  readonly storage: HostStorage;
  readonly hub: Hub;
  readonly clients: Clients;
  readonly effects: Effects;
  readonly resources: Resources;
  readonly terminals: Terminals;
  readonly transcripts: Pick<TranscriptSearch, 'search'>;
  /** Sessions as files. Loaded when somebody asks for it. */
  readonly transfers: () => Promise<Pick<Transfers, 'export' | 'import'>>;
  /** Conversations that agents keep. Loaded when somebody asks for them. */
  readonly elsewhere: () => Promise<Elsewhere>;
  /** Who wrote which lines. Loaded when somebody asks for it. */
  readonly authors: () => Promise<Authors>;
  /** The worktrees of sessions. Loaded when somebody asks for them. */
  readonly worktrees: () => Promise<Worktrees>;
  readonly races: () => Promise<Races>;
  /** What installs agents is loaded when somebody wants one. */
  readonly agentInstalls: () => Promise<Pick<AgentInstalls, 'list' | 'offer' | 'install' | 'runScripts' | 'remove'>>;
  readonly telemetry: Telemetry;
  readonly tokens: Tokens;
  readonly leases: RefreshLeases;
  /** No log, no error and no transcript shows this from now on. */
  readonly hide: (secret: string) => void;
  readonly build: Build;
  readonly notices: () => readonly Notice[];
  readonly processes: () => readonly ProcessInfo[];
  readonly isBusy: () => boolean;
  readonly stopRequested: (restart: boolean) => void;
  /** A window came, went or changed its settings. */
  readonly windowsChanged: () => void;
  readonly closed: (connection: Connection) => void;
  readonly gateway: GatewayDoor | undefined;
  /** Absent where no documents are served. */
  readonly documents:
    | ((editor: { readonly publish: (params: object) => void; readonly knowsSchema: () => boolean }) => DocumentSession)
    | undefined;
}
