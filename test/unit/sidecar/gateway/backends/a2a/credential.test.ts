import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  type AgentAuthDeps,
  agentCredential,
  checkAgentCredential,
} from '../../../../../../sidecar/gateway/backends/a2a/credential.ts';
import { type AgentSecrets, agentHeaderRules } from '../../../../../../sidecar/gateway/backends/a2a/mode.ts';
import { AwsCredentialSource } from '../../../../../../sidecar/gateway/backends/aws/credentials.ts';
import { Fault } from '../../../../../../sidecar/platform/faults.ts';
import { SetClock } from '../../../../../support/backends/setClock.ts';
import { verifies } from '../../../../../support/verifies.ts';

const registered = { agent_id: 'agent-1', agent_name: 'weather', updated_at: 'v1' };
const keys = { aws_access_key_id: 'AKID', aws_secret_access_key: 'secret' };

/** The credential of an agent, and which providers' keys were read for it. */
function open(
  chain: () => Promise<{ accessKeyId: string; secretAccessKey: string }> = async () => assert.fail(),
  providerKey?: string,
) {
  const clock = new SetClock(Date.UTC(2026, 0, 2));
  const read: string[] = [];
  const deps: AgentAuthDeps = {
    aws: new AwsCredentialSource({ nowMs: clock.nowMs, chain }),
    nowMs: clock.nowMs,
    providerKey: async (provider) => {
      read.push(provider);
      if (provider === 'unknown') return undefined;
      return provider === 'blank' ? ' ' : (providerKey ?? ` key-of-${provider} `);
    },
  };
  const credential = (custom_llm_provider: string | null | undefined, secrets: AgentSecrets = {}, more = {}) =>
    agentCredential({ ...registered, gateway_params: { custom_llm_provider }, ...more }, secrets, deps);
  return { credential, read, clock };
}

