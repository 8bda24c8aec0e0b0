import type { SecretStorage } from 'vscode';
import type { Build } from '../../sidecar/protocol/hostInfo.ts';
import type { Hosts } from '../client/hosts.ts';
import type { Tap } from '../client/tap.ts';
import type { HealthFacts } from './health.ts';

export interface DiagnosticsDeps {
  readonly hosts: Hosts;
  readonly hostState: () => HealthFacts['host'];
  readonly tap: Tap;
  /** As the Gateway view knows it. */
  readonly gateway: () => {
    readonly isAvailable: boolean;
    readonly problem: string | undefined;
    readonly picture: { readonly servers: readonly { readonly status?: string | null | undefined }[] } | undefined;
  };
  /** Where the host keeps its data. */
  readonly dataDir: string;
  readonly build: Build;
  readonly secrets: SecretStorage;
  readonly extensionId: string;
  /** A read-only document. */
  readonly show: (title: string, text: string) => Promise<void>;
}

/** What `dist/diagnostics.cjs` makes: what its commands run, by their ids. */
export interface DiagnosticsModule {
  openDiagnostics(deps: DiagnosticsDeps): Readonly<Record<string, () => unknown>>;
}
