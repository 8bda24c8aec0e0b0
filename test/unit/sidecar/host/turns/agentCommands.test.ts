import assert from 'node:assert/strict';
import { existsSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ToolCallState, ToolResultContent } from '../../../../../sidecar/protocol/channels/chat/toolCalls.ts';
import type { RootState } from '../../../../../sidecar/protocol/channels/root/schema.ts';
import { PERMISSION_DIAL } from '../../../../../sidecar/protocol/channels/session/permissionDial.ts';
import type { TerminalAction } from '../../../../../sidecar/protocol/channels/terminal/schema.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import type { PermissionRule } from '../../../../../sidecar/protocol/window.ts';
import { TerminalAgent } from '../../../../support/agents/terminalAgent.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../../../../support/host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { verifies } from '../../../../support/verifies.ts';

const rule = (effect: PermissionRule['effect'], pattern: string): PermissionRule => ({
  id: pattern,
  effect,
  target: 'shell',
  pattern,
  source: 'user',
});
type TerminalContent = Extract<ToolResultContent, { type: 'terminal' }>;

describe('a command that an agent runs in a terminal of the host', () => {
  let place: HostPlace;
  let peer: HostPeer;
  let workspace: Workspace;
  let agent: TerminalAgent;
  let session: string;
  let chat: string;
  /** What each attempt of the agent came to. */
  let outcomes: string[];
  beforeEach(() => {
    [workspace, agent, outcomes] = [openWorkspace({ 'sub/a.txt': 'a\n' }), new TerminalAgent(), []];
  });
  afterEach(async () => {
    await place.close();
    workspace.remove();
  });

  const env = { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), MY_API_KEY: 'top-secret-value' };
  const windowWith = (rules: readonly PermissionRule[]) => ({ env, rules: [...rules] });
  async function open(rules: readonly PermissionRule[] = []) {
    place = await openHostPlace([agent.provider]);
    peer = await place.connect('c1', windowWith(rules));
    ({ session, chat } = await peer.newSession({ workingDirectories: [workspace.uri] }));
  }
  const attempt = (work: Promise<string>) =>
    work.then(
      (output) => void outcomes.push(output),
      (thrown: unknown) => void outcomes.push(`refused: ${(thrown as Error).message}`),
    );
  async function turn(work: () => Promise<unknown>): Promise<string> {
    agent.does(work);
    return peer.prompt(chat, 'go');
  }
  const asked = () =>
    (peer.session(session).inputNeeded ?? []).flatMap((it) => (it.kind === 'toolConfirmation' ? [it] : []));
  /** Waits for the one question, and answers it. */
  async function answer(approved: boolean, more: object = {}) {
    await peer.until(() => asked().length === 1, 'a person is asked');
    const [{ turnId, toolCall }] = asked() as [ReturnType<typeof asked>[number]];
    const how = approved ? { confirmed: 'user-action' } : { reason: 'denied' };
    const about = { type: 'chat/toolCallConfirmed', turnId, toolCallId: toolCall.toolCallId, approved };
    await peer.act(chat, { ...about, ...how, ...more } as AnyAction);
    await peer.until(() => !asked().some((it) => it.toolCall.toolCallId === toolCall.toolCallId), 'it is answered');
    return toolCall;
  }
  const callsIn = (parts: readonly { kind: string }[]) =>
    parts.flatMap((it) => (it.kind === 'toolCall' ? [(it as unknown as { toolCall: ToolCallState }).toolCall] : []));
  const contentOf = (call: ToolCallState | undefined) =>
    call && 'content' in call ? (call.content ?? []).filter((it): it is TerminalContent => it.type === 'terminal') : [];
  const running = () => callsIn(peer.chat(chat).activeTurn?.responseParts ?? []);
  const terminals = () => (peer.states.get(ROOT) as RootState).terminals ?? [];
  const allowed = [rule('allow', 'echo *'), rule('allow', 'sleep *'), rule('allow', 'printf *')];

  for (const approved of [true, false])
    it(`waits at Ask for a person who sees the whole command, and ${approved ? 'runs' : 'does not run'} then`, async () => {
      verifies('host.dial.commands', 'host.dial.ask');
      await open();
      const turnId = await turn(() => attempt(agent.run('echo', { args: ["it's", 'me > out'] })));
      await peer.until(() => asked().length === 1, 'a person is asked');
      assert.equal(terminals().length, 0, 'nothing runs yet');
      const call = await answer(approved);
      assert.equal(call.status === 'pending-confirmation' && call.toolInput, String.raw`echo 'it'\''s' 'me > out'`);
      const [only, ...more] = callsIn((await peer.ended(chat, turnId)).responseParts);
      assert.deepEqual(outcomes, [approved ? "it's me > out\n" : 'refused: The user denied running this command.']);
      assert.deepEqual([only?.status, more.length], [approved ? 'completed' : 'cancelled', 0]);
      assert.equal(existsSync(join(workspace.path, 'out')), false);
    });

  it('is not asked about again, once, under a call that was allowed to run it, but another command is', async () => {
    verifies('host.dial.commands');
    await open();
    const turnId = await turn(async () => {
      await agent.permission('c', 'echo one');
      await attempt(agent.run('echo one'));
      await attempt(agent.run('echo one'));
      await attempt(agent.run('echo two'));
      agent.call('c', { status: 'completed' });
    });
    await answer(true);
    await answer(false);
    await answer(false);
    await peer.ended(chat, turnId);
    assert.deepEqual(outcomes, ['one\n', ...Array(2).fill('refused: The user denied running this command.')]);
  });

  it('is asked about under the call that its agent announced, even if the call does not state its command', async () => {
    verifies('host.dial.commands');
    await open();
    const turnId = await turn(async () => {
      const call = { toolCallId: 'c', title: 'Check', kind: 'execute', status: 'in_progress' };
      agent.memory.update({ sessionUpdate: 'tool_call', ...call });
      await attempt(agent.run('echo hidden'));
      agent.call('c', { status: 'completed' });
    });
    const call = await answer(true);
    assert.deepEqual([call.toolCallId, 'toolInput' in call && call.toolInput], ['c', 'echo hidden']);
    const [only, ...more] = callsIn((await peer.ended(chat, turnId)).responseParts);
    assert.deepEqual([only?.status, contentOf(only)[0]?.result?.preview, more.length], ['completed', 'hidden\n', 0]);
  });

  it('runs as a person changed it', async () => {
    await open();
    const turnId = await turn(() => attempt(agent.run('echo agent')));
    await answer(true, { editedToolInput: 'echo person' });
    await peer.ended(chat, turnId);
    assert.deepEqual(outcomes, ['person\n']);
  });

  for (const { how, rules = [], at = 'ask', trusted = true, outcome } of [
    { how: 'a rule allows it', rules: [rule('allow', 'echo *')], outcome: /^done\n$/ },
    { how: 'a rule denies it', rules: [rule('deny', 'echo *')], outcome: /^refused: A rule denies this/ },
    { how: 'the session is read only', rules: allowed, at: 'readOnly', outcome: /^refused: .*read-only/ },
    { how: 'the window is trusted no more', rules: allowed, trusted: false, outcome: /^refused: .*not trusted/ },
  ])
    it(`is decided at once where ${how}`, async () => {
      verifies('host.dial.commands', 'host.dial.read-only');
      await open(rules);
      await peer.act(session, { type: 'session/configChanged', config: { [PERMISSION_DIAL]: at } } as AnyAction);
      const turnId = await turn(async () => {
        const window = { ...testWindow, ...windowWith(rules), trusted };
        peer.peer.sendNotification('x-switchboard/windowChanged', { channel: ROOT, window });
        await peer.request('ping', { channel: ROOT }); // it was read then
        await attempt(agent.run('echo done'));
      });
      await peer.ended(chat, turnId);
      assert.match(outcomes.join(), outcome);
    });

  for (const { what, command, more, because } of [
    { what: 'that works elsewhere', command: 'echo x', more: { cwd: realpathSync(tmpdir()) }, because: 'outside' },
    { what: 'whose variables change what runs', command: 'echo x', more: { env: [{ name: 'PATH', value: '/x' }] } },
  ])
    it(`is asked about, whatever a rule allows, ${what}`, async () => {
      verifies('host.dial.commands');
      await open([rule('allow', 'echo *')]);
      const turnId = await turn(() => attempt(agent.run(command, more)));
      const call = await answer(false);
      if (because) assert.equal(call._meta?.['because'], because);
      else assert.equal(call._meta?.['command'], 'export PATH=/x\necho x');
      await peer.ended(chat, turnId);
      assert.match(outcomes[0]!, /^refused/);
    });

  it('gets its folder and plain variables, and no keys of the window', async () => {
    await open();
    const more = { cwd: join(workspace.path, 'sub'), env: [{ name: 'CLAUDECODE', value: '1' }] };
    const turnId = await turn(async () => {
      await attempt(agent.run('echo "$CLAUDECODE [$MY_API_KEY]" *', more));
      await attempt(agent.run('echo x', { cwd: join(workspace.path, 'none') }));
      await attempt(agent.run('echo x', { cwd: 'sub' }));
    });
    await answer(true); // words that the shell makes up are judged by no rule
    await peer.ended(chat, turnId);
    assert.deepEqual(outcomes, [
      '1 [] a.txt\n',
      'refused: cwd: folder not found',
      'refused: cwd: must be an absolute path',
    ]);
  });

  it('keeps the end of its output in whole characters, and how it ended', async () => {
    await open(allowed);
    let seen: unknown;
    const turnId = await turn(async () => {
      const terminalId = await agent.create("printf '\\033[31maé日本\\033[0m'", { outputByteLimit: 7 });
      const exit = await agent.ask('terminal/wait_for_exit', { terminalId });
      seen = [exit, await agent.ask('terminal/output', { terminalId })];
      await agent.ask('terminal/release', { terminalId });
      await attempt(agent.ask('terminal/output', { terminalId }).then(String));
    });
    await answer(true);
    await peer.ended(chat, turnId);
    const exit = { exitCode: 0, signal: null };
    assert.deepEqual(seen, [exit, { output: '日本', truncated: true, exitStatus: exit }]);
    assert.match(outcomes[0]!, /^refused: terminalId: the terminal does not exist or was released/);
  });

  it('is one call with its terminal, even if its agent reports the call later, and keeps its output and how it ended', async () => {
    await open(allowed);
    const turnId = await turn(async () => {
      const terminalId = await agent.create('sleep 0.01 && echo shown && false');
      agent.call('late', { title: 'Listen', kind: 'execute', content: [{ type: 'terminal', terminalId }] });
      await agent.ask('terminal/wait_for_exit', { terminalId });
      await agent.ask('terminal/release', { terminalId });
      agent.call('late', { status: 'failed' });
    });
    await answer(true);
    await peer.until(() => contentOf(running()[0])[0] !== undefined, 'the call shows its terminal');
    const [call] = running();
    const [shown] = contentOf(call);
    assert.deepEqual([shown?.title, shown?.isPty], ['sleep 0.01 && echo shown && false', true]);
    const [only, ...more] = callsIn((await peer.ended(chat, turnId)).responseParts);
    assert.equal(more.length, 0);
    assert.deepEqual(contentOf(only)[0]?.result, { exitCode: 1, preview: 'shown\n', truncated: false });
    assert.equal(only?.status === 'completed' && only.error?.message, 'The command exited with code 1.');
    assert.equal(terminals().length, 0, 'its terminal went with it');
  });

  it('continues in the background when a person wants that, and its agent continues without it', async () => {
    await open(allowed);
    let waited: unknown;
    const turnId = await turn(async () => {
      const terminalId = await agent.create('sleep 300');
      waited = await agent.ask('terminal/wait_for_exit', { terminalId });
      await attempt(agent.ask('terminal/kill', { terminalId }).then(String));
      await agent.ask('terminal/release', { terminalId });
    });
    await peer.until(() => terminals().length === 1, 'it runs');
    const [{ resource, claim }] = terminals() as [ReturnType<typeof terminals>[number]];
    const [call] = running();
    assert.deepEqual(claim, { kind: 'session', session, turnId, toolCallId: call?.toolCallId });
    await peer.subscribe(resource);
    const moved = { type: 'terminal/claimed', claim: { kind: 'session', session } } as TerminalAction;
    assert.equal((await peer.act(resource, moved)).rejectionReason, undefined);
    const [ended] = callsIn((await peer.ended(chat, turnId)).responseParts);
    assert.deepEqual(waited, { exitCode: null, signal: null });
    assert.match(outcomes[0]!, /^refused: The user moved this command to the background/);
    assert.deepEqual([ended?.status, contentOf(ended)[0]?.result], ['completed', undefined]);
    assert.deepEqual(terminals()[0]?.claim, { kind: 'session', session });
    assert.equal(terminals()[0]?.exitCode, undefined, 'it runs on after its turn');
    await peer.request('disposeSession', { channel: session });
    await peer.until(() => terminals().length === 0, 'it ended with its session');
  });

  for (const how of ['is cancelled', 'is over'])
    it(`ends with its turn, when that ${how}`, async () => {
      await open(allowed);
      let terminalId = '';
      const turnId = await turn(async () => {
        terminalId = await agent.create('sleep 300');
        if (how === 'is cancelled') await agent.ask('terminal/wait_for_exit', { terminalId });
      });
      if (how === 'is cancelled') {
        await peer.until(() => terminals().length === 1, 'it runs');
        await peer.act(chat, { type: 'chat/turnCancelled', turnId, duration: 1 } as AnyAction);
      }
      const [call] = callsIn((await peer.ended(chat, turnId)).responseParts);
      await peer.until(() => terminals().length === 0, 'its terminal is gone');
      assert.equal(call?.status, how === 'is cancelled' ? 'cancelled' : 'completed');
      if (call?.status === 'completed') assert.equal(call.error?.message, 'The command was ended.');
    });

  it('is ended by its agent with the signal that ended it', async () => {
    await open(allowed);
    let seen: unknown;
    const turnId = await turn(async () => {
      const terminalId = await agent.create('sleep 300');
      await agent.ask('terminal/kill', { terminalId });
      seen = await agent.ask('terminal/wait_for_exit', { terminalId });
    });
    await peer.ended(chat, turnId);
    assert.match(JSON.stringify(seen), /^{"exitCode":null,"signal":"SIG/);
  });
});
