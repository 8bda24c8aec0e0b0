import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openEmbeddedGateway } from '../../../sidecar/gateway/editions/embedded.ts';
import type { EmbeddedGateway, RecordedCall } from '../../../sidecar/launch/gateway/gatewayContract.ts';
import { systemClock } from '../../../sidecar/platform/clock.ts';
import { systemRuntime } from '../../../sidecar/platform/runtime.ts';
import { SpendLogsAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { type EchoBackend, startEchoBackend } from '../../support/backends/echoBackend.ts';
import { answered } from '../../support/models/provider.ts';
import { keepingLog } from '../../support/testLog.ts';
import { until } from '../../support/until.ts';

const PROVIDER_KEY = 'sk-ant-canary-of-the-provider';

describe("the gateway's models in sessions", () => {
  const adminKey = `sk-${randomBytes(32).toString('base64url')}`;
  let folder: string;
  let backend: EchoBackend;
  let gateway: EmbeddedGateway;
  let baseUrl: string;
  let logged: readonly string[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-models-'));
    backend = await startEchoBackend();
    backend.answer = answered({ type: 'message', usage: { input_tokens: 12, output_tokens: 3 } });
    const { log, lines } = keepingLog();
    logged = lines;
    const build = { version: '0.1.0', builtAtMs: 1 };
    gateway = openEmbeddedGateway({ dataDir: folder, pagesFolder: folder, build, runtime: systemRuntime(log) });
    ({ baseUrl } = await gateway.start({ secret: randomBytes(32).toString('base64'), adminKey, isTrusted: true }));
  });
  afterEach(async () => {
    await gateway.close();
    await backend.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = (path: string, key: string, body?: object, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${baseUrl}${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    });
  async function register(model_name: string, model: string): Promise<void> {
    const gateway_params = { model, api_base: backend.url, api_key: PROVIDER_KEY, allow_private_network: true };
    const answer = await ask('/model/new', adminKey, { model_name, gateway_params });
    assert.equal(answer.status, 200, await answer.text());
  }
  /** The lines of today's spend log. */
  async function logLines() {
    const day = systemClock.now().slice(0, 10);
    const answer = await ask(`/spend/logs/v2?start_date=${day}&end_date=${day}`, adminKey);
    return SpendLogsAnswer.parse(await answer.json()).data;
  }
  const message = { model: 'claude-sonnet-5', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] };

  it('are none if none is registered, and no key is made', async () => {
    assert.equal(await gateway.sessionModels('s', 'c'), undefined);
    const keys = await (await ask('/key/list?return_full_object=true', adminKey)).text();
    assert.doesNotMatch(keys, /session s/);
  });

  it('are called with the chat key, and listeners get each call as it is recorded', async () => {
    await register('claude-*', 'anthropic/claude-*');
    const { url, key, models } = (await gateway.sessionModels('s', 'c'))!;
    assert.deepEqual([url, models], [baseUrl, [{ name: 'claude-*', dialects: ['messages'] }]]);
    assert.equal((await gateway.sessionModels('s', 'c'))!.key, key);
    const calls: RecordedCall[] = [];
    gateway.onCall((it) => calls.push(it));
    const answer = await ask('/v1/messages', key, message);
    assert.equal(answer.status, 200);
    await answer.text();
    const [heard] = backend.heard;
    assert.equal(heard?.headers['x-api-key'], PROVIDER_KEY);
    assert.doesNotMatch(JSON.stringify(heard), new RegExp(key));
    const lines = async () => (await logLines()).filter((it) => it.model === 'claude-sonnet-5');
    await until('the call is written', async () => (await lines()).length === 1);
    const [line] = await lines();
    assert.deepEqual([line?.prompt_tokens, line?.completion_tokens, line?.status], [12, 3, 'success']);
    const { cost, ...call } = calls[0]!;
    const tokens = { inputTokens: 12, outputTokens: 3 };
    assert.deepEqual([calls.length, call], [1, { session: 's', chat: 'c', model: 'claude-sonnet-5', ...tokens }]);
    assert.equal(cost, line?.spend);
    for (const it of logged) assert.equal(it.includes(key), false);
  });

  for (const mark of ['x-claude-code-agent-id', 'x-parent-session-id'])
    it(`have calls marked as a sub-agent's if the header ${mark} is sent, also in the log`, async () => {
      await register('claude-*', 'anthropic/claude-*');
      const { key } = (await gateway.sessionModels('s', 'c'))!;
      const calls: RecordedCall[] = [];
      gateway.onCall((it) => calls.push(it));
      for (const headers of [{}, { [mark]: 'explore-1' }])
        await (await ask('/v1/messages', key, message, headers)).text();
      assert.deepEqual(
        calls.map((it) => it.subAgent),
        [undefined, true],
      );
      const marked = async () => (await logLines()).filter((it) => it.metadata['sub_agent'] === true);
      await until('one line is marked', async () => (await marked()).length === 1);
    });

  it('cost in sum what the chat key has spent', async () => {
    await register('claude-*', 'anthropic/claude-*');
    const { key } = (await gateway.sessionModels('s', 'c'))!;
    const calls: RecordedCall[] = [];
    gateway.onCall((it) => calls.push(it));
    for (const model of ['claude-sonnet-5', 'claude-haiku-4-5', 'claude-sonnet-5'])
      await (await ask('/v1/messages', key, { ...message, model })).text();
    assert.deepEqual(
      calls.map((it) => it.cost > 0),
      [true, true, true],
    );
    const told = calls.reduce((sum, it) => sum + it.cost, 0);
    const spend = async () => {
      const answer = (await (await ask('/key/list?return_full_object=true', adminKey)).json()) as {
        keys: { metadata?: { chat?: string }; spend: number }[];
      };
      return answer.keys.find((it) => it.metadata?.chat === 'c')?.spend;
    };
    await until('the key has spent the sum of the calls', async () => Math.abs((await spend())! - told) < 1e-9);
  });

  it('are all that the chat key can be used for', async () => {
    await register('claude-*', 'anthropic/claude-*');
    const { key } = (await gateway.sessionModels('s', 'c'))!;
    for (const path of ['/key/list', '/v1/agents', '/model/info', '/spend/logs/v2', '/mcp'])
      assert.notEqual((await ask(path, key)).status, 200, path);
    assert.equal((await ask('/v1/models', key)).status, 200);
  });

  it('end with their session', async () => {
    await register('claude-*', 'anthropic/claude-*');
    const { key } = (await gateway.sessionModels('s', 'c'))!;
    await gateway.sessionEnded('s');
    assert.equal((await ask('/v1/messages', key, message)).status, 401);
    assert.equal(backend.heard.length, 0);
  });
});
