import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { acpProvider } from '../../../sidecar/agents/acp/provider.ts';
import { type Children, openChildren } from '../../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import type { RootState } from '../../../sidecar/protocol/channels/root/schema.ts';
import type { SessionState } from '../../../sidecar/protocol/channels/session/schema.ts';
import { ROOT, sessionUri } from '../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../support/host/hostPlace.ts';
import { verifies } from '../../support/verifies.ts';
import { fakeAgent } from '../peers/acp/fakeAgent.ts';

const program = fileURLToPath(new URL('../peers/acp/keeper.child.ts', import.meta.url));
const said = (sessionUpdate: 'user_message_chunk' | 'agent_message_chunk', text: string): SessionUpdate => ({
  sessionUpdate,
  content: { type: 'text', text },
});
const updates: SessionUpdate[] = [
  said('user_message_chunk', 'Count '),
  said('user_message_chunk', 'the files'),
  { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'ls', kind: 'execute', status: 'pending', rawInput: {} },
  {
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c',
    status: 'completed',
    rawInput: { command: 'ls' },
    content: [{ type: 'content', content: { type: 'text', text: 'a\nb' } }],
  },
  said('agent_message_chunk', 'Two'),
  said('agent_message_chunk', ' files.'),
  said('user_message_chunk', 'Thanks'),
  said('agent_message_chunk', 'Welcome.'),
];

