import type { Duplex } from 'node:stream';
import type { Runtime } from '../../platform/runtime.ts';
import type { Build, Notice } from '../../protocol/hostInfo.ts';
import type { ConnectionLimits } from '../../protocol/limits.ts';
import type { MessageLink } from '../../transport/link.ts';
import type { ConfigDocuments, DocumentEditor, EmbeddedGateway } from '../gateway/gatewayContract.ts';
import type { ToolProgramOf } from './toolProgram.ts';

/** What the process around it asks of the host: `sidecar/host/host.ts` exports `openHost` with this shape. */
export type OpenHost = (deps: HostDeps) => Promise<Host>;

export interface HostDeps {
  /** Absolute real path, mode 0700, writable. */
  readonly dataDir: string;
  readonly build: Build;
  readonly runtime: Runtime;
  /** A client asked to stop the host. Closing follows at once, so answer the request before calling it. */
  readonly onStopRequested: (restart: boolean) => void;
  /** The gateway beside the host. Absent where there is none. */
  readonly gateway?: EmbeddedGateway;
  /** How agents that reach no server over HTTP get one. Absent: they get none. */
  readonly toolProgram?: ToolProgramOf;
  /** The language of the gateway's configuration, for one connection. Absent where nobody serves it. */
  readonly documents?: (editor: DocumentEditor) => ConfigDocuments;
}

export interface Host {
  /**
   * Serves JSON-RPC to a program of the user on this machine, over `stream` until it closes. Without `limits` it may cost what
   * a window may.
   */
  attach(
    stream: Duplex,
    peer: {
      readonly build: Build;
      readonly limits?: ConnectionLimits | undefined;
    },
  ): void;
  /** As {@link attach}, for a client that was let in by a `credential`, however its messages come. */
  attachLink(link: MessageLink, peer: { readonly limits: ConnectionLimits; readonly credential: string }): void;
  /** True while a turn runs: such a host is never replaced and never leaves by itself. */
  isBusy(): boolean;
  /** Called each time `isBusy()` turned from true to false. @returns unsubscribes */
  onIdle(listener: () => void): () => void;
  /** Notices of the process for people. Replaces those of before; the host adds its own notices. */
  setNotices(notices: readonly Notice[]): void;
  /** The longest that a connected window asked for, or the last that one did; undefined before the first. */
  readonly idleExitMinutes: number | undefined;
  /** Connections that are open now. */
  readonly clients: number;
  /** Ends agents, writes what waits, closes the store and all connections, in this order. */
  close(): Promise<void>;
}
