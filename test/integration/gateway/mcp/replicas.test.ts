import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { after, before, describe, it } from 'mocha';
import { projectRoot } from '../../../support/cache.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { callText, cutTransport } from '../../../support/mcp/cutClient.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';
import { postgresDatabase } from '../../../support/network/postgres.ts';
import { verifies } from '../../../support/verifies.ts';

type Pick = (init: RequestInit | undefined) => number;
const sessionsOfEach = 125;
const atOnce = 5;

/** The SDK's client behind a load balancer that sends every request to the other replica. */
describe('a real client whose requests go to two replicas in turn', () => {
  let fixture: HttpFixture;
  let replicas: readonly Stand[];
  let key: string;

  before(async () => {
    fixture = await httpFixture();
    const first = await openStand({
      database: { kind: 'postgres', url: await postgresDatabase() },
      stdio: { isTrusted: true, allowedCommands: [process.execPath] },
    });
    for (const alias of ['web', 'other']) await first.register({ alias, url: fixture.url });
    const args = [join(projectRoot, 'test', 'support', 'mcp', 'stdioFixture.child.ts')];
    await first.addServer({ alias: 'local', transport: 'stdio', command: process.execPath, args });
    replicas = [first, await first.replica()];
    key = await first.addKey();
  });
  after(async () => {
    await replicas[0]?.close();
    await fixture.close();
  });

  /** One session that is asked three questions. @returns what the server got */
  async function session(path: string, prefix: string, words: string, pick?: Pick): Promise<readonly string[]> {
    const way = await cutTransport(
      replicas.map((it) => it.base),
      path,
      { authorization: `Bearer ${key}` },
      pick,
    );
    const client = new Client(
      { name: 'in turn', version: '1' },
      { capabilities: { sampling: {}, elicitation: {}, roots: {} }, versionNegotiation: { mode: 'legacy' } },
    );
    client.setRequestHandler('sampling/createMessage', () => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: words },
    }));
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { response: words } }));
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: `file:///${words}` }] }));
    try {
      await client.connect(way.transport);
      return [
        await callText(client, `${prefix}test_sampling`, { prompt: 'x' }),
        await callText(client, `${prefix}test_elicitation`, { message: 'x' }),
        await callText(client, `${prefix}test_roots`),
      ];
    } finally {
      await client.close();
      await way.close();
    }
  }

  for (const [what, path, prefix] of [
    ['one server', '/web/mcp', ''],
    ['several servers', '/mcp', 'web__'],
  ] as const)
    it(`loses none of ${sessionsOfEach * 4} answers and first notifications at the address of ${what}`, async function many() {
      verifies('gateway.replicas.nothing-lost');
      const initialized = () => fixture.seen.filter((it) => it.method === 'notifications/initialized').length;
      const initializedBefore = initialized();
      let left = sessionsOfEach;
      const work = async () => {
        while (left > 0) {
          left -= 1;
          const words = `answer-${left}`;
          assert.deepEqual(await session(path, prefix, words), [
            `LLM response: {"type":"text","text":"${words}"}`,
            `User response: {"action":"accept","content":{"response":"${words}"}}`,
            `file:///${words}`,
          ]);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      assert.ok(initialized() - initializedBefore >= sessionsOfEach);
    });

  for (const [what, path, prefix] of [
    ['one program', '/local/mcp', ''],
    ['several servers', '/mcp', 'local__'],
  ] as const)
    it(`brings answers and notifications to the process of a session at the address of ${what}`, async () => {
      verifies('gateway.replicas.nothing-lost');
      // What must stay at one replica does; everything else goes to the other.
      const isRequest = (init: RequestInit | undefined) =>
        typeof init?.body === 'string' && /"method":"(?!notifications)/.test(init.body);
      assert.deepEqual(await session(path, prefix, 'hello', (init) => (isRequest(init) ? 0 : 1)), [
        'LLM response: {"type":"text","text":"hello"}',
        'User response: {"action":"accept","content":{"response":"hello"}}',
        'file:///hello',
      ]);
    });
});
