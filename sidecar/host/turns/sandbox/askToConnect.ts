import type { ToolDecision, ToolFacts } from '../../../agents/provider.ts';
import type { TurnWriter } from '../../tools/turnWriter.ts';

export interface AskToConnectDeps {
  readonly newId: () => string;
  readonly writer: Pick<TurnWriter, 'toolStarted' | 'toolEnded'>;
  /** Decides by the rules for tool calls, and can ask the user. */
  readonly confirm: (
    facts: ToolFacts,
    own: { readonly name: string; readonly introduce: () => void },
  ) => Promise<ToolDecision>;
}

/** Decides whether a program in the sandbox can connect to a host. The turn shows the decision as a tool call. */
export async function askToConnect(
  { newId, writer, confirm }: AskToConnectDeps,
  host: string,
  address: string,
): Promise<ToolDecision> {
  const toolCallId = newId();
  const facts: ToolFacts = {
    toolCallId,
    kind: 'fetch',
    invocationMessage: `Connect to ${host}`,
    toolInput: JSON.stringify({ url: address }),
    paths: [],
  };
  const introduce = () =>
    writer.toolStarted({ kind: 'toolStarted', toolCallId, toolName: 'network', displayName: 'Sandbox' });
  const decision = await confirm(facts, { name: 'network', introduce });
  writer.toolEnded({ kind: 'toolEnded', toolCallId, success: true, pastTenseMessage: `Connected to ${host}` }, []);
  return decision;
}
