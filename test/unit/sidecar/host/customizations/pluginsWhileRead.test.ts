import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { ClientPlugins } from '../../../../../sidecar/host/customizations/clientPlugins.ts';
import type { CustomizationFiles } from '../../../../../sidecar/host/customizations/files.ts';
import type { Holders } from '../../../../../sidecar/host/customizations/holders.ts';
import type { ClientPluginCustomization } from '../../../../../sidecar/protocol/channels/session/customizations.ts';
import type { SessionAction, SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { type Later, later } from '../../../../support/later.ts';

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly clientId: string;
  readonly load: { readonly kind: string; readonly message?: string };
}
const moments = async () => {
  for (let n = 0; n < 20; n += 1) await new Promise((resolve) => void setImmediate(resolve));
};
const nothing: CustomizationFiles = { list: async () => undefined, read: async () => undefined };

describe('a plugin of a client while it is read', () => {
  let shown: Shown[];
  let offered: Record<string, ClientPluginCustomization[]>;
  let reads: Later<CustomizationFiles>[];
  let expanded: Map<string, string> | undefined;
  let changes: number;
  let plugins: ClientPlugins;
  beforeEach(() => {
    [shown, offered, reads, expanded, changes] = [[], {}, [], new Map(), 0];
    plugins = new ClientPlugins({
      state: () =>
        ({
          customizations: shown,
          activeClients: Object.entries(offered).map(([clientId, customizations]) => ({ clientId, customizations })),
        }) as unknown as SessionState,
      commit(_session, action: SessionAction) {
        const { id, customization = { id } } = action as { id?: string; customization?: Shown };
        shown = shown.filter((it) => it.id !== customization.id);
        if (action.type === 'session/customizationUpdated') shown.push(customization as Shown);
      },
      holders: {
        filesOf: () => {
          reads.push(later());
          return reads.at(-1)!.promise;
        },
      } as Partial<Holders> as Holders,
      shown: (_session, entry) => entry,
      expanded: () => expanded,
      changed: () => void (changes += 1),
      reading: () => undefined,
      report: (thrown) => assert.fail(String(thrown)),
    });
  });
  const publish = (clientId: string, ...more: Partial<ClientPluginCustomization>[]) => {
    offered[clientId] = more.map((it) => ({
      ...{ type: 'plugin', id: 'p', uri: 'virtual://c/p', name: 'P', enabled: true },
      ...it,
    })) as ClientPluginCustomization[];
    plugins.published('s', clientId);
  };
  const answer = async (n: number, files = nothing) => {
    reads[n]!.resolve(files);
    await moments();
  };
  const loads = () => shown.map((it) => `${it.name} ${it.load.kind}`);

  it('is shown as the later of two that came without a nonce', async () => {
    publish('c', { name: 'first' });
    publish('c', { name: 'second' });
    await answer(1);
    await answer(0);
    assert.deepEqual(loads(), ['second loaded']);
  });

  it('is read again where it lies elsewhere under the same nonce, and not where nothing is other', async () => {
    publish('c', { nonce: '1' });
    publish('c', { nonce: '1' });
    assert.equal(reads.length, 1);
    publish('c', { nonce: '1', uri: 'virtual://c/moved' });
    assert.equal(reads.length, 2);
  });

  it('is not brought back by its files when its client left, or offers it no more', async () => {
    publish('c', { nonce: '1' });
    publish('d', { nonce: '1' });
    publish('c');
    delete offered['d'];
    shown = [];
    await answer(0);
    await answer(1);
    assert.deepEqual(shown, []);
  });

  it('is not shown by a reading of before, when the session was followed anew', async () => {
    publish('c', { nonce: '1', name: 'before' });
    expanded = new Map(expanded);
    shown = [];
    await answer(0);
    assert.deepEqual(shown, []);
    expanded = undefined;
    publish('c', { nonce: '2' });
    assert.equal(reads.length, 1, 'nobody follows it');
  });

  it('is one of two that clients publish under the same ID, each with its client', async () => {
    publish('c', { nonce: '1', name: 'of c' });
    publish('d', { nonce: '1', name: 'of d' });
    await answer(0);
    await answer(1);
    assert.deepEqual(
      shown.map((it) => `${it.name} ${it.clientId}`),
      ['of c c', 'of d d'],
    );
    publish('c');
    assert.deepEqual(loads(), ['of d loaded']);
  });

  it('is told of each time: when it is offered, when it was read, and when it goes', async () => {
    publish('c', { nonce: '1' });
    const offeredAt = changes;
    await answer(0);
    const readAt = changes;
    publish('c');
    assert.deepEqual([offeredAt > 0, readAt > offeredAt, changes > readAt], [true, true, true]);
  });
});
