import { realpathSync } from 'node:fs';
import { runSidecar } from './launch/runSidecar.ts';
import type { Build } from './protocol/hostInfo.ts';

/** Put in by esbuild.mjs. */
declare const __BUILD__: Build;

/** Without links: npm installs a command as one, and what is beside this file is found from here. */
const entry = process.argv[1] === undefined ? '' : realpathSync(process.argv[1]);
/** Put in by sidecarEntry.mjs. */
const { keepCode } = globalThis as unknown as { keepCode(): void };
void runSidecar({
  process,
  build: __BUILD__,
  entry,
  loadHost: async () => (await import('./host/host.ts')).openHost,
  loadGateway: async () => (await import('./gateway/editions/roles.ts')).gatewayRoles,
  loadDocuments: async () => (await import('./gateway/configuration/language/documents.ts')).openDocuments,
  keepCode,
}).then((code) => {
  keepCode();
  process.exit(code);
});
