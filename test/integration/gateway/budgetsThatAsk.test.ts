import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type * as z from 'zod';
import type { AgentProvider } from '../../../sidecar/agents/provider.ts';
import { openEmbeddedGateway } from '../../../sidecar/gateway/editions/embedded.ts';
import type { EmbeddedGateway } from '../../../sidecar/launch/gateway/gatewayContract.ts';
import { systemClock } from '../../../sidecar/platform/clock.ts';
import { systemRuntime } from '../../../sidecar/platform/runtime.ts';
import type { ChatAction } from '../../../sidecar/protocol/channels/chat/actions.ts';
import type { InputRequestPart } from '../../../sidecar/protocol/channels/chat/schema.ts';
import { budgetOf } from '../../../sidecar/protocol/channels/session/budgets.ts';
import { SpendLogsAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { SessionUsage } from '../../../sidecar/protocol/usageMeta.ts';
import { type EchoBackend, startEchoBackend } from '../../support/backends/echoBackend.ts';
import type { HostPeer } from '../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../../support/host/hostPlace.ts';
import { answered } from '../../support/models/provider.ts';
import { scriptedProvider } from '../../support/scriptedProvider.ts';
import { keepingLog } from '../../support/testLog.ts';
import { until } from '../../support/until.ts';
import { verifies } from '../../support/verifies.ts';

const prompt = { model: 'claude-sonnet-5', max_tokens: 1_000, messages: [{ role: 'user', content: 'hello' }] };

describe('a budget of a session whose agent calls models through the gateway', () => {
  let folder: string;
  let backend: EchoBackend;
  let gateway: EmbeddedGateway;
  /** The model calls in the log, as an administrator reads them. */
  let logged: () => Promise<z.infer<typeof SpendLogsAnswer>['data']>;
  /** Registers a model with prices in proportion to those of the first one. */
  let register: (name: string, share: number) => Promise<void>;
  let place: HostPlace;
  let peer: HostPeer;
  let session: string;
  let chat: string;
  /** The responses that the agent got. */
  let answers: (readonly [status: number, body: string])[];

  /**
   * An agent that makes the number of calls in its prompt: one after the other, with a leading `+` at the same time, or with a
   * leading `@` each by a sub-agent of its own.
   */
  function agent(): AgentProvider {
    let call: (headers?: Readonly<Record<string, string>>) => Promise<void>;
    const provider = scriptedProvider(
      async function* ({ text }) {
        const count = Number(text.replace('@', ''));
        if (text.startsWith('@'))
          for (let n = 0; n < count; n += 1) await call({ 'x-claude-code-agent-id': `worker-${n}` });
        else if (text.startsWith('+')) await Promise.all(Array.from({ length: count }, () => call()));
        else for (let n = 0; n < count; n += 1) await call();
        yield { kind: 'text', partId: 'p', text: 'done' };
      },
      { modelsThrough: () => 'gateway' as const },
    );
    return {
      ...provider,
      async open(options, signal) {
        const models = await options.models?.offered();
        call = async (headers) => {
          const { status, body } = await post(`${models?.url}/v1/messages`, `Bearer ${models?.key}`, prompt, headers);
          answers.push([status, body]);
        };
        return provider.open(options, signal);
      },
    };
  }
  async function post(url: string, authorization: string, body: object, more: Readonly<Record<string, string>> = {}) {
    const headers = { authorization, 'content-type': 'application/json', ...more };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: await answer.text() };
  }

  beforeEach(async () => {
    answers = [];
    folder = mkdtempSync(join(tmpdir(), 'switchboard-budgets-'));
    backend = await startEchoBackend();
    backend.answer = answered({ type: 'message', usage: { input_tokens: 1_000, output_tokens: 100 } });
    const adminKey = `sk-${randomBytes(32).toString('base64url')}`;
    const build = { version: '0.1.0', builtAtMs: 1 };
    const runtime = systemRuntime(keepingLog().log);
    gateway = openEmbeddedGateway({ dataDir: folder, pagesFolder: folder, build, runtime });
    const secret = randomBytes(32).toString('base64');
    const { baseUrl } = await gateway.start({ secret, adminKey, isTrusted: true });
    const gateway_params = {
      api_base: backend.url,
      api_key: 'sk-ant-key-of-the-provider',
      allow_private_network: true,
    };
    register = async (model_name, share) => {
      const prices = { input_cost_per_token: 0.00001 * share, output_cost_per_token: 0.0001 * share };
      const model = `anthropic/${model_name}`;
      const body = { model_name, gateway_params: { ...gateway_params, model, ...prices } };
      const made = await post(`${baseUrl}/model/new`, `Bearer ${adminKey}`, body);
      assert.equal(made.status, 200, made.body);
    };
    await register(prompt.model, 1);
    const day = systemClock.now().slice(0, 10);
    logged = async () => {
      const headers = { authorization: `Bearer ${adminKey}` };
      const answer = await fetch(`${baseUrl}/spend/logs/v2?start_date=${day}&end_date=${day}`, { headers });
      return SpendLogsAnswer.parse(await answer.json()).data.filter((it) => it.call_type === 'messages');
    };
    place = await openHostPlace([agent()], { gateway });
    peer = await place.connect('c1');
    ({ session, chat } = await peer.newSession());
  });
  afterEach(async () => {
    await place.close();
    await gateway.close();
    await backend.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const setBudget = (limit: { dollars?: number; calls?: number }) =>
    peer.request('x-switchboard/setBudget', { channel: session, limit });
  async function question(at: HostPeer): Promise<InputRequestPart['request']> {
    const parts = () => at.chat(chat).activeTurn?.responseParts ?? [];
    const open = () => parts().find((it): it is InputRequestPart => it.kind === 'inputRequest' && !it.response);
    await at.until(() => open() !== undefined, 'a person is asked');
    return open()!.request;
  }
  function answer(at: HostPeer, requestId: string, value: string, question = 'budget') {
    const answers = { [question]: { state: 'submitted', value: { kind: 'selected', value } } } as const;
    const action: ChatAction = { type: 'chat/inputCompleted', requestId, response: 'accept', answers };
    return at.act(chat, action);
  }
  const statuses = () => answers.map(([status]) => status);

  it('of three calls stops the fourth before it is sent, and the turn continues when the budget is raised in another window', async () => {
    verifies('host.budgets.asks');
    await setBudget({ calls: 3 });
    const turn = await peer.prompt(chat, '5');
    await question(peer);
    assert.deepEqual([statuses(), backend.heard.length], [[200, 200, 200], 3]);
    peer.close(); // a window that is reloaded
    const [again, other] = [await place.connect('c2'), await place.connect('c3')];
    for (const it of [again, other]) {
      await it.subscribe(session);
      await it.subscribe(chat);
    }
    const asked = await question(again);
    assert.equal(backend.heard.length, 3);
    await answer(other, asked.id, '6');
    assert.match((await answer(again, asked.id, 'stop')).rejectionReason ?? '', /no open question/);
    assert.equal((await again.ended(chat, turn)).state, 'complete');
    assert.deepEqual([statuses(), backend.heard.length], [[200, 200, 200, 200, 200], 5]);
    const { spent } = budgetOf(again.session(session)._meta)!;
    assert.deepEqual([spent.calls, spent.dollars.toFixed(4)], [5, '0.1000']);
  });

  it('counts what the log records over several turns, and so do the totals of the session', async () => {
    await setBudget({ dollars: 5 });
    for (const count of ['2', '+3', '1']) await peer.ended(chat, await peer.prompt(chat, count));
    await until('all calls are in the log', async () => (await logged()).length === 6);
    const sum = (await logged()).reduce((all, it) => all + it.spend, 0).toFixed(6);
    assert.equal(sum, '0.120000');
    const { spent } = budgetOf(peer.session(session)._meta)!;
    const { items } = await peer.request('listSessions', {});
    const { recorded } = SessionUsage.parse(items[0]?._meta?.['usage']);
    assert.deepEqual([spent.calls, spent.dollars.toFixed(6)], [6, sum]);
    assert.deepEqual(
      recorded.map(({ model, inputTokens, outputTokens, cost }) => [
        model,
        inputTokens,
        outputTokens,
        cost?.amount.toFixed(6),
      ]),
      [[prompt.model, 6_000, 600, sum]],
    );
  });

  it('in US dollars refuses calls with an error in the format of the provider if it is not raised', async () => {
    verifies('host.budgets.refused');
    await setBudget({ dollars: 0.12 });
    const turn = await peer.prompt(chat, '3');
    const { id, questions } = await question(peer);
    assert.match(
      questions?.[0]?.message ?? '',
      /Scripted has spent \$0\.02 of this session's budget of \$0\.12 \(calls: 1\)/,
    );
    await answer(peer, id, 'stop');
    await peer.ended(chat, turn);
    assert.deepEqual([statuses(), backend.heard.length], [[200, 400, 400], 1]);
    const refused = JSON.parse(answers[1]![1]) as { type: string; error: { type: string; message: string } };
    assert.deepEqual([refused.type, refused.error.type], ['error', 'invalid_request_error']);
    assert.match(refused.error.message, /^The budget is used up, and the user did not raise it\. Do not try again\./);
  });

  it('lets the turn continue with a cheaper model, which is sent to the provider and recorded in the log', async () => {
    verifies('host.budgets.cheaper');
    await register('claude-haiku-5', 0.1);
    await register('claude-opus-5', 2);
    await setBudget({ dollars: 0.12 });
    const turn = await peer.prompt(chat, '3');
    const { id, questions } = await question(peer);
    const [asked] = questions ?? [];
    const options = asked?.kind === 'single-select' ? asked.options.map(({ label }) => label) : [];
    assert.deepEqual(options.slice(2), ['Continue with claude-haiku-5', 'Stop']);
    await answer(peer, id, 'cheaper');
    assert.equal((await peer.ended(chat, turn)).state, 'complete');
    const models = ['claude-sonnet-5', 'claude-haiku-5', 'claude-haiku-5'];
    assert.deepEqual(
      [statuses(), backend.heard.map(({ body }) => (JSON.parse(String(body)) as { model: string }).model)],
      [[200, 200, 200], models],
    );
    await until('all calls are in the log', async () => (await logged()).length === 3);
    const lines = (await logged()).toSorted((one, other) => one.model.localeCompare(other.model));
    assert.deepEqual(
      lines.map((it) => [it.model, it.spend.toFixed(4), it.metadata['instead_of']]),
      [
        ['claude-haiku-5', '0.0020', prompt.model],
        ['claude-haiku-5', '0.0020', prompt.model],
        ['claude-sonnet-5', '0.0200', undefined],
      ],
    );
    assert.equal(budgetOf(peer.session(session)._meta)?.spent.dollars.toFixed(4), '0.0240');
  });

  it('applies together with a limit on sub-agents, whose calls wait before they are sent and are rejected if the limit is not raised', async () => {
    verifies('host.limits.subAgents');
    verifies('host.limits.refused');
    peer.peer.sendNotification('x-switchboard/windowChanged', {
      window: { ...testWindow, runLimits: { subAgents: 1 } },
    });
    const turn = await peer.prompt(chat, '@3');
    const { id } = await question(peer);
    assert.deepEqual([statuses(), backend.heard.length], [[200], 1]);
    await answer(peer, id, '2', 'limit');
    await peer.until(() => backend.heard.length === 2, 'the second sub-agent called the model');
    await answer(peer, (await question(peer)).id, 'stop', 'limit');
    await peer.ended(chat, turn);
    assert.deepEqual([statuses(), backend.heard.length], [[200, 200, 400], 2]);
    const { error } = JSON.parse(answers[2]![1]) as { error: { type: string; message: string } };
    assert.equal(error.type, 'invalid_request_error');
    assert.match(error.message, /^The limit on sub-agents is reached, and the user did not raise it\./);
    await peer.ended(chat, await peer.prompt(chat, '1'));
    assert.equal(statuses().at(-1), 200);
  });

  it('is not exceeded by calls at the same time, and asks once for all calls that wait', async () => {
    verifies('host.budgets.together');
    await setBudget({ calls: 2 });
    const turn = await peer.prompt(chat, '+6');
    const { id } = await question(peer);
    await peer.until(() => backend.heard.length === 2 || answers.length >= 2, 'two calls were made');
    assert.equal(backend.heard.length, 2);
    await answer(peer, id, '12');
    const { responseParts } = await peer.ended(chat, turn);
    assert.deepEqual(statuses(), [200, 200, 200, 200, 200, 200]);
    assert.equal(responseParts.filter((it) => it.kind === 'inputRequest').length, 1);
  });

  it('gives up a call that still waits when the turn is canceled, so it is never sent', async () => {
    await setBudget({ calls: 1 });
    const turnId = await peer.prompt(chat, '2');
    await question(peer);
    const action: ChatAction = { type: 'chat/turnCancelled', turnId, duration: 1 };
    await peer.act(chat, action);
    await peer.until(() => peer.chat(chat).activeTurn === undefined, 'the turn has ended');
    assert.equal(backend.heard.length, 1);
  });
});
