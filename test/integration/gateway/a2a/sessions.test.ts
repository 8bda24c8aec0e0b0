import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openEmbeddedGateway } from '../../../../sidecar/gateway/editions/embedded.ts';
import type { EmbeddedGateway } from '../../../../sidecar/launch/gateway/gatewayContract.ts';
import { systemClock } from '../../../../sidecar/platform/clock.ts';
import { systemRuntime } from '../../../../sidecar/platform/runtime.ts';
import type { ChatAction } from '../../../../sidecar/protocol/channels/chat/actions.ts';
import type { ChatState, InputRequestPart } from '../../../../sidecar/protocol/channels/chat/schema.ts';
import type { RootState } from '../../../../sidecar/protocol/channels/root/schema.ts';
import { hasRunUnasked } from '../../../../sidecar/protocol/channels/session/permissionDial.ts';
import { SpendLogsAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';
import { parseSessionUri, turnChangesetUri } from '../../../../sidecar/protocol/uris.ts';
import { UsageMeta } from '../../../../sidecar/protocol/usageMeta.ts';
import { agentPath, type Era, type SdkAgent, startSdkAgent } from '../../../support/a2a/sdkAgent.ts';
import type { HostPeer } from '../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../support/host/hostPlace.ts';
import { keepingLog } from '../../../support/testLog.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

for (const [era, isWithoutStreams] of [
  ['0.3', false],
  ['1.0', false],
  ['1.0', true],
] as const satisfies readonly (readonly [Era, boolean])[]) {
  describe(`sessions of an A2A ${era} agent ${isWithoutStreams ? 'that does not stream' : 'that streams'}`, () => {
    const secrets = {
      secret: randomBytes(32).toString('base64'),
      adminKey: `sk-${randomBytes(32).toString('base64url')}`,
    };
    let agent: SdkAgent;
    let folder: string;
    let gateway: EmbeddedGateway;
    let place: HostPlace;
    let peer: HostPeer;
    let baseUrl: string;
    const newGateway = () => {
      const build = { version: '0.1.0', builtAtMs: 1 };
      const { log } = keepingLog();
      return openEmbeddedGateway({ dataDir: folder, pagesFolder: folder, build, runtime: systemRuntime(log) });
    };

    beforeEach(async () => {
      agent = await startSdkAgent(era, { isWithoutStreams });
      folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-gateway-')));
      gateway = newGateway();
      place = await openHostPlace(undefined, {
        get gateway() {
          return gateway;
        },
      });
      peer = await place.connect('c1');
      ({ baseUrl } = await peer.request('x-switchboard/gatewayStart', secrets));
    });
    afterEach(async () => {
      agent.executor.go();
      await place.close();
      await agent.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const ask = async (method: string, path: string, body?: object) => {
      const headers = { 'content-type': 'application/json', 'x-gateway-api-key': `Bearer ${secrets.adminKey}` };
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      assert.ok(response.ok, `${method} ${path}: ${response.status}`);
      return response.json();
    };
    const listed = () => (peer.states.get('host-root://') as RootState).agents.map((it) => it.provider);
    const provider = 'a2a-weather';
    async function register(more: object = {}): Promise<void> {
      await ask('POST', '/v1/agents', {
        agent_id: 'weather',
        agent_name: 'Weather',
        agent_card_params: {
          name: 'Weather station',
          description: 'Says what the weather is.',
          url: `${agent.url}${agentPath}`,
        },
        gateway_params: { allow_private_network: true, cost_per_query: 0.25 },
        ...more,
      });
      await peer.until(() => listed().includes(provider), 'the agent is listed');
    }
    const newSession = () => peer.newSession({ provider });
    async function play(chat: string, prompt: string) {
      return peer.ended(chat, await peer.prompt(chat, prompt));
    }
    const act = (chat: string, action: ChatAction) => peer.act(chat, action);
    async function question(chat: string) {
      const parts = () => peer.chat(chat).activeTurn?.responseParts ?? [];
      const open = () => parts().find((it): it is InputRequestPart => it.kind === 'inputRequest' && !it.response);
      await peer.until(() => open() !== undefined, 'the agent asks');
      return open()!.request;
    }
    /** The host may hold back the end of a text that could be the beginning of a secret. */
    const firstPiece = (chat: string) =>
      peer.until(() => /"content":"s/.test(JSON.stringify(peer.chat(chat).activeTurn ?? {})), 'the first piece');
    const textOf = (turn: ChatState['turns'][number]) =>
      turn.responseParts.map((it) => (it.kind === 'markdown' ? it.content : '')).join('');
    const noticesOf = (turn: ChatState['turns'][number]) =>
      turn.responseParts.map((it) => (it.kind === 'systemNotification' ? JSON.stringify(it.content) : '')).join('');
    const heard = (what: RegExp) => agent.heard.filter((it) => what.test(it.what));
    const sent = () =>
      heard(/^(message\/|Send)/).map(
        (it) => (it.body as { params: { message: Record<string, string> } }).params.message,
      );
    const logged = async () => {
      const day = systemClock.now().slice(0, 10);
      return SpendLogsAnswer.parse(await ask('GET', `/spend/logs/v2?start_date=${day}&end_date=${day}`)).data;
    };

    it('are offered under a stable ID while the agent is registered', async () => {
      verifies('host.remote.listed');
      assert.equal(listed().includes(provider), false);
      await register();
      const found = (peer.states.get('host-root://') as RootState).agents.find((it) => it.provider === provider);
      assert.deepEqual([found?.displayName, found?.description], ['Weather station', 'Says what the weather is.']);
      const { chat } = await newSession();
      await ask('DELETE', '/v1/agents/weather');
      await peer.until(() => !listed().includes(provider), 'the agent is no longer listed');
      const turn = await play(chat, 'what is the weather?');
      assert.equal(turn.state, 'error');
      await register();
    });

    it('call through the gateway with a key of the chat, which the agent never sees, and show the cost', async () => {
      verifies('host.remote.through-gateway');
      await register();
      const { session, chat } = await newSession();
      const turn = await play(chat, 'what is the weather?');
      assert.deepEqual([turn.state, textOf(turn)], ['complete', 'sun']);
      const isCall = (it: { readonly call_type: string }) => it.call_type.startsWith('asend_message');
      await until('the call is in the log', async () => (await logged()).some(isCall));
      const line = (await logged()).find(isCall)!;
      assert.deepEqual([line.model, line.session_id, line.spend], ['a2a_agent/Weather', session, 0.25]);
      // A record that comes after the turn is shown with the next one.
      const usage = UsageMeta.parse((await play(chat, 'what is the weather?')).usage?._meta);
      const calls = usage.counted?.reduce((sum, it) => sum + it.calls, 0) ?? 0;
      assert.ok(calls >= 1 && calls <= 2, `${calls} calls`);
      assert.equal(usage.counted?.[0]?.model, 'a2a_agent/Weather');
      const { key } = (await gateway.sessionAgents(session, chat, 'agents'))!;
      assert.equal(JSON.stringify(agent.heard).includes(key), false);
      assert.equal(JSON.stringify(peer.envelopes).includes(key), false);
      const tools = await fetch(`${baseUrl}/mcp`, {
        method: 'POST',
        headers: { 'x-gateway-api-key': `Bearer ${key}`, 'content-type': 'application/json' },
        body: '{}',
      });
      assert.equal(tools.status, 403, 'the key is for agents alone');
    });

    it('show the questions of the agent, and continue the same task with the answer', async () => {
      verifies('host.remote.input-required');
      await register();
      const { session, chat } = await newSession();
      const turnId = await peer.prompt(chat, 'ask');
      const request = await question(chat);
      assert.equal(request.message, 'Which city?');
      assert.equal(peer.session(session).inputNeeded?.length, 1, 'the question is in the inbox');
      await act(chat, {
        type: 'chat/inputCompleted',
        requestId: request.id,
        response: 'accept',
        answers: { answer: { state: 'submitted', value: { kind: 'text', value: 'Bern' } } },
      });
      const turn = await peer.ended(chat, turnId);
      assert.deepEqual([turn.state, textOf(turn)], ['complete', 'you said Bern'], JSON.stringify(turn));
      const [first, second] = sent();
      assert.equal(first!['taskId'], undefined);
      assert.equal(typeof second!['taskId'], 'string');
      assert.equal(typeof second!['contextId'], 'string');
    });

    it('continue the task with the next message if a question was not answered', async () => {
      await register();
      const { chat } = await newSession();
      const turnId = await peer.prompt(chat, 'ask');
      const request = await question(chat);
      await act(chat, { type: 'chat/inputCompleted', requestId: request.id, response: 'decline' });
      assert.match(noticesOf(await peer.ended(chat, turnId)), /To answer, send a message/);
      assert.equal(textOf(await play(chat, 'Basel')), 'you said Basel');
    });

    it('report that the agent requires a sign-in, and continue the same task afterwards', async () => {
      verifies('host.remote.auth-required');
      await register();
      const { chat } = await newSession();
      const turn = await play(chat, 'sign in');
      assert.match(noticesOf(turn), /Weather station needs you to sign in: Visit https:\/\/weather\.test\/sign-in/);
      assert.equal(textOf(await play(chat, 'done')), 'you said done');
      assert.equal(typeof sent()[1]!['taskId'], 'string');
    });

    it('report why a task failed', async () => {
      await register();
      const { chat } = await newSession();
      const turn = await play(chat, 'break');
      assert.equal(turn.state, 'error');
      assert.match(JSON.stringify(turn), /could not complete the task: The barometer is broken/);
    });

    it('show each file once, as content that can be opened, and the messages of the agent while it works', async () => {
      verifies('host.remote.artifacts');
      await register();
      const { session, chat } = await newSession();
      const turn = await play(chat, 'files');
      const cards = turn.responseParts.flatMap((it) => (it.kind === 'toolCall' ? [it.toolCall] : []));
      assert.deepEqual(
        cards.map((it) => (it.status === 'completed' ? [it.pastTenseMessage, it.content] : it.status)),
        [
          ['Received report.md', [{ type: 'text', text: '# Weather\nSunny.' }]],
          [
            'Received map.png',
            [{ type: 'embeddedResource', data: Buffer.from('a picture').toString('base64'), contentType: 'image/png' }],
          ],
        ],
      );
      assert.equal(textOf(turn), 'Two files.');
      assert.equal(hasRunUnasked(peer.session(session)._meta), false);
    });

    it('cancel the task when the turn is stopped', async () => {
      verifies('host.remote.canceled');
      await register();
      const { chat } = await newSession();
      const turnId = await peer.prompt(chat, 'slow');
      await firstPiece(chat);
      await act(chat, { type: 'chat/turnCancelled', turnId, duration: 1 });
      await until('the agent is asked to cancel', async () => heard(/^(tasks\/cancel|CancelTask)$/).length === 1);
      assert.equal(textOf(await play(chat, 'what is the weather?')), 'sun');
    });

    it('have no changes, even if files change while the agent works', async () => {
      await register();
      const work = join(folder, 'work');
      mkdirSync(work);
      const { session, chat } = await peer.newSession({ provider, workingDirectories: [pathToFileURL(work).href] });
      const turnId = await peer.prompt(chat, 'slow');
      await firstPiece(chat);
      writeFileSync(join(work, 'file.txt'), 'of somebody else\n');
      agent.executor.go();
      await peer.ended(chat, turnId);
      const changes = await peer.subscribe<{ files: unknown[] }>(turnChangesetUri(parseSessionUri(session)!, turnId));
      assert.deepEqual(changes.files, []);
    });

    it('continue the conversation and its task after the host was restarted', async () => {
      verifies('host.remote.continued');
      await register();
      const { session, chat } = await newSession();
      assert.equal(textOf(await play(chat, 'what is the weather?')), 'sun');
      await peer.prompt(chat, 'slow');
      await firstPiece(chat);
      peer.close();
      gateway = newGateway();
      await place.restart();
      agent.executor.go();
      peer = await place.connect('c2');
      ({ baseUrl } = await peer.request('x-switchboard/gatewayStart', secrets));
      await peer.subscribe(session);
      await peer.subscribe(chat);
      const turn = await play(chat, 'what is the weather?');
      assert.equal(turn.state, 'complete');
      const contexts = new Set(
        sent()
          .slice(1)
          .map((it) => it['contextId']),
      );
      assert.equal(contexts.size, 1, 'one conversation');
      assert.equal(typeof [...contexts][0], 'string');
    });
  });
}
