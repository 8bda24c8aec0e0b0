import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { TurnEvent } from '../../../../../sidecar/agents/provider.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { entryOf } from '../../../../support/host/clientTools.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';

describe('an answer to a question about a tool call', () => {
  let place: HostPlace;
  let workspace: Workspace;
  afterEach(async () => {
    await place.close();
    workspace.remove();
  });

  for (const [command, offered, answered, saved] of [
    ['npm test', ['allow-once', 'allow-session', 'allow-workspace', 'allow-always'], 'allow-always', true],
    ['npm test && make all', ['allow-once', 'allow-session'], 'allow-always', false],
    ['rm -r out', ['allow-once'], 'allow-always', false],
    ['rm -r out', ['allow-once'], 'allow-session', false],
  ] as const) {
    it(`“${answered}” for ${command}, where ${offered.at(-1)} is the widest, saves ${saved ? 'its' : 'no'} rule`, async () => {
      workspace = openWorkspace();
      let runs = 0;
      const agent = scriptedProvider(async function* (turn, host): AsyncGenerator<TurnEvent> {
        const toolCallId = turn.turnId;
        yield { kind: 'toolStarted', toolCallId, toolName: 'shell', displayName: 'Shell' };
        const facts = { toolCallId, kind: 'shell', invocationMessage: `Run ${command}`, paths: [] } as const;
        const { allow } = await host.confirm({ ...facts, toolInput: command, command, cwd: workspace.path });
        if (allow) runs += 1;
        yield { kind: 'toolEnded', toolCallId, success: true, pastTenseMessage: 'Ran it', content: [] };
      });
      place = await openHostPlace([agent]);
      const peer = await place.connect('c1');
      const { session, chat } = await peer.newSession({ workingDirectories: [workspace.uri] });
      const ask = async () => {
        const turnId = await peer.prompt(chat, 'go');
        const entry = await entryOf(peer, session, 'toolConfirmation');
        const { toolCall } = entry as unknown as { toolCall: { toolCallId: string; options: { id: string }[] } };
        return { turnId, toolCallId: toolCall.toolCallId, options: toolCall.options.map((it) => it.id) };
      };
      const { turnId, toolCallId, options } = await ask();
      assert.deepEqual(
        options.filter((it) => it.startsWith('allow') && !it.includes(':')),
        offered,
      );
      const yes = { approved: true, confirmed: 'user-action', selectedOptionId: answered };
      await peer.act(chat, { type: 'chat/toolCallConfirmed', turnId, toolCallId, ...yes } as AnyAction);
      await peer.ended(chat, turnId);
      const { items } = await peer.request('x-switchboard/rules', {});
      assert.equal(items.length, saved ? 1 : 0);
      assert.equal(runs, 1);
      if (!saved) await ask(); // the same again is asked again, in this session too
    });
  }
});
