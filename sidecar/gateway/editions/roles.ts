import type { GatewayRoles } from '../../launch/gateway/gatewayContract.ts';
import { openSqliteThread } from '../storage/database/sqliteThread.ts';
import { embeddedFile } from './embeddedFile.ts';

/** The gateway as the sidecar's entry knows it. Each role loads what it needs. */
export const gatewayRoles: GatewayRoles = {
  async openEmbedded(deps) {
    const { openEmbeddedGateway } = await import('./embedded.ts');
    return openEmbeddedGateway(deps);
  },
  async runStandalone(deps) {
    const { files, dataDir } = deps;
    const file = embeddedFile(dataDir);
    // The thread starts while the other modules load and the configuration is read.
    const thread = files.database === undefined ? openSqliteThread(file, { readOnly: false }) : undefined;
    try {
      const { runStandalone } = await import('./standalone.ts');
      return await runStandalone(deps, { kind: 'sqlite', file, ...(thread && { thread }) });
    } catch (thrown) {
      await thread?.close();
      throw thrown;
    }
  },
  async runWorker(deps) {
    const { runWorker } = await import('./worker.ts');
    return runWorker(deps, { kind: 'sqlite', file: embeddedFile(deps.dataDir) });
  },
  async loadUpkeep() {
    return (await import('./upkeep/upkeep.ts')).gatewayUpkeep;
  },
  async importFile(text, path) {
    const [{ importFile }, { printImport }] = await Promise.all([
      import('../configuration/import/importFile.ts'),
      import('../configuration/import/printImport.ts'),
    ]);
    return printImport(await importFile(text, path), path);
  },
};
