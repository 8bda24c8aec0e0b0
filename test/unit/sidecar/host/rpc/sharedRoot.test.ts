import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { URI } from 'vscode-uri';
import type { RootState } from '../../../../../sidecar/protocol/channels/root/schema.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('the root channel', () => {
  let place: HostPlace;
  afterEach(() => place.close());
  const root = (peer: HostPeer) => peer.states.get(ROOT) as RootState;

  it('has the agents of the first client in its first state, also for one that comes back to a new host', async () => {
    verifies('host.root.first-agents');
    place = await openHostPlace([scriptedProvider(async function* () {})]);
    const first = async (clientId: string) => {
      const { snapshots } = await place.connectSilently().initialize(clientId, testWindow);
      return (snapshots[0]!.state as RootState).agents.map((it) => it.provider);
    };
    assert.deepEqual(await first('c1'), ['scripted']);
    await place.restart();
    assert.deepEqual(await first('c1'), ['scripted']);
  });

  it('carries for all who subscribe the same agents, count of active sessions, terminals and configuration', async () => {
    verifies('host.service.root-shared');
    place = await openHostPlace([scriptedProvider(async function* () {})]);
    const one = await place.connect('c1');
    const two = await place.connect('c2');
    const both = (isSo: (it: RootState) => boolean) =>
      Promise.all([one, two].map((it) => it.until(() => isSo(root(it)))));
    await both((it) => it.agents.some(({ provider }) => provider === 'scripted'));

    const { chat } = await one.newSession({ workingDirectories: [URI.file(place.dataDir).toString()] });
    await one.ended(chat, await one.prompt(chat, 'hello'));
    await both((it) => it.activeSessions === 1);

    const channel = 'host-terminal:/t1';
    await two.request('createTerminal', { channel, claim: { kind: 'client', clientId: 'c2' } });
    await both((it) => it.terminals?.some(({ resource }) => resource === channel) === true);

    await one.act(ROOT, { type: 'root/configChanged', config: { terminalOutput: 250_000 } } as AnyAction);
    await both((it) => it.config?.values['terminalOutput'] === 250_000);

    assert.deepEqual(root(one), root(two));
    const third = await place.connect('c3');
    assert.deepEqual(root(third), root(one), 'also for whoever comes later');
  });
});
