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

/** The name of the tool call, for rules about tools. */
export const TOOL = 'network';

/** A connection as rules for tool calls judge it. */
export const connectionFacts = (toolCallId: string, host: string, address: string): ToolFacts => ({
  toolCallId,
  kind: 'fetch',
  invocationMessage: `Connect to ${host}`,
  toolInput: JSON.stringify({ url: address }),
  paths: [],
});

/** Decides whether a program in the sandbox can connect to a host. The turn shows the decision as a tool call. */
export async function askToConnect(
  { newId, writer, confirm }: AskToConnectDeps,
  host: string,
  address: string,
): Promise<ToolDecision> {
  const toolCallId = newId();
  const facts = connectionFacts(toolCallId, host, address);
  const introduce = () =>
    writer.toolStarted({ kind: 'toolStarted', toolCallId, toolName: TOOL, displayName: 'Sandbox' });
  const decision = await confirm(facts, { name: TOOL, introduce });
  writer.toolEnded({ kind: 'toolEnded', toolCallId, success: true, pastTenseMessage: `Connected to ${host}` }, []);
  return decision;
}
