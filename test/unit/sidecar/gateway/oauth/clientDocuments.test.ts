import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { ClientDocuments } from '../../../../../sidecar/gateway/oauth/clientDocuments.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';

const id = 'https://client.example/metadata.json';
const good = { client_id: id, client_name: 'Client', redirect_uris: ['http://127.0.0.1/cb'] };

describe('a client that is named by its metadata document', () => {
  let clock: StandingClock;
  let asked: string[];
  let answer: () => Promise<{ status: number; text: string }>;
  let documents: ClientDocuments;

  beforeEach(() => {
    clock = new StandingClock('2026-01-01T00:00:00Z');
    asked = [];
    answer = () => Promise.resolve({ status: 200, text: JSON.stringify(good) });
    documents = new ClientDocuments((url) => {
      asked.push(url);
      return answer();
    }, clock);
  });
  const isRefused = { name: 'OAuthRefusal', error: 'invalid_client' };

  it('is what its document says, which is read once in five minutes', async () => {
    const client = { id, name: 'Client', redirectUris: good.redirect_uris, authMethod: 'none' };
    assert.deepEqual(await Promise.all([documents.read(id), documents.read(id)]), [client, client]);
    clock.pass(5 * 60_000 - 1);
    await documents.read(id);
    assert.equal(asked.length, 1);
    clock.pass(1);
    await documents.read(id);
    assert.equal(asked.length, 2);
  });
  it('is asked for again where it was refused', async () => {
    answer = () => Promise.resolve({ status: 404, text: '' });
    await assert.rejects(documents.read(id), isRefused);
    answer = () => Promise.resolve({ status: 200, text: JSON.stringify(good) });
    assert.equal((await documents.read(id)).name, 'Client');
  });
  for (const [what, document] of Object.entries({
    'about another client': { ...good, client_id: 'https://client.example/other.json' },
    'without redirect addresses': { ...good, redirect_uris: [] },
    'of a client with a secret': { ...good, token_endpoint_auth_method: 'client_secret_post' },
    'that is longer than 16 KB': { ...good, more: 'x'.repeat(17_000) },
    'that is no object': 7,
  })) {
    it(`is refused with a document ${what}`, async () => {
      answer = () => Promise.resolve({ status: 200, text: JSON.stringify(document) });
      await assert.rejects(documents.read(id), isRefused);
    });
  }
  it('is refused where the document cannot be read, is no JSON or somewhere else', async () => {
    for (const result of [
      () => Promise.reject(new Fault('forbidden', 'The address of this backend is in a network.')),
      () => Promise.resolve({ status: 302, text: JSON.stringify(good) }),
      () => Promise.resolve({ status: 200, text: '<html>' }),
    ]) {
      answer = result;
      await assert.rejects(documents.read(id), isRefused);
    }
  });
  for (const wrong of [
    'https://client.example/',
    'https://client.example',
    'https://CLIENT.example/metadata.json',
    'https://client.example/a/../metadata.json',
    'https://user@client.example/metadata.json',
    'https://client.example/metadata.json#part',
    'https://client.example:443/metadata.json',
    'https:///metadata.json',
  ]) {
    it(`is not asked for at ${wrong}`, async () => {
      await assert.rejects(async () => documents.read(wrong), isRefused);
      assert.deepEqual(asked, []);
    });
  }
});
