import { runSidecar } from '../../../sidecar/launch/runSidecar.ts';
import type { Build } from '../../../sidecar/protocol/hostInfo.ts';
import { openEchoHost } from './echoHost.ts';

declare const __BUILD__: Build;

process.exit(
  await runSidecar({
    process,
    build: __BUILD__,
    entry: process.argv[1] ?? '',
    loadHost: async () => openEchoHost,
    loadGateway: () => Promise.reject(new Error('there is no gateway here')),
    loadDocuments: () => Promise.reject(new Error('there is no gateway here')),
    keepCode: () => undefined,
  }),
);
