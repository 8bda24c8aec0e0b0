import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { HostConfig } from '../../../../../sidecar/host/sessions/hostConfig.ts';
import type { Store } from '../../../../../sidecar/host/state/store.ts';
import type { HostStorage } from '../../../../../sidecar/host/storage/hostStorage.ts';
import { reduceRoot } from '../../../../../sidecar/protocol/channels/root/reducer.ts';
import type { RootState } from '../../../../../sidecar/protocol/channels/root/schema.ts';

type Values = Record<string, unknown>;

/** A host in whose database `stored` stands. */
function open(stored?: Values) {
  const texts = new Map(stored ? [['root_config', JSON.stringify(stored)]] : []);
  const commits: object[] = [];
  let root: RootState = { agents: [] };
  const store = {
    get root() {
      return root;
    },
    replaceState: (_kind: string, _uri: string, change: (state: RootState) => RootState) => {
      root = change(root);
    },
    commit: (_uri: string, action: Parameters<typeof reduceRoot>[1]) => {
      commits.push(action);
      root = reduceRoot(root, action);
    },
    writeRows: (work: () => void) => work(),
  };
  const small = { text: (key: string) => texts.get(key), putText: (key: string, text: string) => texts.set(key, text) };
  const config = new HostConfig(store as unknown as Store, { small } as unknown as Pick<HostStorage, 'small'>);
  return {
    config,
    commits,
    values: () => root.config?.values,
    stored: () => JSON.parse(texts.get('root_config') ?? 'null') as Values | null,
    /** What a client dispatches. @returns why it is refused */
    set: (change: Values, replace?: boolean) => {
      const action = { type: 'root/configChanged', config: change, ...(replace !== undefined && { replace }) } as const;
      const refused = config.take(action);
      if (refused === undefined) store.commit('', action);
      return refused;
    },
  };
}
const windows = { idleExitMinutes: 30, durability: 'full' } as const;

describe('the configuration of a host', () => {
  for (const { holds, stored, values } of [
    { holds: 'what is usual where nobody chose', stored: undefined, values: { terminalOutput: 1_000_000 } },
    { holds: 'what was chosen before', stored: { terminalOutput: 4_000_000 }, values: { terminalOutput: 4_000_000 } },
    {
      holds: 'what is usual for a value that is offered no more',
      stored: { terminalOutput: 123 },
      values: { terminalOutput: 1_000_000 },
    },
    {
      holds: 'nothing that only windows set, and nothing that is unknown',
      stored: { terminalOutput: 250_000, idleExitMinutes: 99, durability: 'full', older: 1 },
      values: { terminalOutput: 250_000 },
    },
  ])
    it(`holds at its start ${holds}`, () => {
      const host = open(stored);
      assert.deepEqual(host.values(), values);
      assert.equal(host.config.terminalOutput, values.terminalOutput);
    });

  it('keeps what a client chose, and that alone, for the next host', () => {
    const host = open();
    host.config.show(windows);
    assert.equal(host.set({ terminalOutput: 250_000 }), undefined);
    assert.deepEqual(host.stored(), { terminalOutput: 250_000 });
    assert.equal(host.config.terminalOutput, 250_000);
    assert.deepEqual(host.values(), { terminalOutput: 250_000, ...windows });
    assert.deepEqual(open(host.stored() ?? {}).values(), { terminalOutput: 250_000 });
  });

  it('keeps what was chosen where a client changes nothing of it, and not where it replaces all', () => {
    const host = open({ terminalOutput: 250_000 });
    assert.equal(host.set({}), undefined);
    assert.deepEqual(host.stored(), { terminalOutput: 250_000 });
    assert.equal(host.set({}, true), undefined);
    assert.deepEqual([host.stored(), host.config.terminalOutput], [{}, 1_000_000]);
  });

  for (const { says, change } of [
    { says: 'what windows set', change: { idleExitMinutes: 1 } },
    { says: 'what is not offered', change: { terminalOutput: 5 } },
    { says: 'what is unknown', change: { none: 1 } },
  ])
    it(`refuses ${says}, and stores nothing`, () => {
      const host = open();
      host.config.show(windows);
      assert.match(host.set(change) ?? '', /^config\./);
      assert.equal(host.stored(), null);
    });

  it('shows what windows ask for once, and again when they ask for something else', () => {
    const host = open();
    host.config.show(windows);
    host.config.show({ ...windows });
    assert.equal(host.commits.length, 1);
    host.config.show({ ...windows, idleExitMinutes: 5 });
    assert.equal(host.commits.length, 2);
    assert.deepEqual(host.values(), { terminalOutput: 1_000_000, idleExitMinutes: 5, durability: 'full' });
  });
});
