import type { ToolDecision } from '../../../agents/provider.ts';
import { deniedByNow, type JudgeDeps, needsQuestion } from '../confirmTool.ts';
import type { QuestionsDeps } from '../questions.ts';
import { type AskToConnectDeps, askToConnect, connectionFacts, TOOL } from './askToConnect.ts';
import type { SessionNotes } from './connections.ts';

export interface ConnectDeps {
  readonly turn: Pick<QuestionsDeps, 'effects' | 'runtime' | 'writer'>;
  readonly judging: JudgeDeps & Parameters<typeof needsQuestion>[0];
  readonly confirm: AskToConnectDeps['confirm'];
  /** By address: what was decided about connections in this turn. */
  readonly decided: Map<string, Promise<ToolDecision>>;
}

/**
 * A program of the session connects to a host. A program may do so many times: what was decided holds for the turn, until a
 * rule denies it.
 */
export async function connectInTurn(
  { turn, judging, confirm, decided }: ConnectDeps,
  host: string,
  address: string,
  notes: SessionNotes,
): Promise<ToolDecision> {
  const { effects, runtime, writer } = turn;
  const { newId } = effects;
  const { needless = [] } = runtime.agent;
  const agent = { displayName: runtime.provider.displayName, needless };
  const deps = {
    newId,
    writer,
    agent,
    needsQuestion: async (it: Parameters<typeof needsQuestion>[1]) => needsQuestion(judging, it),
    confirm,
  };
  const before = decided.get(address);
  const known = before ?? askToConnect(deps, host, address, notes);
  decided.set(address, known);
  const decision = await known;
  if (!before || !decision.allow) return decision;
  const reason = deniedByNow(judging, connectionFacts(newId(), host, address), TOOL);
  return reason === undefined ? decision : { allow: false, reason };
}
