import type { GatewayRoles } from '../launch/gateway/gatewayContract.ts';
import { importFile } from './configuration/import/importFile.ts';
import { printImport } from './configuration/import/printImport.ts';
import { openEmbeddedGateway } from './editions/embedded.ts';
import { runStandalone } from './editions/standalone.ts';

/** The gateway as the sidecar's entry knows it. */
export const gatewayRoles: GatewayRoles = {
  openEmbedded: openEmbeddedGateway,
  runStandalone,
  importFile: async (text, path) => printImport(await importFile(text, path), path),
};
