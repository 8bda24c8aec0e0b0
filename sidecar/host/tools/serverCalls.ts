import type { OfferedResult } from '../../agents/provider.ts';
import { toFault } from '../../platform/faults.ts';
import type { McpAuthRequirement, ToolCallState } from '../../protocol/channels/chat/toolCalls.ts';
import type { SessionServers } from '../mcp/sessionServers.ts';
import { ended, failed, type OfferedDeps, toResult, wordsFor } from './callSteps.ts';
import type { NamedTool } from './offeredTools.ts';

/** Calls the server with what was allowed, as often as a client pushes a token that it wanted; the same rights are asked for once. */
export async function runAtServer(
  deps: OfferedDeps,
  tool: NamedTool,
  toolCallId: string,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<OfferedResult> {
  const call = { turnId: deps.turnId, toolCallId };
  try {
    const servers = await deps.servers();
    const stepsUp = new Set<string>();
    for (;;) {
      const answer = await servers.call(deps.session, tool.name, input, signal);
      if (answer.kind === 'result') return end(deps, tool, toolCallId, answer.result);
      const { auth } = answer;
      if (auth.reason === 'insufficientScope') {
        const scopes = (auth.requiredScopes ?? []).join(' ');
        if (stepsUp.has(scopes)) return end(deps, tool, toolCallId, failed(stillTooLittle(tool, scopes)));
        stepsUp.add(scopes);
      }
      deps.writer.commit({ type: 'chat/toolCallAuthRequired', ...call, auth });
      const given = await tokenOrEnd(deps, servers, tool, toolCallId, auth, signal);
      if (given !== 'token') return toResult(given);
      deps.writer.commit({ type: 'chat/toolCallAuthResolved', ...call });
    }
  } catch (thrown) {
    signal.throwIfAborted();
    const { message: error } = toFault(thrown, deps.effects.report);
    return end(deps, tool, toolCallId, failed(error));
  }
}

/** Whichever comes first: a token, or a person who gives up. Rejects when the server stops. */
async function tokenOrEnd(
  deps: OfferedDeps,
  servers: Pick<SessionServers, 'tokenFor'>,
  { contributor }: NamedTool,
  toolCallId: string,
  auth: McpAuthRequirement,
  signal: AbortSignal,
): Promise<'token' | ToolCallState> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const id = contributor.kind === 'mcp' ? contributor.customizationId : '';
  const token = servers.tokenFor(deps.session, id, auth, either).then(() => 'token' as const);
  const gaveUp = ended(deps, toolCallId, either);
  try {
    return await Promise.race([token, gaveUp]);
  } finally {
    over.abort();
    await Promise.allSettled([token, gaveUp]);
  }
}

function stillTooLittle({ definition }: NamedTool, scopes: string): string {
  const { server } = definition._meta ?? {};
  const name = typeof server === 'string' ? server : 'The server';
  return `${name} rejected the call even with the token it requested${scopes === '' ? '' : ` (${scopes})`}.`;
}

async function end(
  { writer, keep }: OfferedDeps,
  tool: NamedTool,
  toolCallId: string,
  result: OfferedResult,
): Promise<OfferedResult> {
  const { success, error, structuredContent } = result;
  const pastTenseMessage = success ? `Used ${wordsFor(tool)}` : `Could not use ${wordsFor(tool)}`;
  const ended = {
    kind: 'toolEnded',
    toolCallId,
    success,
    pastTenseMessage,
    ...(error !== undefined && { error }),
  } as const;
  writer.toolEnded(ended, await keep(result.content), structuredContent);
  return result;
}
