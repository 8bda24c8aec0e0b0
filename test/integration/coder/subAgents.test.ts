import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import type { ChatAction } from '../../../sidecar/protocol/channels/chat/actions.ts';
import type { ChatSummary } from '../../../sidecar/protocol/channels/chat/schema.ts';
import { SubAgentMeta } from '../../../sidecar/protocol/channels/chat/subAgentMeta.ts';
import type { ToolResultContent } from '../../../sidecar/protocol/channels/chat/toolCalls.ts';
import { PERMISSION_DIAL } from '../../../sidecar/protocol/channels/session/permissionDial.ts';
import type { AnyAction } from '../../../sidecar/protocol/envelope.ts';
import { activityOf, status } from '../../../sidecar/protocol/status.ts';
import { type CoderPlace, callsOf, openCoderPlace, playAsPerson, textOf } from '../../support/coder/place.ts';
import { recordings, repository } from '../../support/coder/recordings.ts';
import type { HostPeer } from '../../support/host/hostPeer.ts';
import type { Workspace } from '../../support/host/workspace.ts';
import { verifies } from '../../support/verifies.ts';

const call = (name: string, input: Readonly<Record<string, unknown>>) => ({ name, input });
const delegate = (title: string, recording: string) => call('delegate', { title, task: `Do it. replay ${recording}` });
const ask = (question: string) => call('ask', { question, options: [{ label: 'red' }, { label: 'blue' }] });
/** Of a call that is answered, or that never is. */
const asking = (name: string) => [{ calls: [ask(`${name}?`)] }, { text: `${name} is done.` }];

