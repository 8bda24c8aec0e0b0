import type * as vscode from 'vscode';
import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { TreeStub } from '../../activation/treeStub.ts';
import type { HostPort } from '../../client/port.ts';

export interface CustomizationsDeps {
  readonly tree: TreeStub;
  readonly port: HostPort;
  /** Those that are not put away. */
  sessions(): readonly SessionSummary[];
  /** The session of the chat that was used last. */
  ofOpenChat(): string | undefined;
  /** Other sessions, or another chat in sight. */
  onDidChangeSessions(listener: () => void): { dispose(): void };
}

/** What `dist/customizations.cjs` gives. */
export interface CustomizationsModule {
  openCustomizations(deps: CustomizationsDeps): vscode.Disposable;
  /** Shows the file of a row. */
  openCustomization(row: unknown): Promise<void>;
  /** Starts or stops the MCP server of a row, one after the other. */
  moveServer(row: unknown, moves: readonly ('start' | 'stop')[], port: Pick<HostPort, 'dispatch'>): void;
  /** Asks for a name, has the host write the file, and opens it. */
  createCustomization(row: unknown, port: HostPort): Promise<void>;
}
