import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { openPublicPlace, type PublicConnection, type PublicPlace } from '../support/host/publicPlace.ts';
import { openWorkspace, type Workspace } from '../support/host/workspace.ts';
import { openTcpLine, type TcpLine } from '../support/network/tcpLine.ts';
import { scriptedProvider } from '../support/scriptedProvider.ts';
import { verifies } from '../support/verifies.ts';
import { AgentsUi } from './driver/agentsUi.ts';
import { press } from './driver/press.ts';
import { pictureFailures } from './driver/steps.ts';
import { until } from './driver/until.ts';

const options = [
  { id: 'red', label: 'Red' },
  { id: 'blue', label: 'Blue' },
];

const command = 'echo a > b.txt && cat <b.txt | tee `date`.txt *_x_* [y](z)';

/** VS Code's own agents UI on our host, over the door of `switchboard serve`, with no extension of ours in it. */
describe("VS Code's own agents UI on our host", () => {
  let ui: AgentsUi;
  let place: PublicPlace;
  let line: TcpLine;
  let workspace: Workspace;
  let watcher: PublicConnection;
  let goOn = (): void => undefined;

  /** Does what its prompt says: `stream` in two halves, `run FILE`, `shell`, `remove FILE`, `ask`, `tool NAME`. */
  const agent = scriptedProvider(async function* ({ text, turnId }, host) {
    const [what, name = ''] = text.split(' ');
    if (what === 'stream') {
      const waits = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      yield { kind: 'text', partId: 'a', text: `The first half of ${name}, ` };
      await waits;
      yield { kind: 'text', partId: 'a', text: `and the second of ${name}.` };
    } else if (what === 'run') {
      const [toolCallId, path] = [`k-${turnId}`, join(workspace.path, name)];
      const facts = { toolCallId, kind: 'shell', invocationMessage: `Make ${name}`, paths: [path] } as const;
      yield { kind: 'toolStarted', toolCallId, toolName: 'shell', displayName: 'Run command' };
      const { allow } = await host.confirm({ ...facts, command: `make ${name}` });
      if (allow) writeFileSync(path, 'made\n');
      yield {
        kind: 'toolEnded',
        toolCallId,
        success: allow,
        pastTenseMessage: `Made ${name}`,
        content: [],
        paths: [path],
      };
      yield { kind: 'text', partId: 'a', text: `${name} was ${allow ? 'allowed' : 'denied'}.` };
    } else if (what === 'shell') {
      const facts = { toolCallId: `k-${turnId}`, kind: 'shell', invocationMessage: command, paths: [] } as const;
      await host.confirm({ ...facts, toolInput: command, command });
    } else if (what === 'remove') {
      const facts = { toolCallId: `k-${turnId}`, kind: 'delete', invocationMessage: 'Tidy up <b>' } as const;
      await host.confirm({ ...facts, paths: [join(workspace.path, name)] });
    } else if (what === 'ask') {
      const question = { id: 'colour', kind: 'single-select', message: 'Which colour?', options } as const;
      const answers = await host.ask({ id: `q-${turnId}`, questions: [question] });
      yield { kind: 'text', partId: 'a', text: `Heard: ${JSON.stringify(answers).replaceAll(/[^a-z]+/gi, ' ')}.` };
    } else if (what === 'tool') {
      const { content } = await host.tools.call(name, {});
      yield { kind: 'text', partId: 'a', text: `The editor said: ${JSON.stringify(content)}` };
    } else yield { kind: 'text', partId: 'a', text: `You said: ${text}` };
  });

  before(async () => {
    workspace = openWorkspace({ 'README.md': '# Sample\n' });
    place = await openPublicPlace([agent]);
    line = await openTcpLine(place.port);
    watcher = await place.connect();
    const { peer } = watcher;
    await peer.initialize('watcher');
    const session = 'scripted:/11111111-1111-4111-8111-111111111111';
    const workingDirectories = [workspace.uri];
    await peer.request('createSession', { channel: session, provider: 'scripted', workingDirectories });
    const { defaultChat: chat } = await peer.subscribe<{ defaultChat: string }>(session);
    await peer.subscribe(chat);
    const message = { text: 'An old question', origin: { kind: 'user' } };
    await peer.act(chat, { type: 'chat/turnStarted', turnId: 't0', startedAt: new Date().toISOString(), message });
    await peer.action(chat, 'chat/turnComplete');
    ui = await AgentsUi.open({ workspace: workspace.path, agentHost: { port: line.port, token: place.token } });
    await ui.command('Chat: Open Chat');
  });
  pictureFailures(() => ui);
  after(async () => {
    await ui?.close();
    line?.close();
    await place?.close();
    workspace?.remove();
  });

  it('offers our agents in its picker, makes a session with one, and shows its words as they come', async () => {
    await ui.openPicker('Local', 'Scripted');
    await ui.screenshot('picker');
    await ui.pick('Scripted', 'Local');
    await ui.send('stream one');
    await ui.sees('The first half of one');
    assert.equal(await ui.shows('the second of one'), false);
    await ui.screenshot('streaming');
    goOn();
    await ui.sees('the second of one');
    await ui.screenshot('streamed');
  });

  it('opens a session that was there before, with its history', async () => {
    await ui.openSession('An old question');
    await ui.sees('You said: An old question');
    await ui.screenshot('history');
  });

  it('asks before a tool runs, runs it when it was allowed, and shows what it changed', async () => {
    await ui.send('run one.txt');
    await ui.button(/^Allow once/i).waitFor();
    await ui.screenshot('approval');
    assert.equal(existsSync(join(workspace.path, 'one.txt')), false);
    await press(ui.button(/^Allow once/i));
    await ui.sees('one.txt was allowed.');
    await ui.sees(/1 file changed/);
    await ui.screenshot('allowed and changed');
    assert.equal(existsSync(join(workspace.path, 'one.txt')), true);
  });

  it('denies a tool', async () => {
    await ui.send('run two.txt');
    await press(ui.button('Deny'));
    await ui.sees('two.txt was denied.');
    await ui.screenshot('denied');
    assert.equal(existsSync(join(workspace.path, 'two.txt')), false);
  });

  it('shows the command of an approval literally, and the files of one without a preview', async () => {
    verifies('host.tools.shown-literally');
    await ui.send('shell now');
    await ui.button(/^Allow once/i).waitFor();
    await until('Run this command?', () => ui.shows('Run this command?'));
    await ui.seesCode(command);
    await ui.screenshot('command');
    await press(ui.button('Deny'));
    await ui.send('remove README.md');
    await until('Delete file?', () => ui.shows('Delete file?'));
    await ui.screenshot('files');
    await until('Tidy up <b>', () => ui.shows('Tidy up <b>'));
    await ui.seesCode(join(workspace.path, 'README.md'));
    await press(ui.button('Deny'));
  });

  it('answers a question', async () => {
    await ui.send('ask');
    await ui.sees('Which colour?');
    await ui.screenshot('question');
    await press(ui.chat.getByText('Blue', { exact: true }).first());
    await ui.sees(/Heard: .*blue/);
    await ui.screenshot('answered');
  });

  it('runs a tool of the editor for the agent', async () => {
    await ui.send('tool testFailure');
    await ui.sees(/The editor said: .*No test failures were found/);
    await ui.screenshot('tool of the editor');
  });

  it('stops a turn, and the tool that waited does not run though it is approved after that', async () => {
    await ui.send('run three.txt');
    await ui.button(/^Allow once/i).waitFor();
    await press(ui.button(/^(Cancel|Stop)/));
    await ui.button(/^Allow once/i).waitFor({ state: 'detached' });
    await until('the host heard of the end', () =>
      watcher.peer.heard.some(({ params }) => JSON.stringify(params ?? {}).includes('chat/turnCancelled')),
    );
    await ui.send('and after that');
    await ui.sees('You said: and after that');
    await ui.screenshot('stopped');
    assert.equal(existsSync(join(workspace.path, 'three.txt')), false);
    assert.equal(await ui.shows('three.txt was'), false);
  });

  it('is back after its connection was cut in a turn, and misses nothing of it', async () => {
    await ui.send('stream two');
    await ui.sees('The first half of two');
    line.cut();
    goOn();
    await ui.sees('the second of two');
    await ui.send('hello again');
    await ui.sees('You said: hello again');
    await ui.screenshot('reconnected');
  });
});
