import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { Guardrails } from '../../../../sidecar/protocol/gateway/guardrail.ts';
import { verifySigv4 } from '../../../support/backends/verifySigv4.ts';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { bearer, messageBody, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

const aws = { aws_access_key_id: 'AKIDAGENT', aws_secret_access_key: 'secret-of-the-agent' };
const ofServer = { aws_access_key_id: 'AKIDSERVER', aws_secret_access_key: 'secret-of-the-server' };
const providerKey = 'key-of-the-provider';
const guardrails = Guardrails.parse(
  ['secret_redaction', 'mcp_jwt_signer'].map((guardrail) => ({
    guardrail_name: guardrail,
    gateway_params: { guardrail, mode: 'pre_mcp_call', default_on: true },
  })),
);

/** Specification, Agent registration, Gateway to backend (A2A), Per-user header passthrough, Trace identity. */
describe('a call to an agent', () => {
  let stand: Stand;
  let key: string;
  const id: Record<string, string> = {};

  before(async () => {
    stand = await openStand({
      tools: twoTools,
      env: { CLOUDAGENTS_API_KEY: 'of-the-service', ANTHROPIC_API_KEY: providerKey },
      guardrails: () => guardrails,
    });
    const own = { 'X-Team': 'blue' };
    const registered: Readonly<Record<string, object>> = {
      plain: {},
      bearer: { api_key: 'key-of-the-agent' },
      both: { api_key: 'key-of-the-agent', custom_llm_provider: 'bedrock', ...aws },
      runtime: { custom_llm_provider: 'bedrock', ...aws },
      machine: { custom_llm_provider: 'bedrock' },
      native: { custom_llm_provider: 'anthropic', ...aws },
      nobody: { ...aws },
      fixed: { static_headers: own },
      wanting: { extra_headers: ['X-Plain', 'X-User'] },
      traced: { require_trace_id_on_calls_to_agent: true },
      working: { require_trace_id_on_calls_by_agent: true },
    };
    for (const [name, params] of Object.entries(registered)) id[name] = await stand.registerAgent(name, params);
    await stand.register({ alias: 'tools' });
    await stand.register({ alias: 'signed', auth_type: 'cloud_sigv4', credentials: ofServer });
    key = await stand.addKey();
  });
  after(() => stand.close());
  beforeEach(() => void stand.backend.heard.splice(0));

  const send = (agent: string, headers: Record<string, string> = {}, by = key) =>
    stand.ask(`/a2a/${agent}`, { ...bearer(by), ...headers }, messageBody());
  /** What the agent got of a call that it was asked. */
  async function heardBy(agent: string, headers: Record<string, string> = {}) {
    const { status, text } = await send(agent, headers);
    assert.equal(status, 200, text);
    const heard = stand.heardAt(`/agent/${agent}`);
    assert.ok(heard);
    return heard;
  }

  it('has the bearer of api_key where that is set, whatever the provider', async () => {
    verifies('gateway.agent.api_key', 'gateway.a2a.bearer', 'gateway.a2a.no-auth_type');
    for (const agent of ['bearer', 'both'])
      assert.equal((await heardBy(agent)).headers.authorization, 'Bearer key-of-the-agent', agent);
    const refused = await stand.as(stand.adminKey, '/v1/agents', {
      method: 'POST',
      body: JSON.stringify({ agent_name: 'no', agent_card_params: {}, gateway_params: { auth_type: 'none' } }),
    });
    assert.equal(refused.status, 400);
  });

  it('is signed for the cloud agent-runtime provider without api_key, and for no other agent', async () => {
    verifies('gateway.a2a.sigv4', 'gateway.a2a.sigv4.only-there');
    const heard = await heardBy('runtime');
    const names = verifySigv4(heard, () => aws.aws_secret_access_key);
    assert.ok(names.includes('x-amz-date'));
    for (const agent of ['plain', 'nobody', 'native', 'bearer', 'both'])
      assert.doesNotMatch((await heardBy(agent)).headers.authorization ?? '', /AWS4/, agent);
  });

  it('is signed with credentials of its own, and a call to an MCP server with those of that server', async () => {
    verifies('gateway.auth.cloud_sigv4.own-chain');
    const secrets: Readonly<Record<string, string>> = {
      AKIDAGENT: aws.aws_secret_access_key,
      AKIDSERVER: ofServer.aws_secret_access_key,
    };
    const signers: string[] = [];
    const secretOf = (id: string) => {
      signers.push(id);
      return secrets[id] ?? '';
    };
    verifySigv4(await heardBy('runtime'), secretOf);
    await stand.ask('/signed/mcp', bearer(key), toolCall('echo'));
    const heard = stand.heardAt('/mcp/signed');
    assert.ok(heard);
    verifySigv4(heard, secretOf);
    assert.deepEqual(signers, ['AKIDAGENT', 'AKIDSERVER']);
  });

  it('is signed with what the chain of the machine has, where the agent has no keys', async () => {
    verifies('gateway.a2a.sigv4.chain');
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIDMACHINE', AWS_SECRET_ACCESS_KEY: 'secret-of-the-machine' });
    try {
      const signers: string[] = [];
      verifySigv4(await heardBy('machine'), (id) => {
        signers.push(id);
        return 'secret-of-the-machine';
      });
      assert.deepEqual(signers, ['AKIDMACHINE']);
    } finally {
      const before = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
      for (const [name, value] of Object.entries(before))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    }
  });

  it('has what another provider takes for a credential, under its own header', async () => {
    verifies('gateway.a2a.provider', 'gateway.agent.custom_llm_provider');
    const { headers } = await heardBy('native');
    assert.deepEqual([headers['x-api-key'], headers.authorization], [providerKey, undefined]);
  });

  it('has static_headers always, and those win over the headers of the user', async () => {
    verifies('gateway.agent.static_headers', 'gateway.agent.static_headers.win', 'gateway.passthrough.a2a.static-wins');
    assert.equal((await heardBy('fixed')).headers['x-team'], 'blue');
    const { headers } = await heardBy('fixed', { 'x-a2a-fixed-x-team': 'red', 'x-a2a-fixed-x-more': 'yes' });
    assert.deepEqual([headers['x-team'], headers['x-more']], ['blue', 'yes']);
  });

  it('has the headers of extra_headers as they came, and no others of the caller', async () => {
    verifies('gateway.agent.extra_headers', 'gateway.passthrough.a2a.extra', 'gateway.trace.identity-explicit.extra');
    const sent = { 'x-plain': 'As It  Came', 'x-user': 'ada', 'x-else': '1' };
    const { headers } = await heardBy('wanting', sent);
    assert.deepEqual([headers['x-plain'], headers['x-user'], headers['x-else']], ['As It  Came', 'ada', undefined]);
    const other = await heardBy('plain', sent);
    assert.deepEqual([other.headers['x-plain'], other.headers['x-user']], [undefined, undefined]);
  });

  it('has the headers that name the agent by its UUID or its name', async () => {
    verifies('gateway.passthrough.a2a.uuid', 'gateway.passthrough.a2a.name', 'gateway.trace.identity-explicit.a2a');
    const { headers } = await heardBy('plain', {
      [`x-a2a-${id['plain']}-x-user`]: 'ada',
      'x-a2a-PLAIN-x-one': 'by name',
      [`x-a2a-${id['bearer']}-x-two`]: 'of another',
    });
    assert.deepEqual([headers['x-user'], headers['x-one'], headers['x-two']], ['ada', 'by name', undefined]);
  });

  it('without a trace id is refused with 400 where the agent asks for one; the session id will do', async () => {
    verifies('gateway.agent.trace-to', 'gateway.trace.required', 'gateway.trace.session-will-do');
    verifies('gateway.error.trace-missing');
    const refused = await send('traced');
    assert.equal(refused.status, 400);
    assert.equal(stand.backend.heard.length, 0);
    assert.equal((await stand.recordOf(refused)).status, 'failure');
    for (const name of ['x-gateway-trace-id', 'x-gateway-session-id'])
      assert.equal((await send('traced', { [name]: 'id-1' })).status, 200, name);
  });

  it('with the key of an agent that asks for a trace id on its calls is refused without one', async () => {
    verifies('gateway.agent.trace-by.a2a');
    const own = await stand.addKey({ agent_id: id['working'] ?? '' });
    assert.equal((await send('plain', {}, own)).status, 400);
    assert.equal((await send('plain', { 'x-gateway-trace-id': 't' }, own)).status, 200);
  });

  it('is refused so on the other surfaces too, each time on record, and reaches nothing', async () => {
    verifies('gateway.agent.trace-by.mcp', 'gateway.agent.trace-by.cloud');
    const own = bearer(await stand.addKey({ agent_id: id['working'] ?? '' }));
    const calls = [
      ['/mcp', toolCall('tools__echo'), '/mcp'],
      ['/tools/mcp', toolCall('echo'), '/{server}/mcp'],
      ['/mcp-rest/tools/call', { name: 'tools__echo' }, '/mcp-rest/tools/call'],
      ['/cloudagents/v0/agents', {}, '/cloudagents'],
    ] as const;
    for (const [path, body, endpoint] of calls) {
      const refused = await stand.ask(path, own, body);
      assert.equal(refused.status, 400, path);
      assert.equal((refused.json as { error: { param: string } }).error.param, 'x-gateway-trace-id');
      const record = await stand.recordOf(refused);
      assert.deepEqual([record.status, record.endpoint], ['failure', endpoint]);
    }
    assert.equal(stand.backend.heard.length, 0);
    for (const [path, body] of calls)
      assert.equal((await stand.ask(path, { ...own, 'x-gateway-session-id': 's' }, body)).status, 200, path);
    assert.equal((await stand.ask('/v1/agents', own)).status, 200, 'reading what there is calls nobody');
  });

  it('tells the agent the trace and its own id, and neither the key nor the end user', async () => {
    verifies('gateway.trace.forwarded', 'gateway.trace.agent-forwarded', 'gateway.trace.key-not-forwarded');
    verifies('gateway.trace.end-user-not-forwarded');
    const said = { 'x-gateway-trace-id': 'trace-1', 'x-gateway-end-user-id': 'the-end-user' };
    const { rawHeaders, headers, body } = await heardBy('plain', said);
    assert.deepEqual([headers['x-gateway-trace-id'], headers['x-gateway-agent-id']], ['trace-1', id['plain']]);
    const whole = `${rawHeaders.join()} ${body.toString()}`;
    assert.ok(!whole.includes(key) && !whole.includes('the-end-user'));
  });

  it('is touched by no guardrail of the gateway', async () => {
    verifies('gateway.guardrail.a2a-none', 'gateway.signer.mcp-only');
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const part = { kind: 'text', text: `use ${secret}` };
    const message = { kind: 'message', role: 'user', messageId: 'm', parts: [part] };
    const body = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
    assert.equal((await stand.ask('/a2a/plain', bearer(key), body)).status, 200);
    const heard = stand.heardAt('/agent/plain');
    assert.ok(heard);
    assert.ok(heard.body.includes(secret));
    assert.doesNotMatch(heard.rawHeaders.join(), /eyJ/);
    await stand.ask('/tools/mcp', bearer(key), toolCall('echo', { text: secret }));
    const tool = stand.heardAt('/mcp/tools');
    assert.ok(tool && !tool.body.includes(secret) && /eyJ/.test(tool.rawHeaders.join()), 'they are on for tools');
  });
});