describe('what an agent is authenticated with', () => {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const rows: readonly [
    provider: string | null | undefined,
    api_key: string | null | undefined,
    headers: Readonly<Record<string, string>>,
    read: readonly string[],
  ][] = [
    [undefined, 'k1', bearer('k1'), []],
    ['bedrock', ' bearer k1 ', bearer('k1'), []],
    ['azure', 'k1', bearer('k1'), []],
    ['unknown', 'k1', bearer('k1'), []],
    [undefined, undefined, {}, []],
    [null, null, {}, []],
    [' ', ' ', {}, []],
    ['pydantic_ai_agents', undefined, {}, []],
    [' Pydantic_AI_agents ', '', {}, []],
    [' Anthropic', undefined, { 'x-api-key': 'key-of-anthropic' }, ['anthropic']],
    ['azure', ' ', { 'api-key': 'key-of-azure' }, ['azure']],
    ['azure_ai', undefined, { 'api-key': 'key-of-azure_ai' }, ['azure_ai']],
    ['gemini', undefined, { 'x-goog-api-key': 'key-of-gemini' }, ['gemini']],
    ['langgraph', undefined, { 'x-api-key': 'key-of-langgraph' }, ['langgraph']],
    ['vertex', undefined, bearer('key-of-vertex'), ['vertex']],
    ['constructor', undefined, bearer('key-of-constructor'), ['constructor']],
  ];
  for (const [provider, api_key, headers, read] of rows) {
    it(`of the provider ${String(provider)} with the key ${String(api_key)} is ${JSON.stringify(headers)}`, async () => {
      verifies('gateway.a2a.bearer', 'gateway.a2a.provider', 'gateway.a2a.sigv4.only-there');
      const opened = open();
      const credential = await opened.credential(provider, { ...keys, api_key });
      const resolution = Object.keys(headers).length === 0 ? 'no-auth' : 'static-token';
      assert.deepEqual(credential, { headers, resolution, identity: '' });
      assert.deepEqual(opened.read, read);
    });
  }

  it('of a registration without parameters is nothing', async () => {
    const { credential } = open();
    assert.deepEqual((await credential(undefined, {}, { gateway_params: null })).headers, {});
  });

  for (const provider of ['unknown', 'blank'])
    it(`of a provider without a key is an error that names it: ${provider}`, async () => {
      const thrown: unknown = await open()
        .credential(provider)
        .catch((it: unknown) => it);
      assert.ok(thrown instanceof Fault);
      assert.match(thrown.message, new RegExp(`'${provider}'`));
      assert.deepEqual([thrown.code, thrown.data], ['unavailable', { reason: 'no_provider_credential', provider }]);
    });

  for (const provider of ['bedrock', 'bedrock_agentcore', ' Bedrock-AgentCore '])
    it(`of ${provider} is a signature with its keys, region and the time of the call`, async () => {
      verifies('gateway.a2a.sigv4');
      const { credential, clock, read } = open();
      const { headers, resolution, sign } = await credential(provider, { ...keys, aws_region_name: 'eu-west-1' });
      assert.deepEqual([headers, resolution, read], [{}, 'aws-sigv4', []]);
      clock.pass(1_000);
      const signed = await sign?.({ method: 'POST', url: 'https://agent.test/', headers: {}, body: '{}' });
      assert.equal(signed?.['x-amz-date'], '20260102T000001Z');
      assert.match(signed?.['authorization'] ?? '', /Credential=AKID\/20260102\/eu-west-1\/bedrock-agentcore\//);
    });

  it('of the cloud without keys is that of the machine, once for each version of each registration', async () => {
    verifies('gateway.a2a.sigv4.chain');
    let asked = 0;
    const { credential } = open(async () => ({ accessKeyId: `MACHINE${(asked += 1)}`, secretAccessKey: 's' }));
    const sign = async (more: object) => {
      const { sign: signed } = await credential('bedrock', {}, more);
      const made = await signed?.({ method: 'GET', url: 'https://agent.test/', headers: {} });
      return /Credential=(\w+)/.exec(made?.['authorization'] ?? '')?.[1];
    };
    const found: unknown[] = [];
    for (const it of [{}, {}, { updated_at: 'v2' }, { agent_id: 'agent-2' }, { updated_at: null }])
      found.push(await sign(it));
    assert.deepEqual(found, ['MACHINE1', 'MACHINE1', 'MACHINE2', 'MACHINE3', 'MACHINE4']);
  });

  it('of the cloud fails before anything is sent where there are no credentials, or fields that are none', async () => {
    const away = open(() => Promise.reject(new Error('no profile at /home/canary')));
    await assert.rejects(away.credential('bedrock'), { name: 'Fault', code: 'unavailable' });
    const thrown: unknown = await away
      .credential('bedrock', { ...keys, aws_region_name: 'EU west' })
      .catch((it: unknown) => it);
    assert.ok(thrown instanceof Fault);
    assert.deepEqual([thrown.code, thrown.data], ['invalid_params', { field: 'gateway_params.aws_region_name' }]);
  });

  it('that no header may hold is an error that names where it stands, when it is saved and when it is used', async () => {
    const names = (field: string) => (thrown: unknown) =>
      thrown instanceof Fault &&
      thrown.code === 'invalid_params' &&
      thrown.message.startsWith(`'${field}' contains characters`) &&
      (thrown.data as { readonly field: string }).field === field;
    const secrets = { api_key: 'k\n1' };
    const { credential } = open();
    await assert.rejects(credential(undefined, secrets), names('gateway_params.api_key'));
    assert.throws(() => checkAgentCredential(registered, secrets), names('gateway_params.api_key'));
    for (const provider of ['azure', 'vertex'])
      await assert.rejects(open(undefined, 'k\n1').credential(provider), names(`credential of ${provider}`));
    const cloud = { ...registered, gateway_params: { custom_llm_provider: 'bedrock' } };
    assert.throws(
      () => checkAgentCredential(cloud, { aws_access_key_id: 'AKID' }),
      /gateway_params\.aws_secret_access_key/,
    );
    for (const fine of [{ api_key: 'k1', aws_access_key_id: 'AKID' }, keys]) checkAgentCredential(cloud, fine);
    checkAgentCredential(registered, {});
  });
});

describe('the header rules of an agent', () => {
  it('are those beside its parameters and those in them, which win', () => {
    const rules = agentHeaderRules({
      ...registered,
      static_headers: { 'x-a': 'beside', 'x-b': 'beside' },
      extra_headers: ['x-c'],
      gateway_params: { static_headers: { 'x-b': 'inside' }, extra_headers: ['x-d'] },
    });
    assert.deepEqual(rules, {
      id: 'agent-1',
      static_headers: { 'x-a': 'beside', 'x-b': 'inside' },
      extra_headers: ['x-c', 'x-d'],
    });
    assert.deepEqual(agentHeaderRules(registered), { id: 'agent-1', static_headers: {}, extra_headers: [] });
  });
});
