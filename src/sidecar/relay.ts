import type { CancellationToken, LogOutputChannel } from 'vscode';

/** What `dist/languageclient.cjs` gives to `dist/extension.cjs`. Two bundles, because the library costs 60 ms to load. */
export interface RelayModule {
  openRelay(options: RelayOptions): Promise<Relay>;
}

export interface RelayOptions {
  /** `dist/sidecar/main.mjs`. */
  readonly modulePath: string;
  readonly dataDir: string;
  readonly log: LogOutputChannel;
  /** Members that the protocol adds to the language client's `initialize` (decisions.md). */
  readonly initializeParams: Readonly<Record<string, unknown>>;
}

/** One life of the relay process and its connection: from the answered `initialize` to the end of the process. */
export interface Relay {
  readonly initializeResult: unknown;
  /** Rejects with the host's `ResponseError`, or at once when the connection is gone. */
  request(method: string, params: unknown, token?: CancellationToken): Promise<unknown>;
  notify(method: string, params: unknown): Promise<void>;
  onNotification(method: string, listener: (params: unknown) => void): { dispose(): void };
  /** Called once, when the process or its connection ended without `close`. */
  onClosed(listener: (reason: string) => void): { dispose(): void };
  close(): Promise<void>;
}
