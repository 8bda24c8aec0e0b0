import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'mocha';
import { openStand, type Stand } from '../../support/gateway/stand.ts';

/** What is found out about a request holds for the next one only as far as that is the same. */
describe('a request after another one on its connection, with the same headers', () => {
  let stand: Stand;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  before(async () => {
    stand = await openStand();
  });
  after(async () => {
    agent.destroy();
    await stand.close();
  });
  const ask = async (method: string, path: string) => {
    const asked = request(`${stand.base}${path}`, {
      agent,
      method,
      headers: { authorization: `Bearer ${stand.adminKey}` },
    });
    asked.end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const body = await text(answer);
    return { status: answer.statusCode, body, isReused: asked.reusedSocket };
  };

  const steps: readonly [method: string, path: string, status: number][] = [
    ['GET', '/healthz', 200],
    ['GET', '/healthz', 200],
    ['GET', '/key/list', 200],
    ['GET', '/healthz', 200],
    ['DELETE', '/key/list', 404],
    ['GET', '/key/list', 200],
    ['GET', '/openapi.json', 200],
    ['GET', '/healthz/..%2fkey', 404],
    ['GET', '/healthz', 200],
  ];
  it('is answered by its own method and path', async () => {
    const seen: [string, string, number | undefined][] = [];
    const reused: boolean[] = [];
    for (const [method, path] of steps) {
      const { status, isReused } = await ask(method, path);
      seen.push([method, path, status]);
      reused.push(isReused);
    }
    assert.deepEqual(seen, steps);
    assert.deepEqual(reused, [false, ...steps.slice(1).map(() => true)], 'over one connection');
  });

  it('gets the document that it asked for', async () => {
    const [health, document] = [await ask('GET', '/healthz'), await ask('GET', '/openapi.json')];
    assert.match(health.body, /"status":"ok"/);
    assert.match(document.body, /"openapi":"3/);
  });
});
