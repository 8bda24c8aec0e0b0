import { createServer } from 'node:net';
import type { TurnEvent, TurnHost, TurnRequest } from '../../../sidecar/agents/provider.ts';
import { openHost } from '../../../sidecar/host/host.ts';
import { Fault } from '../../../sidecar/platform/faults.ts';
import { keepHeapTight } from '../../../sidecar/platform/heap.ts';
import { openLog } from '../../../sidecar/platform/logger.ts';
import { systemRuntime } from '../../../sidecar/platform/runtime.ts';
import { scriptedProvider } from '../scriptedProvider.ts';

/** A host in a process of its own, at a socket without any first line. Its agent does what the prompt's words say. */
keepHeapTight();
const [dataDir, socket] = process.argv.slice(2) as [string, string];

async function* play({ text }: TurnRequest, host: TurnHost): AsyncIterable<TurnEvent> {
  const words = text.split(' ').slice(0, 20);
  for (const [n, word] of words.entries()) {
    yield { kind: 'text', partId: 'a', text: `<${n}>` };
    if (word === 'pause') await new Promise((resolve) => void setTimeout(resolve, 1));
    if (word === 'fail') throw new Fault('unavailable', 'the agent is gone');
    if (word === 'ask') {
      const facts = {
        toolCallId: `k${n}`,
        kind: 'shell',
        invocationMessage: 'Make',
        command: 'make',
        paths: [],
      } as const;
      yield { kind: 'toolStarted', toolCallId: `k${n}`, toolName: 'shell', displayName: 'Run' };
      await host.confirm({ ...facts, toolInput: 'make' });
      yield { kind: 'toolEnded', toolCallId: `k${n}`, success: true, pastTenseMessage: 'Made', content: [] };
    }
    if (word === 'question') {
      const questions = [{ id: 'q', kind: 'boolean', message: 'Really?' }] as const;
      await host.ask({ id: `r${n}`, questions });
    }
  }
}

const build = { version: '0.1.0', builtAtMs: 1 };
const host = await openHost({
  dataDir,
  build,
  runtime: systemRuntime(openLog({ level: 'error' })),
  onStopRequested: () => undefined,
  providers: () => [{ ...scriptedProvider(play), capabilities: { multipleChats: { fork: true, sideChat: true } } }],
});
const server = createServer((stream) => {
  stream.on('error', () => stream.destroy());
  host.attach(stream, { build });
});
server.listen(socket, () => process.stdout.write('listening\n'));
process.on('SIGTERM', () => {
  server.close();
  void host.close().then(() => process.exit(0));
});
