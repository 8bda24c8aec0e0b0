import type { GatewayRoles } from '../launch/gateway/gatewayContract.ts';
import { importFile } from './configuration/import/importFile.ts';
import { printImport } from './configuration/import/printImport.ts';
import { openPersonalGateway } from './editions/embedded.ts';
import { runAlone } from './editions/standalone.ts';

/** The gateway as the sidecar's entry knows it. */
export const gatewayRoles: GatewayRoles = {
  openPersonal: openPersonalGateway,
  runAlone,
  importFile: async (text, path) => printImport(await importFile(text, path), path),
};
