import type { LogOutputChannel } from 'vscode';
import type { ConnectionLimits } from '../../sidecar/protocol/limits.ts';
import type { CancelToken, Connection } from '../client/connection.ts';
import type { Tap } from '../client/tap.ts';

/** What `dist/languageclient.cjs` gives to `dist/extension.cjs`. Two bundles, because the library costs 60 ms to load. */
export interface RelayModule {
  /** @throws {Error} with `exitCode` where the relay ended by itself; its message is the relay's sentence for the person */
  openRelay(options: RelayOptions): Promise<Relay>;
}

export interface RelayOptions {
  /** `dist/sidecar/main.mjs`. */
  readonly modulePath: string;
  readonly dataDir: string;
  /** What this window may cost the host. */
  readonly limits: ConnectionLimits;
  readonly log: LogOutputChannel;
  /** What the host may ask of this window, by method. Rejects what is malformed. */
  readonly requests: Readonly<Record<string, (params: unknown, token: CancelToken) => Promise<unknown>>>;
  /** Members that the protocol adds to the language client's `initialize`. */
  readonly initializeParams: Readonly<Record<string, unknown>>;
  /** What the host may send on its own: kept from the first moment on, for whoever listens first. */
  readonly notifications: readonly string[];
  /** Who watches what passes after the handshake. */
  readonly tap: Tap;
}

/** One life of the relay process and its connection: from the answered `initialize` to the end of the process. */
export interface Relay extends Connection {
  close(): Promise<void>;
}
