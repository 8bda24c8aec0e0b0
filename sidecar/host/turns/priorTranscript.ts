import type { Attachment } from '../../agents/provider.ts';
import { transcriptOf } from '../../protocol/transcript.ts';
import type { AgentRuntime } from '../agents/agentRuntimes.ts';
import { finishedTurns } from '../context/chatSources.ts';
import type { EffectDeps } from '../context/effectDeps.ts';

/**
 * What an agent that begins anew has to be sent in a chat that does not begin with nothing: once, with the first message
 * that it gets. An agent that goes on with its own conversation knows.
 */
export async function priorTranscript(deps: EffectDeps, runtime: AgentRuntime): Promise<Attachment | undefined> {
  const state = deps.store.state('chat', runtime.chat);
  const kind = state?.origin?.kind;
  if (!runtime.isNew || runtime.isEarlierReported || (kind !== 'fork' && kind !== 'sideChat')) return undefined;
  runtime.isEarlierReported = true;
  const { uri } = (state?._meta?.['context'] ?? {}) as { uri?: string };
  const beside = uri === undefined ? [] : [Buffer.from(await deps.changes.readContent(uri)).toString('utf8')];
  const own = finishedTurns(deps, runtime.chat);
  const text = [...beside, ...(own.length > 0 ? [transcriptOf(own)] : [])].join('\n\n');
  return { kind: 'text', label: 'Earlier conversation', text };
}
