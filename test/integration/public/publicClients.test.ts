import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  type PublicAction,
  type PublicInitialized,
  type PublicPeer,
  publicRoot,
} from '../../support/host/publicPeer.ts';
import { connectPublic } from '../../support/host/publicPlace.ts';
import { type Served, serve } from '../../support/host/served.ts';
import { openWorkspace, type Workspace } from '../../support/host/workspace.ts';
import { openSidecarPlace, type SidecarPlace } from '../../support/sidecar.ts';
import { verifies } from '../../support/verifies.ts';

interface Row {
  readonly resource: string;
  readonly status: number;
  readonly defaultChat?: string;
  readonly chats?: readonly { readonly resource: string; readonly title: string; readonly status: number }[];
}
interface Replay {
  readonly type: string;
  readonly actions: readonly { readonly channel: string; readonly action: PublicAction }[];
}

const READ = 32;
const ARCHIVED = 64;

/**
 * Played from what these clients are known to offer and send: npm has no VS Code newer than 1.139.1, which drives the host
 * itself in `test/vscode/agentsUi.test.ts`.
 */
const clients = [
  { who: 'that offers only 1.0.0', offers: ['1.0.0'], speaks: '1.0.0', info: undefined, meta: undefined },
  {
    who: 'that offers what VS Code 1.141 does',
    offers: ['0.10.0', '0.9.0', '0.7.0', '0.6.0', '0.5.2', '0.5.1'],
    speaks: '0.9.0',
    info: { name: 'vscode-agents-window', version: '1.141.0' },
    meta: undefined,
  },
  {
    who: 'that offers what VS Code 1.142 does',
    offers: ['1.0.0', '0.10.0', '0.9.0'],
    speaks: '1.0.0',
    info: { name: 'vscode-editor-window', version: '1.142.0' },
    meta: { 'vscode.ahpSessionUris': true },
  },
] as const;

