import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ToolDecision } from '../../../sidecar/agents/provider.ts';
import { Fault } from '../../../sidecar/platform/faults.ts';
import { checkOrder, type Names, play } from '../../support/host/exchange.ts';
import { openPublicPlace, type PublicConnection, type PublicPlace } from '../../support/host/publicPlace.ts';
import { openWorkspace, type Workspace } from '../../support/host/workspace.ts';
import { scriptedProvider } from '../../support/scriptedProvider.ts';

/** What VS Code's own agents UI offers, in its order. */
const offered = ['0.9.0', '0.7.0', '0.6.0', '0.5.2', '0.5.1'];
const options = [
  { id: 'red', label: 'Red' },
  { id: 'blue', label: 'Blue' },
];
const shell = { toolCallId: 'k1', kind: 'shell', invocationMessage: 'Run make', command: 'make', paths: [] } as const;

describe("what VS Code's own agents UI was heard to say to a host", () => {
  let place: PublicPlace;
  let workspace: Workspace;
  let decisions: ToolDecision[];
  let said: unknown[];

  const agent = scriptedProvider(async function* ({ text }, host) {
    yield { kind: 'text', partId: 'm1', text: `You said: ${text}` };
    if (text === 'please use tool') {
      yield { kind: 'toolStarted', toolCallId: 'k1', toolName: 'shell', displayName: 'Run command' };
      decisions.push(await host.confirm({ ...shell }));
      yield { kind: 'toolEnded', toolCallId: 'k1', success: true, pastTenseMessage: 'Ran make', content: [] };
    }
    if (text === 'question time') {
      const question = { id: 'col', kind: 'single-select', message: 'Which colour?', options } as const;
      said.push(await host.ask({ id: 'q1', questions: [question] }));
    }
    if (text === 'run a task') said.push(await host.tools.call('runTask', { task: 'build' }));
    if (text === 'break') throw new Fault('unavailable', 'the agent broke');
  });

  beforeEach(async () => {
    decisions = [];
    said = [];
    workspace = openWorkspace({ 'a.txt': 'a\n' });
    place = await openPublicPlace([agent]);
  });
  afterEach(async () => {
    await place.close();
    workspace.remove();
  });

  const namesFor = (version: string): Names =>
    new Map<string, unknown>([
      ['version', version],
      ['offered', offered.slice(offered.indexOf(version))],
      ['client', 'editor-window'],
      ['folder', workspace.uri],
      ['draft', 'scripted:/11111111-1111-4111-8111-111111111111'],
      ['session', 'scripted:/22222222-2222-4222-8222-222222222222'],
    ]);
  /** A window that said hello and played a first turn in a new chat. */
  async function open(version: string): Promise<PublicConnection & { names: Names }> {
    const connection = await place.connect();
    const names = namesFor(version);
    await play('hello', connection.peer, names);
    await connection.peer.find((it) => JSON.stringify(it).includes('"provider":"scripted"'));
    await play('newChat', connection.peer, names);
    return { ...connection, names };
  }

  for (const version of offered) {
    describe(`in ${version}`, () => {
      it('gets the state of a new chat before the echo of the turn that starts with it, and all of the turn', async () => {
        const { peer } = await open(version);
        checkOrder(peer.heard);
        assert.ok(!JSON.stringify(peer.heard).includes('"host-'), 'a name of ours went out');
      });

      it('runs a tool that is allowed, and no other that was allowed after its turn was stopped', async () => {
        const { peer, names } = await open(version);
        await play('permission', peer, names);
        await play('stop', peer, names);
        assert.deepEqual(decisions, [{ allow: true }]);
        checkOrder(peer.heard);
      });

      it('brings answers and results of tools to the agent, and says that a turn failed', async () => {
        const { peer, names } = await open(version);
        await play('question', peer, names);
        await play('clientTool', peer, names);
        await play('failure', peer, names);
        assert.match(JSON.stringify(said), /"blue".*There is no such task/);
        checkOrder(peer.heard);
      });

      it('gets what it missed when it is back, and all anew where nobody knows it', async () => {
        const { peer, names, socket, closed } = await open(version);
        names.set('seen', Math.max(...peer.heard.map((it) => it.params?.serverSeq ?? 0)));
        socket.terminate();
        await closed;
        await play('back', (await place.connect()).peer, names);
        names.set('client', 'another-window');
        await play('stranger', (await place.connect()).peer, names);
      });
    });
  }
});
