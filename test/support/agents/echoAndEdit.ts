import { join } from 'node:path';
import type {
  AgentProvider,
  AgentSession,
  SessionContext,
  TurnEvent,
  TurnHost,
} from '../../../sidecar/agents/provider.ts';

/** The smallest agent: it says what it is told, and writes a file for `write PATH TEXT`. It runs no command. */
export const echoAndEdit: AgentProvider = {
  id: 'echo-and-edit',
  displayName: 'Echo',
  description: 'Repeats, and writes files.',
  needsFolder: true,
  open: async (context) => sessionIn(context),
};

const sessionIn = (context: SessionContext): AgentSession => ({
  options: { models: [], properties: [], commands: [] },
  run: ({ turnId, text }, host, signal) => play(context, { turnId, text }, host, signal),
  onOptions: () => () => {},
  onGone: () => () => {},
  close: async () => {},
});

async function* play(
  { folders, files }: SessionContext,
  { turnId, text }: { readonly turnId: string; readonly text: string },
  host: TurnHost,
  signal: AbortSignal,
): AsyncIterable<TurnEvent> {
  if (signal.aborted) return;
  const [, name, content] = /^write (\S+) (.+)$/s.exec(text) ?? [];
  if (name === undefined || content === undefined) {
    yield { kind: 'text', partId: turnId, text };
    return;
  }
  const toolCallId = `${turnId} write`;
  const path = join(folders[0] ?? '', name);
  const facts = { toolCallId, kind: 'edit', invocationMessage: `Write ${name}`, paths: [path] } as const;
  yield { kind: 'toolStarted', toolCallId, toolName: 'write', displayName: 'Write a file' };
  const decision = await host.confirm(facts);
  if (!decision.allow) {
    yield { kind: 'toolEnded', toolCallId, success: false, pastTenseMessage: `Did not write ${name}`, content: [] };
    yield { kind: 'text', partId: turnId, text: decision.reason ?? 'denied' };
    return;
  }
  await files.writeText(path, content);
  yield { kind: 'toolEnded', toolCallId, success: true, pastTenseMessage: `Wrote ${name}`, content: [] };
}
