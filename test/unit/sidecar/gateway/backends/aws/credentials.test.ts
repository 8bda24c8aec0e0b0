import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { AwsCredentialSource } from '../../../../../../sidecar/gateway/backends/aws/credentials.ts';
import { StandingClock } from '../../../../../support/gateway/clock.ts';
import { outcomeOf } from '../../../../../support/outcomeOf.ts';

const options = { region: 'eu-west-1', service: 'service' };
const none = 'unavailable No cloud credentials were found for this backend.';

describe('credentials of the cloud', () => {
  let clock: StandingClock;
  let source: AwsCredentialSource;
  let fetched: number;
  let fetch: () => Promise<{ expiration?: Date }>;
  beforeEach(() => {
    clock = new StandingClock('2026-01-01T00:00:00Z');
    fetched = 0;
    fetch = async () => ({});
    source = new AwsCredentialSource({
      nowMs: () => clock.nowMs(),
      async chain() {
        fetched += 1;
        const accessKeyId = `key ${fetched}`;
        return { accessKeyId, secretAccessKey: 'secret', ...(await fetch()) };
      },
    });
  });
  const keyOf = async (owner = 'server 1') => (await source.credentials(owner, options)).accessKeyId;

  it('that could not be fetched are fetched again by the next request', async () => {
    fetch = async () => {
      throw new Error('the instance does not answer');
    };
    assert.equal(await outcomeOf(keyOf()), none);
    fetch = async () => ({});
    assert.equal(await keyOf(), 'key 2');
  });
  it('are fetched once for all requests until 5 minutes before they end, and then once', async () => {
    fetch = async () => ({ expiration: new Date(clock.nowMs() + 60 * 60_000) });
    assert.deepEqual(await Promise.all([keyOf(), keyOf()]), ['key 1', 'key 1']);
    clock.pass(55 * 60_000 - 1);
    assert.equal(await keyOf(), 'key 1');
    clock.pass(1);
    assert.deepEqual(await Promise.all([keyOf(), keyOf()]), ['key 2', 'key 2']);
  });
  it('without an end are kept until their registration changes, and those of others longer', async () => {
    for (const owner of ['server 1', 'server 10']) await keyOf(owner);
    clock.pass(365 * 24 * 60 * 60_000);
    source.forget('server 1');
    assert.deepEqual([await keyOf('server 1'), await keyOf('server 10')], ['key 3', 'key 2']);
  });
  it('of every version of a registration are forgotten with it', async () => {
    await keyOf('server 2026-01-01');
    source.forget('server');
    assert.equal(await keyOf('server 2026-01-01'), 'key 2');
  });
  it('that are registered are used as they are, and nothing is fetched', async () => {
    const keys = { accessKeyId: 'own', secretAccessKey: 'secret' };
    assert.equal(await source.credentials('server 1', { ...options, keys }), keys);
    assert.equal(fetched, 0);
  });
});
