import type { ToolDecision, ToolFacts } from '../../../agents/provider.ts';
import type { TurnWriter } from '../../tools/turnWriter.ts';
import type { SessionNotes } from './connections.ts';

export interface AskToConnectDeps {
  readonly newId: () => string;
  readonly writer: Pick<TurnWriter, 'toolStarted' | 'toolEnded' | 'notice'>;
  readonly agent: {
    readonly displayName: string;
    /** Hosts to which it connects by itself, although its work does not require them. */
    readonly needless: readonly string[];
  };
  /** Whether no rule allows the connection. */
  readonly needsQuestion: (facts: ToolFacts) => Promise<boolean>;
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

/**
 * Decides whether a program in the sandbox can connect to a host. The turn shows the decision as a tool call, or names all
 * hosts once that are denied without asking.
 */
export async function askToConnect(
  { newId, writer, agent, needsQuestion, confirm }: AskToConnectDeps,
  host: string,
  address: string,
  notes: SessionNotes,
): Promise<ToolDecision> {
  const { displayName, needless } = agent;
  const toolCallId = newId();
  const facts = connectionFacts(toolCallId, host, address);
  const wasMissed = notes.missed.delete(address);
  if (needless.includes(host) && (await needsQuestion(facts))) {
    if (!notes.isTold) writer.notice(deniedWithoutAsking(displayName, needless));
    notes.isTold = true;
    return { allow: false, reason: `${host} is denied because the work of the agent does not require it.` };
  }
  const introduce = () =>
    writer.toolStarted({
      kind: 'toolStarted',
      toolCallId,
      toolName: TOOL,
      displayName: 'Sandbox',
      ...(wasMissed && {
        intention: `${displayName} or a program that it started tried this while no turn was running, and it was denied.`,
      }),
    });
  const decision = await confirm(facts, { name: TOOL, introduce });
  const past = wasMissed ? `Allowed connections to ${host}` : `Connected to ${host}`;
  writer.toolEnded({ kind: 'toolEnded', toolCallId, success: true, pastTenseMessage: past }, []);
  return decision;
}

const deniedWithoutAsking = (displayName: string, hosts: readonly string[]): string =>
  `${displayName} connects to these hosts for telemetry, updates, or services that this session does not use. The sandbox denies them without asking: ${hosts.join(', ')}. To allow one, add a rule for it.`;
