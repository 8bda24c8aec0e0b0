import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openEmbeddedGateway } from '../../../../sidecar/gateway/editions/embedded.ts';
import type { EmbeddedGateway } from '../../../../sidecar/launch/gateway/gatewayContract.ts';
import { systemRuntime } from '../../../../sidecar/platform/runtime.ts';
import { cloudOf } from '../../../../sidecar/protocol/channels/session/cloudMeta.ts';
import { PERMISSION_DIAL } from '../../../../sidecar/protocol/channels/session/permissionDial.ts';
import { SANDBOX } from '../../../../sidecar/protocol/channels/session/sandboxChoice.ts';
import type { SessionState } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { ROOT, sessionUri } from '../../../../sidecar/protocol/uris.ts';
import {
  type CloudServiceUnderTest,
  cloudCredential,
  startCloudService,
} from '../../../support/backends/cloudService.ts';
import {
  actIn,
  answerIn,
  assertComplete,
  cloudProviderId,
  configureCloud,
  launchIn,
  newGatewaySecrets,
  noticesOf,
  questionIn,
  repositoryAnswer,
  textOf,
  untilCloudListed,
} from '../../../support/host/cloudPeer.ts';
import type { HostPeer } from '../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../support/host/hostPlace.ts';
import { keepingLog } from '../../../support/testLog.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

/** The first bytes of an image of 3 by 2 pixels. */
const png = Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
  Buffer.from([0, 0, 0, 3, 0, 0, 0, 2]),
]).toString('base64');

