import { runSidecar } from './launch/runSidecar.ts';
import type { Build } from './protocol/hostInfo.ts';

/** Put in by esbuild.mjs. */
declare const __BUILD__: Build;

process.exit(
  await runSidecar({
    process,
    build: __BUILD__,
    entry: process.argv[1] ?? '',
    loadHost: async () => (await import('./host/host.ts')).openHost,
    loadGateway: async () => (await import('./gateway/roles.ts')).gatewayRoles,
    loadDocuments: async () => (await import('./gateway/configuration/language/documents.ts')).openDocuments,
  }),
);