describe('a played client of a served host', () => {
  let place: SidecarPlace;
  let root: string;
  let workspace: Workspace;
  let served: Served;
  beforeEach(async () => {
    place = openSidecarPlace();
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-clients-')));
    workspace = openWorkspace({
      '.switchboard/runbooks/make.md': '---\ntitle: Make\n---\nNow.\n\n```sh\necho made > made.txt\n```\n',
    });
    served = await serve(place, root);
  });
  afterEach(async () => {
    await place.close();
    workspace.remove();
    rmSync(root, { recursive: true, force: true });
  });

  const connect = () => connectPublic(`${served.url}/?tkn=${served.token}`);
  const rowOf = async (peer: PublicPeer, session: string): Promise<Row> => {
    const { items } = await peer.request<{ items: Row[] }>('listSessions', { channel: publicRoot });
    const found = items.find((it) => it.resource === session);
    assert.ok(found);
    return found;
  };
  async function makeFile(peer: PublicPeer, session: string, chat: string): Promise<void> {
    const started = { startedAt: new Date().toISOString(), message: { text: '/make', origin: { kind: 'user' } } };
    await peer.act(chat, { type: 'chat/turnStarted', turnId: 't1', ...started });
    const { request } = await peer.action(session, 'session/inputNeededSet');
    assert.equal((request as { kind: string }).kind, 'toolConfirmation');
    const { toolCallId } = await peer.action(chat, 'chat/toolCallReady');
    const yes = { approved: true, confirmed: 'user-action', selectedOptionId: 'allow-once' };
    await peer.act(chat, { type: 'chat/toolCallConfirmed', turnId: 't1', toolCallId, ...yes });
    await peer.action(chat, 'chat/turnComplete');
  }

  for (const { who, offers, speaks, info, meta } of clients)
    it(`${who} makes a session, answers, reads what changed, archives and comes back, in ${speaks}`, async () => {
      verifies('host.public.highest-version');
      const { peer, socket, closed } = await connect();
      peer.clientId = 'played';
      const hello = await peer.request<PublicInitialized>('initialize', {
        channel: publicRoot,
        protocolVersions: offers,
        clientId: 'played',
        initialSubscriptions: [publicRoot],
        ...(info && { clientInfo: info }),
        ...(meta && { _meta: meta }),
      });
      assert.equal(hello.protocolVersion, speaks);
      peer.notify('setClientManagedSettingsPermissions', { permissions: {} });
      peer.notify('setClientSandboxRequired', { required: false });
      for (const config of [{ workspaceTrust: {} }, { automationsEnabled: true }, { automationRunTimeoutMinutes: 30 }])
        await peer.act(publicRoot, { type: 'root/configChanged', config });
      const resource = 'https://api.example';
      assert.deepEqual(await peer.request('authenticate', { channel: publicRoot, resource, token: '' }), {});
      await peer.until(() => JSON.stringify(peer.heard).includes('"provider":"runbook"'), 'the agent is known');
      assert.match(JSON.stringify(peer.heard), /"protectedResources":\[\]/);

      const session = `runbook:/${randomUUID()}`;
      const folders = { workingDirectories: [workspace.uri] };
      await peer.request('createSession', { channel: session, provider: 'runbook', ...folders });
      const { defaultChat: chat } = await peer.subscribe<{ defaultChat: string }>(session);
      await peer.subscribe(chat);
      await makeFile(peer, session, chat);

      const whole = await peer.subscribe<{ status: string; files: object[] }>(`${session}/changeset/session`);
      assert.deepEqual([whole.status, whole.files.length], ['ready', 1]);
      const row = await rowOf(peer, session);
      if (speaks === '1.0.0') {
        assert.equal(row.defaultChat, chat);
        assert.deepEqual(
          row.chats?.map((it) => it.resource),
          [chat],
        );
      } else assert.deepEqual([row.chats, row.defaultChat], [undefined, undefined]);

      const moved = { channel: chat, destination: { kind: 'newSession' } };
      for (const [method, params] of [
        ['moveChat', moved],
        ['vscode/importSession', { channel: publicRoot }],
      ] as const)
        assert.equal((await peer.ask(method, params)).error?.code, -32601);
      assert.notEqual((await peer.ask('subscribe', { channel: 'ahp-automations://' })).error, undefined);
      const resumed = await peer.act(chat, { type: 'chat/turnResume', turnId: 't1' });
      assert.match(resumed.rejectionReason ?? '', /send the message again/);

      const lastSeenServerSeq = Math.max(...peer.heard.map((it) => it.params?.serverSeq ?? 0));
      socket.terminate();
      await closed;
      const back = await connect();
      back.peer.continues(peer);
      const replayed = await back.peer.request<Replay>('reconnect', {
        channel: publicRoot,
        clientId: 'played',
        lastSeenServerSeq,
        subscriptions: [publicRoot, session, chat],
        ...(meta && { _meta: meta }),
      });
      assert.equal(replayed.type, 'replay');

      // VS Code archives both, one after the other, also in 0.9.
      for (const action of [
        { type: 'chat/isReadChanged', isRead: true },
        { type: 'chat/isArchivedChanged', isArchived: true },
      ])
        assert.equal((await back.peer.act(chat, action)).rejectionReason, undefined);
      assert.equal(
        (await back.peer.act(session, { type: 'session/isArchivedChanged', isArchived: true })).rejectionReason,
        undefined,
      );
      const archived = await rowOf(back.peer, session);
      assert.equal(archived.status & ARCHIVED, ARCHIVED);
      if (speaks === '1.0.0') {
        assert.equal((archived.chats?.[0]?.status ?? 0) & (READ | ARCHIVED), READ | ARCHIVED);
        await back.peer.find(({ method, params }) => {
          const { chats } = (params?.['changes'] ?? {}) as Partial<Row>;
          return method === 'root/sessionSummaryChanged' && ((chats?.[0]?.status ?? 0) & ARCHIVED) !== 0;
        }, 'the list was told of the chat');
      }
      const all = JSON.stringify([...peer.heard, ...back.peer.heard]);
      assert.ok(!all.includes('"host-'), 'a name of ours went out');
    });
});
