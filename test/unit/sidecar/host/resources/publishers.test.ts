import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ResourceRequester } from '../../../../../sidecar/host/resources/access.ts';
import { PublishedResources } from '../../../../../sidecar/host/resources/publishedResources.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';

const READ = { data: 'text', encoding: 'utf-8' };

/** Two sessions; in the first c1 publishes `plug:/a` and `FILE:/b`, in the second c2 `plug:/c/`. */
function open(answer: () => Promise<unknown> = () => Promise.resolve(READ)) {
  const asked: string[] = [];
  const publishes = (clientId: string, ...uris: string[]) => ({
    activeClients: [{ clientId, customizations: uris.map((uri) => ({ uri })) }],
  });
  const sessions: Record<string, object> = {
    one: publishes('c1', 'plug:/a', 'FILE:/b', 'x-switchboard:/d'),
    two: publishes('c2', 'plug:/c/'),
  };
  const store = { state: (_kind: string, channel: string) => sessions[channel] };
  const askClient = (clientId: string, method: string, { uri }: { uri?: string }) => {
    asked.push(`${clientId} ${method} ${uri}`);
    return answer();
  };
  const published = new PublishedResources({ effects: { store }, askClient } as never);
  const read = (uri: string, baselines: readonly string[] = ['one', 'two']) =>
    published.ask(
      'resourceRead',
      { channel: 'host:/', uri } as never,
      {
        baselines: new Set(baselines),
      } as unknown as ResourceRequester,
    );
  return { read, asked };
}

describe('what a client published', () => {
  for (const [uri, clientId] of [
    ['plug:/a', 'c1'],
    ['plug:/a/b/c', 'c1'],
    ['plug:/c/d', 'c2'],
    ['plug:/ab', undefined],
    ['plug:/c', undefined],
    ['plug:/a/../c', undefined],
    ['plug:/a/%2E%2e/c', undefined],
    ['plug:/a%2f..%5Cc', undefined],
    ['FILE:/b', undefined],
    ['x-switchboard:/d', undefined],
  ] as const)
    it(`is asked of ${clientId ?? 'nobody'} for ${uri}`, async () => {
      const { read, asked } = open();
      if (clientId === undefined) await assert.rejects(read(uri), { code: 'forbidden' });
      else assert.deepEqual(await read(uri), READ);
      assert.deepEqual(asked, clientId === undefined ? [] : [`${clientId} resourceRead ${uri}`]);
    });

  it('is for those who look at the session alone', async () => {
    const { read, asked } = open();
    await assert.rejects(read('plug:/a', ['two']), { code: 'forbidden' });
    assert.deepEqual(asked, []);
  });

  const own = new Fault('not_trusted', 'of the host itself');
  for (const [says, thrown, expected] of [
    ['a fault of the host', own, { code: 'not_trusted', message: 'of the host itself' }],
    ['a code that nobody knows', { code: 1, message: 'secret' }, { code: 'unavailable' }],
    ['anything else', new Error('secret'), { code: 'unavailable' }],
  ] as const)
    it(`is refused in words of the host where the answer is ${says}`, async () => {
      const { read } = open(() => Promise.reject(thrown as Error));
      await assert.rejects(read('plug:/a'), (it: Fault) => {
        assert.equal(it.code, expected.code);
        return !it.message.includes('secret');
      });
    });
});