describe('sub-agents of the built-in agent', () => {
  let place: CoderPlace;
  let workspace: Workspace;
  let peer: HostPeer;
  let session: string;
  let chat: string;
  before(async () => {
    place = await openCoderPlace('messages', {
      ...recordings,
      pair: [{ calls: [delegate('First', 'left'), delegate('Second', 'right')] }, { text: 'Both reported.' }],
      left: asking('Left'),
      right: asking('Right'),
      stopping: [{ calls: [delegate('To be stopped', 'stopped')] }, { text: 'It was stopped.' }],
      stopped: asking('Stopped'),
      cancelling: [{ calls: [delegate('Cancelled', 'cancelled')] }],
      cancelled: asking('Cancelled'),
      killing: [{ calls: [delegate('Killed', 'killed')] }, { text: 'I continue without it.' }],
      killed: asking('Killed'),
      planning: [
        { calls: [delegate('Looks', 'looks')] },
        { calls: [call('present_plan', { plan: 'None' })] },
        { text: 'Planned.' },
      ],
      looks: [{ calls: [call('write', { path: 'early.txt', content: 'no\n' })] }, { text: 'I can only read.' }],
      failing: [{ calls: [delegate('Too long', 'long')] }, { text: 'I divide it.' }],
      long: [
        { status: 400, text: 'prompt is too long' },
        { status: 400, text: 'prompt is too long' },
      ],
      hooking: [{ calls: [delegate('Lists', 'lists')] }, { text: 'It listed them.' }],
      lists: [{ calls: [call('list', {})] }, { text: 'Listed.' }],
      telling: [{ calls: [delegate('Tells', 'told')] }, { text: 'It told me.' }],
      told: [{ text: 'I was told.' }],
      accepting: [{ calls: [delegate('Writes', 'writes')] }, { text: 'Written.' }],
      writes: [{ calls: [call('write', { path: 'by-sub-agent.txt', content: 'yes\n' })] }, { text: 'I wrote it.' }],
    });
  });
  after(() => place.close());
  afterEach(() => peer.close());

  async function begin(config: Readonly<Record<string, string>> = {}, files: Readonly<Record<string, string>> = {}) {
    workspace = place.workspace({ ...repository, ...files });
    peer = await place.connect(workspace);
    ({ session, chat } = await peer.newSession({ provider: 'coder', workingDirectories: [workspace.uri], config }));
    await peer.subscribe(session);
  }
  const subAgents = (): readonly ChatSummary[] =>
    peer.session(session).chats.filter((it) => it.origin?.kind === 'tool');
  const questions = () => (peer.session(session).inputNeeded ?? []).filter((it) => it.kind === 'chatInput');
  const titleOf = (uri: string) => peer.session(session).chats.find((it) => it.resource === uri)?.title;
  const waitFor = (count: number) => peer.until(() => questions().length === count, `${count} sub-agents ask`);
  const start = async (text: string): Promise<string> => {
    const turnId = randomUUID();
    const message = { text, origin: { kind: 'user' as const }, model: { id: 'fake' } };
    await peer.act(chat, {
      type: 'chat/turnStarted',
      turnId,
      startedAt: new Date().toISOString(),
      message,
    } as ChatAction);
    return turnId;
  };
  const answer = (of: string, requestId: string) => {
    const answers = { answer: { state: 'submitted', value: { kind: 'selected', value: 'red' } } };
    peer.dispatch(of, { type: 'chat/inputCompleted', requestId, response: 'accept', answers } as ChatAction);
  };
  const results = () => place.model.heard.at(-1)?.flatMap((it) => it.results) ?? [];

  it('1b-6 work in chats of their own, which the call links to with its tokens and cost', async () => {
    verifies('host.coder.sub-agents');
    await begin();
    const turn = await playAsPerson(peer, chat, { text: 'Count. replay parent', model: 'fake' });
    assert.equal(textOf(turn), 'The sub-agent counted.');
    const [delegation, ...others] = callsOf(turn);
    assert.deepEqual(others, [], 'the calls of the sub-agent are in its own chat');
    assert.ok(delegation?.status === 'completed');
    const [link, report] = delegation.content as readonly ToolResultContent[];
    assert.ok(link?.type === 'subagent');
    assert.deepEqual(report, { type: 'text', text: 'There are three files in src.' });
    const [own] = subAgents();
    assert.equal(link.resource, own?.resource);
    assert.deepEqual(
      [own?.title, own?.origin, own?.interactivity],
      ['Count the files', { kind: 'tool', chat, toolCallId: delegation.toolCallId }, 'read-only'],
    );
    const { inputTokens, cost } = SubAgentMeta.parse(link._meta);
    assert.deepEqual([inputTokens, cost?.currency], [20, 'USD']);
    await peer.subscribe(link.resource);
    const [only] = peer.chat(link.resource).turns;
    assert.deepEqual(
      callsOf(only!).map((it) => it.toolName),
      ['search'],
    );
    assert.equal(only?.message.text, 'Count the files. replay child');
    assert.equal(results().at(-1), 'There are three files in src.');
  });

  it('take no messages from a person', async () => {
    await begin();
    await playAsPerson(peer, chat, { text: 'Tell. replay telling', model: 'fake' });
    const own = subAgents()[0]!.resource;
    await peer.subscribe(own);
    const message = { text: 'And now this.', origin: { kind: 'user' as const } };
    const startedAt = new Date().toISOString();
    for (const action of [
      { type: 'chat/turnStarted', turnId: 'more', startedAt, message },
      { type: 'chat/pendingMessageSet', kind: 'queued', id: 'more', message },
      { type: 'chat/truncated' },
    ] as ChatAction[])
      assert.equal((await peer.act(own, action)).rejectionReason, 'this chat is read-only', action.type);
  });

  it('run in parallel, and the question of each names its chat', async () => {
    await begin();
    const turnId = await start('Delegate. replay pair');
    await waitFor(2);
    const asked = questions();
    assert.deepEqual(new Set(asked.map((it) => titleOf(it.chat))), new Set(['First', 'Second']));
    for (const it of asked) if (it.kind === 'chatInput') answer(it.chat, it.request.id);
    const turn = await peer.ended(chat, turnId);
    assert.equal(textOf(turn), 'Both reported.');
    assert.deepEqual(results().toSorted(), ['Left is done.', 'Right is done.']);
  });

  it('end when the turn that delegated is cancelled', async () => {
    await begin();
    const turnId = await start('Delegate. replay cancelling');
    await waitFor(1);
    const own = subAgents()[0]!.resource;
    await peer.subscribe(own);
    await peer.act(chat, { type: 'chat/turnCancelled', turnId, duration: 1 } as ChatAction);
    await peer.until(() => peer.chat(own).turns.length === 1, 'the sub-agent has ended');
    assert.equal(peer.chat(own).turns[0]?.state, 'cancelled');
    assert.deepEqual(questions(), []);
  });

  it('can be stopped alone, which the agent is told', async () => {
    await begin();
    const turnId = await start('Delegate. replay stopping');
    await waitFor(1);
    const own = subAgents()[0]!.resource;
    await peer.subscribe(own);
    const { id } = peer.chat(own).activeTurn!;
    await peer.act(own, { type: 'chat/turnCancelled', turnId: id, duration: 1 } as ChatAction);
    const turn = await peer.ended(chat, turnId);
    assert.equal(textOf(turn), 'It was stopped.');
    assert.match(results().at(-1) ?? '', /^The user stopped the sub-agent\./);
  });

  it('are interrupted in words when the host is killed, and the agent continues', async () => {
    verifies('host.coder.resumes');
    await begin();
    const lost = start('Delegate. replay killing').catch(() => undefined);
    await waitFor(1);
    const own = subAgents()[0]!.resource;
    await place.sidecar.killHost();
    await lost;
    peer.close();
    peer = await place.connect(workspace);
    for (const it of [session, chat, own]) await peer.subscribe(it);
    for (const it of [chat, own])
      assert.match(
        peer.chat(it).turns.at(-1)?.error?.message ?? '',
        /^Switchboard stopped while this turn was running/,
      );
    assert.deepEqual(questions(), []);
    const turn = await playAsPerson(peer, chat, { text: 'Continue.', model: 'fake' });
    assert.equal(textOf(turn), 'I continue without it.');
    assert.match(results().at(-1) ?? '', /^The call was interrupted\./);
    await peer.until(() => activityOf(peer.session(session).status) === status.Idle, 'the session is idle again');
  });

  it('that fail are reported to the agent, and leave no error on the session', async () => {
    await begin();
    const turn = await playAsPerson(peer, chat, { text: 'Delegate. replay failing', model: 'fake' });
    assert.equal(textOf(turn), 'I divide it.');
    assert.match(results().at(-1) ?? '', /^The sub-agent failed: The conversation does not fit into the context/);
    assert.equal(activityOf(subAgents()[0]!.status), status.Error);
    assert.equal(activityOf(peer.session(session).status), status.Idle);
  });

  it('only read while the session is in Plan mode', async () => {
    await begin({ mode: 'plan' });
    const turn = await playAsPerson(
      peer,
      chat,
      { text: 'Plan. replay planning', model: 'fake' },
      { answer: () => ({ plan: { kind: 'text', value: 'None' }, next: { kind: 'selected', value: 'plan' } }) },
    );
    assert.equal(turn.state, 'complete');
    const own = subAgents()[0]!.resource;
    await peer.subscribe(own);
    assert.deepEqual(callsOf(peer.chat(own).turns[0]!), []);
    assert.ok(
      place.model.heard.some((it) =>
        it.some(({ results: all }) => all.some((text) => text.startsWith('The tool "write" does not exist'))),
      ),
    );
  });

  it('run the hooks of the folder at their tool calls, and not at their messages, which no person wrote', async () => {
    const note = (word: string) => [{ hooks: [{ type: 'command', command: `echo ${word} >> seen.txt` }] }];
    const hooks = { UserPromptSubmit: note('message'), PostToolUse: note('tool'), Stop: note('end') };
    await begin({}, { '.claude/settings.json': JSON.stringify({ hooks }) });
    await playAsPerson(peer, chat, { text: 'Look. replay hooking', model: 'fake' });
    assert.deepEqual(readFileSync(join(workspace.path, 'seen.txt'), 'utf8').trim().split('\n'), [
      'message',
      'tool',
      'tool',
      'end',
    ]);
  });

  it('keep the permissions that were chosen for the session', async () => {
    await begin();
    await peer.act(session, {
      type: 'session/configChanged',
      config: { [PERMISSION_DIAL]: 'acceptEdits' },
    } as AnyAction);
    await start('Write. replay accepting');
    await peer.until(() => peer.chat(chat).turns.length === 1, 'the turn has ended without a question');
    assert.equal(peer.session(session).config?.values[PERMISSION_DIAL], 'acceptEdits');
  });
});
