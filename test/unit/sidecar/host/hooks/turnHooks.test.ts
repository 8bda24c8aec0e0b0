import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { acpProvider } from '../../../../../sidecar/agents/acp/provider.ts';
import type { AgentProvider, ToolDecision, TurnEvent, TurnRequest } from '../../../../../sidecar/agents/provider.ts';
import { runbookProvider } from '../../../../../sidecar/agents/runbook/provider.ts';
import { type Children, openChildren } from '../../../../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import type { WindowInfo } from '../../../../../sidecar/protocol/window.ts';
import { approve, entryOf, offer, onlyCall } from '../../../../support/host/clientTools.ts';
import { hear, heard, notices, SETTINGS, settings } from '../../../../support/host/hooks.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { toggle } from '../../../../support/host/mcpSession.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { until } from '../../../../support/until.ts';

describe('hooks of a session', () => {
  let place: HostPlace;
  let workspace: Workspace;
  let children: Children;
  const requests: TurnRequest[] = [];
  const decisions: ToolDecision[] = [];
  beforeEach(() => {
    requests.length = 0;
    decisions.length = 0;
    workspace = openWorkspace();
    children = openChildren(join(workspace.path, 'children.json'), () => '2026-01-01T00:00:00Z');
  });
  afterEach(async () => {
    await place.close();
    await children.stopAll();
    workspace.remove();
  });

  /** An agent that wants to run the text of its message in a shell, and does not. */
  const requester = () =>
    scriptedProvider(async function* (turn, host): AsyncGenerator<TurnEvent> {
      requests.push(turn);
      const call = { toolCallId: turn.turnId, toolName: 'shell', displayName: 'Shell' };
      yield { kind: 'toolStarted', ...call };
      const command = turn.text;
      const facts = { toolCallId: turn.turnId, kind: 'shell', invocationMessage: `Run ${command}`, paths: [] } as const;
      const decision = await host.confirm({ ...facts, toolInput: command, command, cwd: workspace.path });
      decisions.push(decision);
      if (!decision.allow) return;
      const content = [{ kind: 'text', text: 'the output' }] as const;
      const ended = { toolCallId: turn.turnId, success: true, pastTenseMessage: 'Ran it', content };
      yield { kind: 'toolEnded', ...ended };
    });
  const talker = () =>
    scriptedProvider(async function* (turn): AsyncGenerator<TurnEvent> {
      requests.push(turn);
      yield { kind: 'text', partId: 'a', text: 'done' };
    });
  async function open(files: Record<string, string>, agent: AgentProvider, window: Partial<WindowInfo> = {}) {
    workspace.write(files);
    place = await openHostPlace([agent]);
    const peer = await place.connect('c1', { env: { PATH: process.env['PATH'] ?? '' }, ...window });
    return { peer, ...(await peer.newSession({ workingDirectories: [workspace.uri] })) };
  }
  const allow = (pattern: string) =>
    [{ id: 'r', effect: 'allow', target: 'shell', pattern, source: 'user' }] as WindowInfo['rules'];

  it('that deny a tool before it runs end the call as denied, with their reason for person and agent', async () => {
    const files = { [SETTINGS]: settings({ PreToolUse: 'echo "not on Fridays" >&2; exit 2' }) };
    workspace.write(files);
    place = await openHostPlace([runbookProvider({ timers: systemTimers, children })]);
    const peer = await place.connect('c1', { rules: allow('touch *') });
    const { chat } = await peer.newSession({ workingDirectories: [workspace.uri] });
    const turnId = await peer.prompt(chat, '```sh\ntouch made\n```\n');
    const { responseParts } = await peer.ended(chat, turnId);
    const call = onlyCall(peer, chat);
    const reason = `The hook PreToolUse in ${SETTINGS} denied this tool call: not on Fridays`;
    assert.equal(call.status, 'completed');
    assert.deepEqual(call.status === 'completed' && [call.success, call.error?.message], [false, reason]);
    assert.equal(existsSync(join(workspace.path, 'made')), false);
    assert.match(JSON.stringify(responseParts), /not on Fridays/);
  });

  it('are told on their standard input what happens, in its order', async () => {
    const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'];
    const { peer, session, chat } = await open(
      { [SETTINGS]: settings(Object.fromEntries(events.map((it) => [it, hear]))) },
      requester(),
    );
    const turnId = await peer.prompt(chat, 'ls');
    await approve(peer, session, chat, turnId);
    await peer.ended(chat, turnId);
    const told = heard(workspace).map(({ timestamp: _at, ...it }) => it);
    const common = { session_id: session, cwd: workspace.path };
    const tool = { tool_name: 'Bash', tool_input: { input: 'ls', command: 'ls' }, tool_use_id: turnId };
    assert.deepEqual(told, [
      { ...common, hook_event_name: 'SessionStart', source: 'startup' },
      { ...common, hook_event_name: 'UserPromptSubmit', prompt: 'ls' },
      { ...common, hook_event_name: 'PreToolUse', ...tool },
      { ...common, hook_event_name: 'PostToolUse', ...tool, tool_response: { success: true, output: 'the output' } },
      { ...common, hook_event_name: 'Stop', stop_hook_active: false },
    ]);
    const again = await peer.prompt(chat, 'ls');
    await approve(peer, session, chat, again);
    await peer.ended(chat, again);
    const starts = heard(workspace).filter((it) => it['hook_event_name'] === 'SessionStart');
    assert.equal(starts.length, 1, 'a conversation begins once');
  });

  it('of .github/hooks and of plugins are told in their own words', async () => {
    const { peer, session, chat } = await open(
      {
        '.github/hooks/a.json': JSON.stringify({
          version: 1,
          hooks: { preToolUse: [{ type: 'command', bash: hear }] },
        }),
        '.claude/plugins/mine/hooks/hooks.json': settings({ SessionStart: 'echo "$CLAUDE_PLUGIN_ROOT"' }),
      },
      requester(),
    );
    const turnId = await peer.prompt(chat, 'ls');
    await approve(peer, session, chat, turnId);
    await peer.ended(chat, turnId);
    const [{ timestamp, ...told } = {}] = heard(workspace);
    assert.equal(typeof timestamp, 'number');
    const toolArgs = JSON.stringify({ input: 'ls', command: 'ls' });
    assert.deepEqual(told, { sessionId: session, cwd: workspace.path, toolName: 'bash', toolArgs });
    assert.deepEqual(requests[0]?.attachments, [
      {
        kind: 'text',
        label: 'SessionStart in .claude/plugins/mine/hooks/hooks.json',
        text: join(workspace.path, '.claude/plugins/mine'),
      },
    ]);
  });

  it('may add what the agent is to know, or refuse a message', async () => {
    const script = 'if grep -q secret; then echo "no secrets" >&2; exit 2; fi; echo "It is Friday."';
    const { peer, chat } = await open({ [SETTINGS]: settings({ UserPromptSubmit: script }) }, talker());
    await peer.ended(chat, await peer.prompt(chat, 'hello'));
    const label = `UserPromptSubmit in ${SETTINGS}`;
    assert.deepEqual(requests[0]?.attachments, [{ kind: 'text', label, text: 'It is Friday.' }]);
    const turnId = await peer.prompt(chat, 'my secret');
    const { error } = await peer.ended(chat, turnId);
    assert.equal(error?.message, `The hook ${label} rejected this message: no secrets`);
    assert.equal(requests.length, 1, 'the agent never saw it');
  });

  it('get whatever a message holds as it is, and no shell reads it', async () => {
    const evil = '$(touch made) `touch made`; touch made "\' && touch made';
    const { peer, chat } = await open({ [SETTINGS]: settings({ UserPromptSubmit: hear }) }, talker());
    await peer.ended(chat, await peer.prompt(chat, evil));
    assert.equal(heard(workspace)[0]?.['prompt'], evil);
    assert.equal(existsSync(join(workspace.path, 'made')), false);
  });

  it('with arguments are started without a shell', async () => {
    const script = 'require("fs").writeFileSync("args", JSON.stringify(process.argv.slice(1)))';
    const args = ['-e', script, '$(touch made)', `$\{CLAUDE_PROJECT_DIR}/x y`];
    const { peer, chat } = await open(
      { [SETTINGS]: settings({ SessionStart: { type: 'command', command: process.execPath, args } }) },
      talker(),
    );
    await peer.ended(chat, await peer.prompt(chat, 'hello'));
    const written = await import('node:fs/promises').then((it) => it.readFile(join(workspace.path, 'args'), 'utf8'));
    assert.deepEqual(JSON.parse(written), ['$(touch made)', `${workspace.path}/x y`]);
    assert.equal(existsSync(join(workspace.path, 'made')), false);
  });

  it('that allow a tool allow no more than the rules of the person do', async () => {
    const yes = `echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`;
    const { peer, session, chat } = await open({ [SETTINGS]: settings({ PreToolUse: yes }) }, requester());
    const turnId = await peer.prompt(chat, 'ls');
    await entryOf(peer, session, 'toolConfirmation');
    await approve(peer, session, chat, turnId);
    await peer.ended(chat, turnId);
    assert.deepEqual(decisions, [{ allow: true }]);
  });

  it('are not asked about what a rule denies', async () => {
    const rules = [{ id: 'r', effect: 'deny', target: 'shell', pattern: 'ls', source: 'user' }] as WindowInfo['rules'];
    const { peer, chat } = await open({ [SETTINGS]: settings({ PreToolUse: hear }) }, requester(), { rules });
    await peer.ended(chat, await peer.prompt(chat, 'ls'));
    assert.deepEqual(heard(workspace), []);
    assert.deepEqual(decisions, [{ allow: false, reason: 'A rule denies this: shell ls' }]);
  });

  it('may have a person decide what a rule would allow', async () => {
    const ask = `echo '{"permissionDecision":"ask","permissionDecisionReason":"look at it"}'`;
    const { peer, session, chat } = await open({ [SETTINGS]: settings({ PreToolUse: ask }) }, requester(), {
      rules: allow('ls'),
    });
    const turnId = await peer.prompt(chat, 'ls');
    await entryOf(peer, session, 'toolConfirmation');
    assert.deepEqual(notices(peer, chat), [`Message from the hook \`PreToolUse in ${SETTINGS}\`: \`look at it\``]);
    await approve(peer, session, chat, turnId);
    await peer.ended(chat, turnId);
  });

  for (const [says, hook, why] of [
    ['fail', 'echo broken >&2; exit 1', 'exit code 1: broken'],
    ['cannot be read', `echo '{"permissionDecision":"perhaps"}'`, 'its output cannot be read: permissionDecision'],
    ['write too much', 'head -c 100000 /dev/zero', 'it wrote more than 64 KB of output'],
    ['take too long', { type: 'command', command: 'sleep 600', timeout: 0.2 }, 'it did not finish within 0.2 seconds'],
    ['are not there', { type: 'command', command: 'no-such-program', args: [] }, 'exit code 127'],
  ] as const) {
    it(`that ${says} are told in the chat, and a person decides`, async () => {
      const { peer, session, chat } = await open({ [SETTINGS]: settings({ PreToolUse: hook }) }, requester(), {
        rules: allow('ls'),
      });
      const turnId = await peer.prompt(chat, 'ls');
      await entryOf(peer, session, 'toolConfirmation');
      const [notice = '', ...others] = notices(peer, chat);
      assert.ok(notice.startsWith(`A hook failed. \`PreToolUse in ${SETTINGS}: `), notice);
      assert.ok(notice.includes(why), notice);
      assert.deepEqual(others, []);
      await approve(peer, session, chat, turnId);
      await peer.ended(chat, turnId);
    });
  }

  it('in a file that cannot be read are told once in a conversation', async () => {
    const { peer, chat } = await open({ [SETTINGS]: '{ "hooks": { "Stop": 1, }' }, talker());
    await peer.ended(chat, await peer.prompt(chat, 'hello'));
    const [notice = '', ...others] = notices(peer, chat);
    assert.match(
      notice,
      /^Hooks in `\.claude\/settings\.json:1` have errors and did not run\. `line 1, column \d+: [^`]+`$/,
    );
    assert.deepEqual(others, []);
    await peer.ended(chat, await peer.prompt(chat, 'hello'));
    assert.deepEqual(notices(peer, chat), []);
  });

  it('end with the turn that is stopped, with whatever they started', async () => {
    const { peer, chat } = await open(
      { [SETTINGS]: settings({ UserPromptSubmit: 'sleep 600 & sleep 600' }) },
      talker(),
    );
    const turnId = await peer.prompt(chat, 'hello');
    const hooks = async () => {
      const { items } = await peer.request('x-switchboard/processes', {});
      return items.filter((it) => it.title.startsWith('UserPromptSubmit'));
    };
    await until('the hook runs', async () => (await hooks()).length === 1);
    await peer.act(chat, { type: 'chat/turnCancelled', turnId, duration: 1 } as AnyAction);
    await until('the hook has ended', async () => (await hooks()).length === 0);
    assert.deepEqual(requests, []);
  });

  it('do not run in a window that does not trust the folder', async () => {
    const { peer, chat } = await open(
      { [SETTINGS]: settings({ SessionStart: hear, UserPromptSubmit: hear }) },
      talker(),
      {
        trusted: false,
      },
    );
    await assert.rejects(peer.prompt(chat, 'hello'), { message: 'Trust this folder to run agents.' });
    assert.deepEqual(heard(workspace), []);
  });

  it('do not run any more once the window takes its trust back', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const waiter = scriptedProvider(async function* (): AsyncGenerator<TurnEvent> {
      yield { kind: 'text', partId: 'a', text: 'waiting' };
      await released;
    });
    const { peer, chat } = await open({ [SETTINGS]: settings({ UserPromptSubmit: hear, Stop: hear }) }, waiter);
    const turnId = await peer.prompt(chat, 'one');
    await until('the hook ran', async () => heard(workspace).length === 1);
    const again = await place.connect('c1', { trusted: false });
    await again.subscribe(chat);
    release();
    await again.ended(chat, turnId);
    assert.deepEqual(
      heard(workspace).map((it) => it['hook_event_name']),
      ['UserPromptSubmit'],
    );
  });

  for (const [says, isIt] of [
    ['an event', (type: string) => type === 'hook'],
    ['a directory', (type: string) => type === 'directory'],
  ] as const) {
    it(`do not run once a person turned ${says} of them off, also after the host was started anew`, async () => {
      const { peer, session, chat } = await open({ [SETTINGS]: settings({ UserPromptSubmit: hear }) }, talker());
      const find = () =>
        (peer.session(session).customizations ?? [])
          .filter((it) => 'children' in it && it.children?.some((child) => child.name === 'UserPromptSubmit'))
          .flatMap((it) => [it, ...('children' in it ? (it.children ?? []) : [])])
          .find((it) => isIt(it.type));
      await peer.until(() => find() !== undefined);
      await peer.act(session, toggle(find()!.id, false));
      await peer.ended(chat, await peer.prompt(chat, 'one'));
      await place.restart();
      const next = await place.connect('c2');
      await next.subscribe(chat);
      await next.ended(chat, await next.prompt(chat, 'two'));
      assert.deepEqual(heard(workspace), []);
      assert.equal(requests.length, 2);
    });
  }

  it('do not run for agents that run hooks themselves', async () => {
    const { peer, chat } = await open(
      { [SETTINGS]: settings({ UserPromptSubmit: hear }) },
      {
        ...talker(),
        runsHooks: true,
      },
    );
    await peer.ended(chat, await peer.prompt(chat, 'hello'));
    assert.deepEqual(heard(workspace), []);
    const runs = (command: string, ...args: string[]) =>
      acpProvider({ id: 'a', displayName: 'A', command, args, env: [] }, { timers: systemTimers, children })
        .runsHooks === true;
    assert.deepEqual(
      [
        runs('claude-agent-acp'),
        runs('/usr/local/bin/claude-agent-acp'),
        runs('npx', '-y', '@zed-industries/claude-code-acp@0.5.0'),
        runs('copilot', '--acp'),
        runs('opencode', 'acp'),
        runs('gemini', '--acp'),
      ],
      [true, true, true, true, false, false],
    );
  });

  it('may send an agent on when it wants to end, three times at most', async () => {
    const { peer, chat } = await open({ [SETTINGS]: settings({ Stop: 'echo "run the tests" >&2; exit 2' }) }, talker());
    const attachments = [{ type: 'simple', label: 'notes', modelRepresentation: 'what I know' }];
    const message = { text: 'hello', origin: { kind: 'user' }, attachments };
    await peer.act(chat, {
      type: 'chat/turnStarted',
      turnId: 't',
      startedAt: new Date().toISOString(),
      message,
    } as unknown as AnyAction);
    await peer.ended(chat, 't');
    assert.deepEqual(
      requests.map((it) => [it.text, it.attachments.length]),
      [
        ['hello', 1],
        ['run the tests', 0],
        ['run the tests', 0],
        ['run the tests', 0],
      ],
    );
    assert.deepEqual(notices(peer, chat), [
      `A hook failed. \`Stop in ${SETTINGS}: it continued the turn 3 times, which is the limit. Last reason: run the tests\``,
    ]);
  });

  it('that deny what an agent runs without asking end the agent', async () => {
    let isClosed = false;
    const hasty = scriptedProvider(
      async function* (turn): AsyncGenerator<TurnEvent> {
        yield { kind: 'toolStarted', toolCallId: 't', toolName: 'read', displayName: 'Read' };
        const facts = { toolCallId: 't', kind: 'read', invocationMessage: 'Read .env', paths: ['/x/.env'] } as const;
        yield { kind: 'toolRunning', facts };
        requests.push(turn);
      },
      { close: async () => void (isClosed = true) },
    );
    const entry = { matcher: 'Read', hooks: [{ type: 'command', command: 'exit 2' }] };
    const { peer, chat } = await open({ [SETTINGS]: JSON.stringify({ hooks: { PreToolUse: [entry] } }) }, hasty);
    const { error } = await peer.ended(chat, await peer.prompt(chat, 'hello'));
    assert.equal(
      error?.message,
      `The hook PreToolUse in ${SETTINGS} denied this tool call: No reason was given. Scripted ran the tool without asking, so it was stopped.`,
    );
    assert.equal(isClosed, true);
    assert.deepEqual(requests, [], 'it got no further');
  });

  it('hear of the tools of clients, by the names that matchers use', async () => {
    const caller = scriptedProvider(async function* (_turn, host): AsyncGenerator<TurnEvent> {
      const result = await host.tools.call('look', { n: 1 });
      yield { kind: 'text', partId: 'a', text: result.error ?? 'done' };
    });
    const entry = (matcher: string) => ({ matcher, hooks: [{ type: 'command', command: 'echo no >&2; exit 2' }] });
    const { peer, session, chat } = await open(
      { [SETTINGS]: JSON.stringify({ hooks: { PreToolUse: [entry('Bash|client:other'), entry('client:.*')] } }) },
      caller,
    );
    await offer(peer, session, [{ name: 'look', inputSchema: { type: 'object' } }]);
    const { responseParts } = await peer.ended(chat, await peer.prompt(chat, 'hello'));
    assert.match(JSON.stringify(responseParts.at(-1)), /denied this tool call: no/);
  });
});
