import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ClientPlugins } from '../../../../../sidecar/host/customizations/clientPlugins.ts';
import type { CustomizationFiles } from '../../../../../sidecar/host/customizations/files.ts';
import type { SessionAction, SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';

describe('two versions of a plugin that a client publishes', () => {
  for (const order of [
    ['1', '2'],
    ['2', '1'],
  ] as const) {
    it(`leave the newer one, where their files come in the order ${order.join(', ')}`, async () => {
      const nothing: CustomizationFiles = { list: async () => undefined, read: async () => undefined };
      const asked = new Map<string, (files: CustomizationFiles) => void>();
      const shown: string[] = [];
      const expanded = new Map<string, string>();
      const state = { activeClients: [] as object[], customizations: [] as { id: string }[] };
      const plugins = new ClientPlugins({
        state: () => state as unknown as SessionState,
        commit(_session, action: SessionAction) {
          if (action.type !== 'session/customizationUpdated') return;
          const { customization } = action as { customization: { id: string; name: string; load?: { kind: string } } };
          state.customizations = [customization];
          if (customization.load?.kind !== 'loading') shown.push(customization.name);
        },
        holders: {
          filesOf: (_session: string, { name }: { name: string }) =>
            new Promise<CustomizationFiles>((resolve) => void asked.set(name, resolve)),
        } as never,
        shown: (_session, entry) => entry,
        expanded: () => expanded,
        changed: () => undefined,
        reading: () => undefined,
        report: (thrown) => assert.fail(String(thrown)),
      });
      for (const version of ['1', '2']) {
        const plugin = { type: 'plugin', id: 'p', uri: 'virtual://c/p', name: version, enabled: true, nonce: version };
        state.activeClients = [{ clientId: 'c', tools: [], customizations: [plugin] }];
        plugins.published('s', 'c');
      }
      for (const it of order) {
        asked.get(it)?.(nothing);
        for (let n = 0; n < 20; n += 1) await new Promise((resolve) => void setImmediate(resolve));
      }
      assert.deepEqual(shown, ['2']);
    });
  }
});