describe('sessions of cloud agents', () => {
  const secrets = newGatewaySecrets();
  let service: CloudServiceUnderTest;
  let folder: string;
  let gateway: EmbeddedGateway;
  let place: HostPlace;
  let peer: HostPeer;
  let baseUrl: string;

  beforeEach(async () => {
    service = await startCloudService();
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-gateway-')));
    configureCloud(folder, service.url);
    const build = { version: '0.1.0', builtAtMs: 1 };
    const { log } = keepingLog();
    gateway = openEmbeddedGateway({ dataDir: folder, pagesFolder: folder, build, runtime: systemRuntime(log) });
    place = await openHostPlace(undefined, { gateway });
    peer = await place.connect('c1');
    ({ baseUrl } = await peer.request('x-switchboard/gatewayStart', secrets));
    await untilCloudListed(peer);
  });
  afterEach(async () => {
    service.go();
    await place.close();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const newSession = (more: object = {}) => peer.newSession({ provider: cloudProviderId, ...more });
  const launched = () => service.heard.filter((it) => it.what === 'POST /v0/agents');
  const play = async (chat: string, prompt: string) => peer.ended(chat, await peer.prompt(chat, prompt));

  it('launch an agent with what the user confirmed, and show its words, branch, and pull request', async () => {
    verifies('host.cloud.listed', 'host.cloud.launched', 'host.cloud.followed');
    const { session, chat } = await newSession();
    const turnId = await peer.prompt(chat, 'Fix the test');
    const question = await questionIn(peer, chat);
    assert.match(
      question.message ?? '',
      /^Launch a cloud agent\? .*sent to Cloud agents.*not on the files on this machine/,
    );
    assert.equal(launched().length, 0, 'nothing is sent before the answer');
    assert.equal(peer.session(session).inputNeeded?.length, 1, 'the question is in the inbox');
    await answerIn(peer, chat, {
      repository: { kind: 'text', value: 'https://git.example/owner/name' },
      ref: { kind: 'text', value: 'main' },
      pullRequest: { kind: 'boolean', value: true },
    });
    const turn = await peer.ended(chat, turnId);
    assertComplete(turn);
    assert.equal(textOf(turn), 'I did: Fix the test');
    assert.match(noticesOf(turn), /launched.*cloud\.example.*finished.*agent\/bc_1.*pull\/12/s);
    assert.equal(turn.responseParts.filter((it) => it.kind === 'systemNotification').length, 2);
    assert.deepEqual(launched()[0]?.body, {
      prompt: { text: 'Fix the test' },
      source: { repository: 'https://git.example/owner/name', ref: 'main' },
      target: { autoCreatePr: true },
    });
    const expected = {
      status: 'FINISHED',
      repository: 'https://git.example/owner/name',
      branch: 'agent/bc_1',
      url: 'https://cloud.example/agents/bc_1',
      pullRequest: 'https://git.example/owner/name/pull/12',
    };
    assert.deepEqual(cloudOf(peer.session(session)._meta), expected);
    const { items } = await peer.request('listSessions', { channel: ROOT });
    assert.deepEqual(cloudOf(items.find((it) => it.resource === session)?._meta), expected);
  });

  it('call through the gateway, which alone has the credential, with a key that opens nothing else', async () => {
    verifies('host.cloud.through-gateway');
    const { session, chat } = await newSession();
    assertComplete(await peer.ended(chat, await launchIn(peer, chat, 'Fix the test')));
    const { key } = (await gateway.sessionAgents(session, chat, 'cloud'))!;
    assert.equal(JSON.stringify(service.heard).includes(key), false);
    assert.equal(JSON.stringify([peer.envelopes, place.log]).includes(cloudCredential), false);
    assert.equal(JSON.stringify(peer.envelopes).includes(key), false);
    const statusOf = async (path: string, own: string) =>
      (await fetch(`${baseUrl}${path}`, { headers: { 'x-gateway-api-key': `Bearer ${own}` } })).status;
    assert.equal(await statusOf('/cloudagents/v0/agents', key), 200);
    assert.equal(await statusOf('/v1/agents', key), 403);
    const ofAgents = (await gateway.sessionAgents(session, chat, 'agents'))!.key;
    assert.equal(await statusOf('/cloudagents/v0/agents', ofAgents), 403);
  });

  it('suggest the repository and branch of the folder, without its user and password', async () => {
    verifies('host.cloud.launched');
    const project = join(folder, 'project');
    mkdirSync(join(project, '.git'), { recursive: true });
    writeFileSync(
      join(project, '.git', 'config'),
      '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://me:secret@git.example/owner/name.git\n\tfetch = +refs/heads/*\n',
    );
    writeFileSync(join(project, '.git', 'HEAD'), 'ref: refs/heads/fix/dates\n');
    const { chat } = await newSession({ workingDirectories: [pathToFileURL(project).href] });
    const turnId = await peer.prompt(chat, 'Fix the test');
    const { questions } = await questionIn(peer, chat);
    assert.deepEqual(
      questions?.map((it) => ('defaultValue' in it ? it.defaultValue : undefined)),
      ['https://git.example/owner/name', 'fix/dates', false],
    );
    await actIn(peer, chat, {
      type: 'chat/inputCompleted',
      requestId: (await questionIn(peer, chat)).id,
      response: 'decline',
    });
    assert.match(noticesOf(await peer.ended(chat, turnId)), /No cloud agent was launched/);
    assert.equal(launched().length, 0);
  });

  it('get the images of a message with their sizes, at most 5, and nothing else that is not text', async () => {
    verifies('host.cloud.images');
    const { chat } = await newSession();
    const message = (count: number, data = png) => ({
      text: 'Like this',
      origin: { kind: 'user' as const },
      attachments: Array.from({ length: count }, () => ({
        type: 'embeddedResource' as const,
        label: 'shot',
        data,
        contentType: 'image/png',
      })),
    });
    const send = async (turnId: string, count: number, data?: string) => {
      const startedAt = '2026-01-01T00:00:00Z';
      await actIn(peer, chat, { type: 'chat/turnStarted', turnId, startedAt, message: message(count, data) });
    };
    await send('first', 1);
    await answerIn(peer, chat, repositoryAnswer);
    assertComplete(await peer.ended(chat, 'first'));
    const images = [{ data: png, dimension: { width: 3, height: 2 } }];
    assert.deepEqual((launched()[0]!.body as { prompt: object }).prompt, { text: 'Like this', images });
    await send('second', 5);
    assertComplete(await peer.ended(chat, 'second'));
    const followedUp = service.heard.find((it) => it.what.endsWith('/followup'))!.body as { prompt: { images: [] } };
    assert.equal(followedUp.prompt.images.length, 5);
    await send('third', 6);
    assert.match(JSON.stringify(await peer.ended(chat, 'third')), /accepts at most 5 images with a message/);
    await send('fourth', 1, Buffer.from('no image').toString('base64'));
    assert.match(JSON.stringify(await peer.ended(chat, 'fourth')), /accepts only text and images/);
  });

  it('send the next message to the same agent, and show each message once', async () => {
    verifies('host.cloud.follow-up');
    const { chat } = await newSession();
    await peer.ended(chat, await launchIn(peer, chat, 'Fix the test'));
    const turn = await play(chat, 'And the docs');
    assertComplete(turn);
    assert.equal(textOf(turn), 'I did: And the docs');
    assert.doesNotMatch(noticesOf(turn), /sent elsewhere/);
    assert.equal(launched().length, 1);
  });

  it('wait for a service that is out of reach for a moment, and report an agent that failed', async () => {
    verifies('host.cloud.followed');
    const { chat } = await newSession();
    const turnId = await peer.prompt(chat, 'break');
    await questionIn(peer, chat);
    await answerIn(peer, chat, { repository: { kind: 'text', value: 'https://git.example/owner/name' } });
    await until('the agent is launched', () => launched().length === 1);
    service.refuse(2, 503, { 'retry-after': '0' });
    const turn = await peer.ended(chat, turnId);
    assert.equal(turn.state, 'error');
    assert.match(JSON.stringify(turn), /Cloud agents could not complete the task: The tests did not start/);
  });

  it('stop the agent when the turn is stopped', async () => {
    verifies('host.cloud.stopped');
    const { chat } = await newSession();
    const turnId = await launchIn(peer, chat, 'slow work');
    await peer.until(() => JSON.stringify(peer.chat(chat).activeTurn ?? {}).includes('begun'), 'the agent works');
    await actIn(peer, chat, { type: 'chat/turnCancelled', turnId, duration: 1 });
    await until('the agent is stopped', () => service.heard.some((it) => it.what === 'POST /v0/agents/bc_1/stop'));
    const turn = await play(chat, 'go on');
    assert.match(JSON.stringify(turn), /A stopped agent cannot be resumed/);
  });

  it('delete the agent from the service after the user confirmed it', async () => {
    verifies('host.cloud.deleted');
    const { session, chat } = await newSession();
    await peer.ended(chat, await launchIn(peer, chat, 'Fix the test'));
    for (const isSure of [false, true]) {
      const turnId = await peer.prompt(chat, '/delete');
      await answerIn(peer, chat, { delete: { kind: 'boolean', value: isSure } });
      assertComplete(await peer.ended(chat, turnId));
      assert.equal(service.agents.has('bc_1'), !isSure);
    }
    assert.equal(cloudOf(peer.session(session)._meta)?.status, 'DELETED');
  });

  it('continue an agent that was launched elsewhere, with its conversation', async () => {
    verifies('host.cloud.account');
    service.addFinished('bc_old', 'Write the parser', 'It is written.');
    const { chat } = await newSession();
    const turnId = await peer.prompt(chat, '/agents');
    const request = await questionIn(peer, chat);
    assert.match(JSON.stringify(request), /Agent bc_old.*FINISHED · https:\/\/git\.example\/owner\/other/);
    await actIn(peer, chat, {
      type: 'chat/inputCompleted',
      requestId: request.id,
      response: 'accept',
      answers: { agent: { state: 'submitted', value: { kind: 'selected', value: 'bc_old' } } },
    });
    const turn = await peer.ended(chat, turnId);
    assertComplete(turn);
    assert.match(noticesOf(turn), /sent elsewhere.*Write the parser/s);
    assert.equal(textOf(turn), 'It is written.');
    assert.equal(textOf(await play(chat, 'And test it')), 'I did: And test it');
    assert.equal(launched().length, 0);
  });

  it('are those of the account, with their conversation, and are deleted there if a person asks for it', async () => {
    verifies('host.cloud.account', 'host.conversations.continued', 'host.conversations.deleted');
    service.addFinished('bc_old', 'Write the parser', 'It is written.');
    const asked = { channel: ROOT, provider: cloudProviderId } as const;
    const cloud = {
      status: 'FINISHED',
      repository: 'https://git.example/owner/other',
      branch: 'agent/bc_old',
      url: 'https://cloud.example/agents/bc_old',
    };
    const listed = async () => (await peer.request('x-switchboard/conversations', asked)).items;
    assert.deepEqual(await listed(), [{ id: 'bc_old', title: 'Agent bc_old', cloud }]);
    const session = sessionUri(randomUUID());
    await peer.request('x-switchboard/conversationOpen', { ...asked, id: 'bc_old', session });
    const chat = (await peer.subscribe<SessionState>(session)).defaultChat!;
    await peer.subscribe(chat);
    assert.equal(cloudOf(peer.session(session)._meta)?.branch, 'agent/bc_old');
    const [turn] = peer.chat(chat).turns;
    assert.deepEqual([turn?.message.text, turn && textOf(turn)], ['Write the parser', 'It is written.']);
    assert.deepEqual(await listed(), []);
    assert.equal(textOf(await play(chat, 'And test it')), 'I did: And test it');
    assert.equal(launched().length, 0);
    await peer.request('x-switchboard/conversationDelete', { channel: session });
    assert.equal(service.agents.has('bc_old'), false);
  });

  it('have no choice of permissions, sandbox, or worktree', async () => {
    verifies('host.cloud.no-local-choices');
    const { session, chat } = await newSession({ config: { worktree: true } });
    await peer.ended(chat, await launchIn(peer, chat, 'Fix the test'));
    await peer.subscribe(session); // for the state as it is after the agent was opened
    const offered = await peer.request('resolveSessionConfig', { channel: ROOT, provider: cloudProviderId });
    for (const config of [offered, peer.session(session).config!]) {
      assert.deepEqual(Object.keys(config.schema.properties), []);
      assert.deepEqual([config.values[PERMISSION_DIAL], config.values[SANDBOX]], [undefined, undefined]);
    }
  });
});
