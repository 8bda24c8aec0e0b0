import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { cloudOf } from '../../../../sidecar/protocol/channels/session/cloudMeta.ts';
import { type CloudServiceUnderTest, startCloudService } from '../../../support/backends/cloudService.ts';
import {
  assertComplete,
  cloudProviderId,
  configureCloud,
  launchIn,
  newGatewaySecrets,
  noticesOf,
  textOf,
  untilCloudListed,
} from '../../../support/host/cloudPeer.ts';
import { HostPeer } from '../../../support/host/hostPeer.ts';
import { testWindow } from '../../../support/host/hostPlace.ts';
import { openSidecarPlace, type SidecarPlace } from '../../../support/sidecar.ts';
import { verifies } from '../../../support/verifies.ts';

describe('a session of a cloud agent in a host process that is killed', () => {
  const secrets = newGatewaySecrets();
  let service: CloudServiceUnderTest;
  let place: SidecarPlace;

  beforeEach(async () => {
    service = await startCloudService();
    place = openSidecarPlace();
    mkdirSync(place.dataDir, { recursive: true });
    configureCloud(place.dataDir, service.url);
  });
  afterEach(async () => {
    service.go();
    await place.close();
    await service.close();
  });

  async function connect(clientId: string): Promise<HostPeer> {
    const peer = new HostPeer(place.start().peer);
    await peer.initialize(clientId, testWindow);
    await peer.request('x-switchboard/gatewayStart', secrets);
    await untilCloudListed(peer);
    return peer;
  }

  it('shows what the agent did in the meantime, and continues with the same agent', async () => {
    verifies('host.cloud.continued');
    const peer = await connect('c1');
    const { session, chat } = await peer.newSession({ provider: cloudProviderId });
    await launchIn(peer, chat, 'slow work');
    await peer.until(() => JSON.stringify(peer.chat(chat).activeTurn ?? {}).includes('begun'), 'the agent works');
    await place.killHost();
    service.go();
    const later = await connect('c2');
    await later.subscribe(session);
    await later.subscribe(chat);
    assert.equal(cloudOf(later.session(session)._meta)?.status, 'RUNNING');
    const turn = await later.ended(chat, await later.prompt(chat, '/refresh'));
    assertComplete(turn);
    assert.equal(textOf(turn), 'I did: slow work');
    assert.doesNotMatch(noticesOf(turn), /sent elsewhere/);
    assert.equal(cloudOf(later.session(session)._meta)?.status, 'FINISHED');
    const next = await later.ended(chat, await later.prompt(chat, 'And the docs'));
    assert.equal(textOf(next), 'I did: And the docs');
    assert.equal(service.heard.filter((it) => it.what === 'POST /v0/agents').length, 1);
    assert.equal(
      service.heard.some((it) => it.what.endsWith('/stop')),
      false,
    );
  });
});
