import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { a2aProvider } from '../../sidecar/agents/a2a/provider.ts';
import { acpProvider } from '../../sidecar/agents/acp/provider.ts';
import { coderProvider } from '../../sidecar/agents/coder/provider.ts';
import { runbookProvider } from '../../sidecar/agents/runbook/provider.ts';
import { openChildren } from '../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import { fakeAgent } from '../integration/peers/acp/fakeAgent.ts';
import { registration, startA2aGateway } from '../support/a2a/gateway.ts';
import { agentPath, startSdkAgent } from '../support/a2a/sdkAgent.ts';
import { virtualKey } from '../support/a2a/sdkClient.ts';
import { echoAndEdit } from '../support/agents/echoAndEdit.ts';
import { startModel } from '../support/model/server.ts';
import { noChildren } from '../support/playTurn.ts';
import { agentProviderContract } from './agentProvider.ts';

async function place() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'switchboard-provider-')));
  const children = openChildren(join(folder, 'data', 'children.json'), () => '2026-01-01T00:00:00Z');
  return {
    folder,
    children,
    dispose: async () => {
      await children.stopAll();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

agentProviderContract('runbook', async () => {
  const here = await place();
  const withShell = (command: string) => `Look:\n\n\`\`\`sh\n${command}\n\`\`\`\n`;
  return {
    ...here,
    provider: runbookProvider({ timers: systemTimers, children: here.children }),
    plain: { prompt: '# Hello\n\nA word.\n\n```sh\ntrue\n```\n', answer: '# Hello\n\nA word.\n\n' },
    tool: { kind: 'shell', prompt: withShell('echo to"day"'), command: 'echo to"day"', printed: 'today' },
    long: { prompt: withShell('echo begun; sleep 60') },
  };
});

for (const dialect of ['chat', 'responses', 'messages'] as const) {
  agentProviderContract(`the built-in agent with a model that speaks ${dialect}`, async () => {
    const here = await place();
    const model = await startModel();
    const offered = async () => ({ url: model.url, key: 'key', models: [{ name: 'fake-model', dialects: [dialect] }] });
    return {
      ...here,
      provider: coderProvider({ children: noChildren, timers: systemTimers, newId: () => 'conversation' }, []),
      context: { models: { choice: 'auto', offered } },
      plain: { prompt: 'say A word.', answer: 'A word.' },
      tool: {
        kind: 'edit',
        prompt: 'write new/notes.txt "remember"',
        path: join(here.folder, 'new/notes.txt'),
        content: 'remember',
      },
      dispose: async () => {
        await model.close();
        await here.dispose();
      },
    };
  });
}

agentProviderContract('an agent that only echoes and edits', async () => {
  const here = await place();
  return {
    ...here,
    provider: echoAndEdit,
    plain: { prompt: 'a word', answer: 'a word' },
    tool: {
      kind: 'edit',
      prompt: 'write new/notes.txt remember',
      path: join(here.folder, 'new/notes.txt'),
      content: 'remember',
    },
  };
});

for (const [name, flags] of [
  ['acp, an agent that continues after a rejection', []],
  ['acp, an agent that ends its turn after a rejection', ['--rejected=end']],
  ['acp, an agent that cancels its turn after a rejection', ['--rejected=cancel']],
  ['acp, an agent that can be steered', ['--steer']],
  ['acp, an agent that prints to standard output', ['--garbage']],
  ['acp, an agent that reports a running tool before it asks', ['--early']],
  ['acp, an agent that reports a running tool while it asks', ['--hasty']],
  ['acp, an agent that asks about a tool call it never announced', ['--unannounced']],
] as const) {
  agentProviderContract(name, async () => {
    const here = await place();
    return {
      ...here,
      provider: acpProvider(fakeAgent([...flags]), { timers: systemTimers, children: here.children }),
      plain: { prompt: 'say hello to you', answer: 'hello to you' },
      tool: { kind: 'shell', prompt: 'run echo to"day"', command: 'echo to"day"', printed: 'today' },
      long: { prompt: 'run echo begun; sleep 60' },
    };
  });
}

for (const [era, isWithoutStreams] of [
  ['0.3', false],
  ['1.0', false],
  ['1.0', true],
] as const) {
  const how = isWithoutStreams ? 'that does not stream' : 'that streams';
  const name = `a2a, an SDK agent of A2A ${era} ${how}, through the gateway`;
  const make = async () => {
    const here = await place();
    const agent = await startSdkAgent(era, { isWithoutStreams });
    const gateway = await startA2aGateway([{ agent: registration(), url: `${agent.url}${agentPath}` }]);
    const remote = async () => ({ url: gateway.base, key: virtualKey, session: 'session-under-test' });
    return {
      ...here,
      provider: a2aProvider({ id: 'weather', name: 'Weather', description: '' }, { timers: systemTimers }),
      context: { remote },
      plain: { prompt: 'what is the weather?', answer: 'sun' },
      long: { prompt: 'slow' },
      dispose: async () => {
        agent.executor.go();
        await gateway.close();
        await agent.close();
        await here.dispose();
      },
    };
  };
  agentProviderContract(name, make, 'elsewhere');
}
