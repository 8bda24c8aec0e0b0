import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { AgentRegistration, AgentSecrets } from '../../../../sidecar/gateway/backends/a2a/mode.ts';
import { AwsCredentialSource } from '../../../../sidecar/gateway/backends/aws/credentials.ts';
import { readBody } from '../../../../sidecar/gateway/backends/net/readBody.ts';
import { Fault } from '../../../../sidecar/platform/faults.ts';
import { type BackendsUnderTest, openBackends } from '../../../support/backends/backendsUnderTest.ts';
import { inboundOf } from '../../../support/backends/callOf.ts';
import { type EchoBackend, startEchoBackend } from '../../../support/backends/echoBackend.ts';
import { SetClock } from '../../../support/backends/setClock.ts';
import { startStsServer } from '../../../support/backends/stsServer.ts';
import { verifySigv4 } from '../../../support/backends/verifySigv4.ts';

const role = 'arn:aws:iam::123456789012:role/mcp';
const keys = { aws_access_key_id: 'AKIDCANARY', aws_secret_access_key: 'canary-aws-secret' } as const;
const { signal } = new AbortController();

describe('cloud credentials', () => {
  let sts: EchoBackend;
  let clock: SetClock;
  let source: AwsCredentialSource;
  const options = {
    region: 'eu-west-1',
    service: 'bedrock-agentcore',
    keys: { accessKeyId: keys.aws_access_key_id, secretAccessKey: keys.aws_secret_access_key },
  };

  beforeEach(async () => {
    clock = new SetClock();
    sts = await startStsServer(() => new Date(clock.nowMs() + 3_600_000));
    source = new AwsCredentialSource({ nowMs: clock.nowMs, stsEndpoint: sts.url });
  });
  afterEach(() => sts.close());

  it('of a role are assumed once for all who ask, with the explicit keys, and anew five minutes before their end', async () => {
    const ask = () => source.credentials('o', { ...options, role, sessionName: 'team-a' });
    const [one, two] = await Promise.all([ask(), ask()]);
    assert.deepEqual([one.accessKeyId, two.accessKeyId, sts.heard.length], ['ASIAROLE1', 'ASIAROLE1', 1]);
    const form = new URLSearchParams(String(sts.heard[0]?.body));
    assert.deepEqual(
      [form.get('Action'), form.get('RoleArn'), form.get('RoleSessionName')],
      ['AssumeRole', role, 'team-a'],
    );
    assert.match(sts.heard[0]?.headers.authorization ?? '', /Credential=AKIDCANARY\//);
    clock.pass(55 * 60_000 - 1);
    assert.equal((await ask()).accessKeyId, 'ASIAROLE1');
    clock.pass(1);
    assert.equal((await ask()).accessKeyId, 'ASIAROLE2');
  });

  it('that cannot be had are told without their secrets, and asked for again by the next call', async () => {
    sts.answer = (_, response) => void response.writeHead(403).end(`<Error>${keys.aws_secret_access_key}</Error>`);
    for (const n of [1, 2]) {
      const thrown: unknown = await source.credentials('o', { ...options, role }).catch((it: unknown) => it);
      assert.ok(thrown instanceof Fault && thrown.code === 'unavailable');
      assert.doesNotMatch(inspect(thrown, { depth: 10 }), /canary/);
      assert.equal(sts.heard.length, n);
    }
  });

  it('without keys and role are those of the machine', async () => {
    const chain = async () => ({ accessKeyId: 'FROMENV', secretAccessKey: 's', sessionToken: 't' });
    const machine = new AwsCredentialSource({ nowMs: clock.nowMs, chain });
    assert.equal((await machine.credentials('o', { region: 'r', service: 's' })).accessKeyId, 'FROMENV');
  });

  it('are asked for again when the registration was forgotten', async () => {
    await source.credentials('mcp s1 v1', { ...options, role });
    source.forget('mcp s1');
    await source.credentials('mcp s1 v1', { ...options, role });
    assert.equal(sts.heard.length, 2);
  });
});

describe('how the gateway authenticates to an agent', () => {
  let echo: EchoBackend;
  let world: BackendsUnderTest;

  beforeEach(async () => {
    echo = await startEchoBackend();
    world = openBackends({ providerKey: async (it) => (it === 'unknown' ? undefined : `canary-${it}`) });
  });
  afterEach(async () => {
    await world.backends.close();
    await echo.close();
  });

  async function call(params: AgentRegistration['gateway_params'], secrets: AgentSecrets, headers = {}) {
    const agent = {
      agent_id: '0b1c',
      agent_name: 'travel',
      gateway_params: { ...params, allow_private_network: true },
    };
    world.backends.setRegistered([], [agent, { agent_id: 'ffff', agent_name: 'travel-two' }]);
    const added = { 'X-Gateway-Trace-Id': 't1' };
    const outbound = await world.backends.forAgent(agent, secrets, {
      inbound: inboundOf(headers),
      user: 'u',
      signal,
      added,
    });
    const request = {
      method: 'POST',
      url: `${echo.url}/a2a`,
      headers: { 'content-type': 'application/json' },
      body: '{}',
    };
    await readBody((await outbound.send(request, signal)).body, 100);
    const heard = echo.heard.at(-1);
    assert.ok(heard);
    assert.equal(heard.headers['x-gateway-trace-id'], 't1');
    return { heard, resolution: outbound.resolution };
  }

  const rows: readonly [
    says: string,
    provider: string | undefined,
    AgentSecrets,
    header: string,
    wanted: string | undefined,
  ][] = [
    ['a bearer token where api_key is set', undefined, { api_key: 'k1' }, 'authorization', 'Bearer k1'],
    ['also for the cloud provider', 'bedrock', { api_key: 'Bearer k1' }, 'authorization', 'Bearer k1'],
    ['also for another provider', 'azure', { api_key: 'k1' }, 'authorization', 'Bearer k1'],
    ['nothing where nothing is set', undefined, {}, 'authorization', undefined],
    ["the provider's own header: azure", 'azure', {}, 'api-key', 'canary-azure'],
    ["the provider's own header: anthropic", 'Anthropic', {}, 'x-api-key', 'canary-anthropic'],
    ["the provider's own header: gemini", 'gemini', {}, 'x-goog-api-key', 'canary-gemini'],
    ['a bearer token for any other provider', 'constructor', {}, 'authorization', 'Bearer canary-constructor'],
    ['nothing for a provider that takes none', 'pydantic_ai_agents', {}, 'authorization', undefined],
  ];
  for (const [says, provider, secrets, header, wanted] of rows) {
    it(says, async () => {
      const { heard } = await call({ custom_llm_provider: provider }, secrets);
      assert.equal(heard.headers[header], wanted);
    });
  }

  it('a signature for the cloud agent-runtime provider without api_key', async () => {
    const { heard, resolution } = await call(
      { custom_llm_provider: 'bedrock' },
      { ...keys, aws_region_name: 'eu-west-1' },
    );
    assert.equal(resolution, 'aws-sigv4');
    assert.ok(verifySigv4(heard, () => keys.aws_secret_access_key));
  });

  it('a provider without a credential is told, and nothing is sent', async () => {
    await assert.rejects(call({ custom_llm_provider: 'unknown' }, {}), { code: 'unavailable' });
    assert.equal(echo.heard.length, 0);
  });

  it('per-user headers are for the agent by its id or name alone, and static headers win', async () => {
    const sent = {
      'x-a2a-0b1c-x-a': 'by id',
      'x-a2a-TRAVEL-x-b': 'by name',
      'x-a2a-travel-two-x-c': 'not ours',
      'x-a2a-travel-x-team': 'not this',
    };
    const { heard } = await call({ static_headers: { 'X-Team': 'blue' } }, {}, sent);
    const { 'x-a': a, 'x-b': b, 'x-c': c, 'x-team': team } = heard.headers;
    assert.deepEqual([a, b, c, team], ['by id', 'by name', undefined, 'blue']);
  });

  it('a registration is checked when it is saved', async () => {
    const agent = (gateway_params: AgentRegistration['gateway_params']) => ({
      agent_id: 'a',
      agent_name: 'n',
      gateway_params,
    });
    const check = (params: AgentRegistration['gateway_params'], url: string) => () =>
      world.backends.checkAgent(agent(params), {}, url);
    await assert.rejects(check({}, 'http://127.0.0.1/'), { code: 'invalid_params' });
    await assert.rejects(check({}, 'http://169.254.169.254/'), { code: 'forbidden' });
    await assert.rejects(check({ static_headers: { Host: 'a' } }, 'https://a.example'), /static_headers\.Host/);
    const wrongKey = world.backends.checkAgent(agent({}), { api_key: 'k\n1' }, 'https://a.example');
    await assert.rejects(wrongKey, /'gateway_params\.api_key' contains characters/);
    await check({ allow_private_network: true }, 'http://127.0.0.1/')();
  });
});