describe('conversations that an ACP agent on the SDK keeps', () => {
  let folder: string;
  let file: string;
  let here: string;
  let children: Children;
  let place: HostPlace;
  let peer: HostPeer;

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'switchboard-kept-')));
    file = join(folder, 'kept.json');
    here = join(folder, 'here');
    await mkdir(here);
    children = openChildren(join(folder, 'data', 'children.json'), () => '2026-01-01T00:00:00Z');
    const kept = {
      old: { cwd: here, title: 'Counting', updatedAt: '2026-01-02T00:00:00Z', updates },
      newer: { cwd: here, updatedAt: '2026-01-03T00:00:00Z', updates: [] },
      other: { cwd: join(folder, 'other'), title: 'Not here', updates: [] },
    };
    await writeFile(file, JSON.stringify(kept));
  });
  afterEach(async () => {
    await place.close();
    await children.stopAll();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(...flags: string[]) {
    const agent = { ...fakeAgent([]), args: [program, file, ...flags] };
    place = await openHostPlace([acpProvider(agent, { timers: systemTimers, children })]);
    peer = await place.connect('c1', { env: { PATH: process.env['PATH'] ?? '' } });
  }
  const workingDirectory = () => pathToFileURL(here).href;
  const listed = async () => {
    const params = { channel: ROOT, provider: 'fake', workingDirectory: workingDirectory() } as const;
    return (await peer.request('x-switchboard/conversations', params)).items;
  };
  const bringIn = async (id: string) => {
    const session = sessionUri(randomUUID());
    const params = { channel: ROOT, provider: 'fake', workingDirectory: workingDirectory(), id, session } as const;
    await peer.request('x-switchboard/conversationOpen', params);
    const { defaultChat } = await peer.subscribe<SessionState>(session);
    await peer.subscribe(defaultChat!);
    return { session, chat: defaultChat! };
  };
  const idsKept = async () => Object.keys(JSON.parse(await readFile(file, 'utf8')) as object);
  const abilities = () => (peer.states.get(ROOT) as RootState).agents[0]?.capabilities?.conversations;

  it('are listed page by page, the newest first, without those of other folders', async () => {
    verifies('host.conversations.listed');
    await open();
    assert.deepEqual(await listed(), [
      { id: 'newer', title: 'newer', updatedAt: '2026-01-03T00:00:00Z' },
      { id: 'old', title: 'Counting', updatedAt: '2026-01-02T00:00:00Z' },
    ]);
    assert.deepEqual(children.list(), [], 'the agent was ended again');
  });

  it('become sessions with their turns, with which the agent goes on, and are listed no more', async () => {
    verifies('host.conversations.continued');
    await open();
    const { session, chat } = await bringIn('old');
    assert.equal(peer.session(session).title, 'Counting');
    const [first, second] = peer.chat(chat).turns;
    assert.deepEqual(
      [first?.message.text, first?.state, second?.message.text],
      ['Count the files', 'complete', 'Thanks'],
    );
    const [call, text] = first?.responseParts ?? [];
    assert.ok(call?.kind === 'toolCall' && call.toolCall.status === 'completed');
    assert.deepEqual([call.toolCall.toolInput, call.toolCall.content], ['ls', [{ type: 'text', text: 'a\nb' }]]);
    assert.ok(text?.kind === 'markdown');
    assert.equal(text.content, 'Two files.');
    const turn = await peer.ended(chat, await peer.prompt(chat, 'Go on'));
    assert.match(JSON.stringify(turn.responseParts), /"In old"/);
    assert.doesNotMatch(JSON.stringify(turn), /no longer remembers/);
    assert.deepEqual(
      (await listed()).map((it) => it.id),
      ['newer'],
    );
    await assert.rejects(bringIn('old'), /A session continues this one already/);
  });

  it('are taken over in no untrusted window, from no other folder, and not once they are gone', async () => {
    verifies('host.conversations.continued');
    await open();
    await assert.rejects(bringIn('other'), /no longer has this session/);
    peer = await place.connect('c2', { trusted: false });
    await assert.rejects(bringIn('old'), /Trust this folder to run agents/);
    assert.deepEqual((await peer.request('listSessions', { channel: ROOT })).items, []);
  });

  it('are deleted by the agent if a person asks for it', async () => {
    verifies('host.conversations.deleted');
    await open();
    const { session, chat } = await bringIn('old');
    await peer.ended(chat, await peer.prompt(chat, 'Go on'));
    assert.deepEqual(abilities(), { deletes: true });
    await peer.request('x-switchboard/conversationDelete', { channel: session });
    assert.deepEqual(await idsKept(), ['newer', 'other']);
  });

  const forkOf = async (session: string, turnId: string) => {
    const { chat } = await peer.newSession({ fork: { session, turnId } });
    return peer.ended(chat, await peer.prompt(chat, 'Go on'));
  };

  it('are copied by the agent for a fork, which gets no transcript', async () => {
    verifies('host.conversations.forked');
    await open('--forks');
    const { session, chat } = await bringIn('old');
    const { id } = await peer.ended(chat, await peer.prompt(chat, 'Go on'));
    const turn = await forkOf(session, id);
    assert.match(JSON.stringify(turn.responseParts), /"In copy of old"/);
    assert.doesNotMatch(JSON.stringify(turn), /no longer remembers/);
  });

  it('begin anew with a transcript for a fork of an earlier turn, and for an agent that copies none', async () => {
    verifies('host.conversations.forked');
    await open('--forks');
    const { session, chat } = await bringIn('old');
    const { id } = await peer.ended(chat, await peer.prompt(chat, 'Go on'));
    await peer.ended(chat, await peer.prompt(chat, 'And on'));
    assert.match(JSON.stringify((await forkOf(session, id)).responseParts), /"In new-3, with 1 more"/);
    await place.close();
    await open();
    const other = await bringIn('newer');
    const turn = await peer.ended(other.chat, await peer.prompt(other.chat, 'Go on'));
    assert.match(JSON.stringify((await forkOf(other.session, turn.id)).responseParts), /"In new-\d, with 1 more"/);
  });

  it('are closed before the process of the agent ends', async () => {
    await open();
    const { session, chat } = await bringIn('old');
    await peer.ended(chat, await peer.prompt(chat, 'Go on'));
    await peer.request('disposeSession', { channel: session });
    const kept = JSON.parse(await readFile(file, 'utf8')) as Record<string, { isClosed?: true }>;
    assert.deepEqual([kept['old']?.isClosed, kept['newer']?.isClosed], [true, undefined]);
  });

  it('stay where the agent deletes none, which it says', async () => {
    verifies('host.conversations.deleted');
    await open('--keeps-all');
    const { session, chat } = await bringIn('old');
    await peer.ended(chat, await peer.prompt(chat, 'Go on'));
    assert.deepEqual(abilities(), { deletes: false });
    await assert.rejects(
      peer.request('x-switchboard/conversationDelete', { channel: session }),
      /Fake cannot delete its sessions/,
    );
    assert.equal((await idsKept()).length, 3);
  });
});
