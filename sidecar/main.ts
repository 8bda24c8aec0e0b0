import { realpathSync } from 'node:fs';
import { beginAsServer } from './platform/youngHeap.ts';
import type { Build } from './protocol/hostInfo.ts';

/** Put in by esbuild.mjs. */
declare const __BUILD__: Build;

/** Without links: npm installs a command as one, and what is beside this file is found from here. */
const entry = process.argv[1] === undefined ? '' : realpathSync(process.argv[1]);
const beginAnew = () => beginAsServer(process);
// Before other modules are loaded, because they would be loaded twice. A command of the gateway is no server.
if (process.argv[2] === 'gateway' && (process.argv[3] ?? '-').startsWith('-')) beginAnew();
const { runSidecar } = await import('./launch/runSidecar.ts');
process.exit(
  await runSidecar({
    process,
    beginAnew,
    build: __BUILD__,
    entry,
    loadHost: async () => (await import('./host/host.ts')).openHost,
    loadGateway: async () => (await import('./gateway/editions/roles.ts')).gatewayRoles,
    loadDocuments: async () => (await import('./gateway/configuration/language/documents.ts')).openDocuments,
  }),
);
