import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { errorCodes } from '../../../../../sidecar/protocol/errors.ts';
import { ResponseError } from '../../../../../sidecar/transport/responseError.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { openResourcePlace, type ResourcePlace } from '../../../../support/resources/resourcePlace.ts';

const { NotFound, PermissionDenied, Unavailable } = errorCodes;
const PLUGIN = 'virtual://c2/plugin';

describe('resources that a client published', () => {
  let place: ResourcePlace;
  let publisher: HostPeer;
  const asked: unknown[] = [];
  beforeEach(async () => {
    asked.length = 0;
    place = await openResourcePlace({ clientLimitMs: 50 });
    publisher = await place.host.connect('c2');
    await publisher.subscribe(place.session);
    const plugin = { type: 'plugin', id: 'p', uri: PLUGIN, name: 'Plugin', enabled: true };
    const activeClient = { clientId: 'c2', tools: [], customizations: [plugin] };
    await publisher.act(place.session, { type: 'session/activeClientSet', activeClient } as { type: string });
    // The host reads what it is told of by itself; what the tests ask for comes after that.
    await publisher.until(
      () =>
        publisher
          .session(place.session)
          .customizations?.some((it) => it.uri === PLUGIN && 'load' in it && it.load?.kind !== 'loading') ?? false,
    );
  });
  afterEach(() => place.close());
  const serve = (answer: (params: { uri: string }) => unknown) => {
    const handler = (params: unknown) => {
      asked.push(params);
      return answer(params as { uri: string });
    };
    publisher.peer.onRequest({ resourceRead: handler, resourceList: handler, resourceResolve: handler });
  };
  const read = (uri: string, peer = place.peer) => peer.request('resourceRead', { uri });

  it('are read, listed and resolved by asking that client, with the channel that the protocol wants', async () => {
    serve(({ uri }) =>
      uri.endsWith('.md')
        ? { data: 'aGk=', encoding: 'base64' }
        : uri === PLUGIN
          ? { entries: [{ name: 'a.md', type: 'file' }] }
          : { uri, type: 'file' },
    );
    assert.deepEqual(await read(`${PLUGIN}/a.md`), { data: 'aGk=', encoding: 'base64' });
    assert.deepEqual(asked, [{ channel: 'host-root://', uri: `${PLUGIN}/a.md` }]);
    assert.deepEqual(await place.peer.request('resourceList', { uri: PLUGIN }), {
      entries: [{ name: 'a.md', type: 'file' }],
    });
    assert.equal((await place.peer.request('resourceResolve', { uri: `${PLUGIN}/x` })).type, 'file');
  });

  it('are only what it published, and only for those who look at that session', async () => {
    serve(() => ({ data: '', encoding: 'base64' }));
    for (const uri of [
      'virtual://c2/plugin-not',
      'virtual://c2/other/a.md',
      `${PLUGIN}/../other/a.md`,
      `${PLUGIN}/%2e%2e/other/a.md`,
      `${PLUGIN}/x%2f..%2f..%2fother`,
      `${PLUGIN}/..%5cother`,
      'virtual://c9/plugin/a.md',
    ]) {
      await assert.rejects(read(uri), { code: PermissionDenied, data: {} });
    }
    const stranger = await place.host.connect('c3');
    await assert.rejects(read(`${PLUGIN}/a.md`, stranger), { code: PermissionDenied });
    assert.deepEqual(asked, []);
  });

  it('are never files or channels of the host, whatever a client says it published', async () => {
    serve(() => ({ data: '', encoding: 'base64' }));
    for (const [n, uri] of ['file:///etc', 'host-content:/x', 'https://x.test/a'].entries()) {
      const customizations = [{ type: 'plugin', id: `q${n}`, uri, name: 'Q', enabled: true }];
      const activeClient = { clientId: 'c2', tools: [], customizations };
      await publisher.act(place.session, { type: 'session/activeClientSet', activeClient } as { type: string });
      await assert.rejects(read(`${uri}/passwd`), { code: PermissionDenied });
    }
    assert.deepEqual(asked, []);
  });

  for (const { says, answer, code } of [
    { says: 'does not find it', answer: () => fail(-32008), code: NotFound },
    { says: 'refuses it', answer: () => fail(-32009), code: PermissionDenied },
    { says: 'fails', answer: () => fail(-32000), code: Unavailable },
    { says: 'answers something else', answer: () => ({ nothing: true }), code: Unavailable },
    { says: 'does not answer in time', answer: () => new Promise<never>(() => {}), code: Unavailable },
  ]) {
    it(`are an error of the host when the client ${says}, and without its words`, async () => {
      serve(answer);
      const error: { code: number; message: string } = await read(`${PLUGIN}/a.md`).then(
        () => assert.fail('it was read'),
        (thrown) => thrown,
      );
      assert.equal(error.code, code);
      assert.ok(!error.message.includes('words of a client'));
    });
  }
  it('are not there when the client serves none or is away', async () => {
    await assert.rejects(read(`${PLUGIN}/a.md`), { code: NotFound });
    publisher.close();
    await assert.rejects(read(`${PLUGIN}/a.md`));
  });
});

function fail(code: number): never {
  throw new ResponseError(code, 'words of a client');
}
