import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { RootState } from '../../../../sidecar/protocol/channels/root/schema.ts';
import { ROOT } from '../../../../sidecar/protocol/uris.ts';
import { agentPath, type SdkAgent, startSdkAgent } from '../../../support/a2a/sdkAgent.ts';
import { HostPeer } from '../../../support/host/hostPeer.ts';
import { testWindow } from '../../../support/host/hostPlace.ts';
import { openSidecarPlace, type SidecarPlace } from '../../../support/sidecar.ts';
import { verifies } from '../../../support/verifies.ts';

describe('a session of an A2A agent in a host process that is killed', () => {
  const secrets = {
    secret: randomBytes(32).toString('base64'),
    adminKey: `sk-${randomBytes(32).toString('base64url')}`,
  };
  let agent: SdkAgent;
  let place: SidecarPlace;

  beforeEach(async () => {
    agent = await startSdkAgent('1.0');
    place = openSidecarPlace();
  });
  afterEach(async () => {
    agent.executor.go();
    await place.close();
    await agent.close();
  });

  async function connect(clientId: string): Promise<{ readonly peer: HostPeer; readonly baseUrl: string }> {
    const peer = new HostPeer(place.start().peer);
    await peer.initialize(clientId, testWindow);
    const { baseUrl } = await peer.request('x-switchboard/gatewayStart', secrets);
    return { peer, baseUrl };
  }

  it('shows what the task did in the meantime, and continues the conversation', async () => {
    verifies('host.remote.continued');
    const { peer, baseUrl } = await connect('c1');
    const headers = { 'content-type': 'application/json', 'x-gateway-api-key': `Bearer ${secrets.adminKey}` };
    const body = JSON.stringify({
      agent_id: 'weather',
      agent_name: 'Weather',
      agent_card_params: { name: 'Weather', url: `${agent.url}${agentPath}` },
      gateway_params: { allow_private_network: true },
    });
    assert.ok((await fetch(`${baseUrl}/v1/agents`, { method: 'POST', headers, body })).ok);
    const agents = () => (peer.states.get(ROOT) as RootState).agents.map((it) => it.provider);
    await peer.until(() => agents().includes('a2a-weather'), 'the agent is listed');
    const { session, chat } = await peer.newSession({ provider: 'a2a-weather' });
    await peer.prompt(chat, 'slow');
    const shown = () => JSON.stringify(peer.chat(chat).activeTurn ?? {});
    await peer.until(() => /"content":"s/.test(shown()), 'the first piece');
    await place.killHost();
    agent.executor.go();
    const { peer: later } = await connect('c2');
    await later.subscribe(session);
    await later.subscribe(chat);
    const turn = await later.ended(chat, await later.prompt(chat, 'what is the weather?'));
    assert.equal(turn.state, 'complete');
    const text = JSON.stringify(turn.responseParts);
    assert.match(text, /Weather finished the task that was interrupted/);
    assert.match(text, /rain/);
    const messages = agent.heard.filter((it) => /^Send/.test(it.what));
    const contexts = messages.map((it) => (it.body as { params: { message: { contextId?: string } } }).params.message);
    assert.deepEqual([messages.length, typeof contexts[1]?.contextId], [2, 'string']);
  });
});
