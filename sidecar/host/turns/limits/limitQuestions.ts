import type { QuestionAnswers, QuestionSet } from '../../../agents/provider.ts';
import { MOST_AT_ONCE } from '../../../protocol/channels/session/budgets.ts';

const QUESTION = 'limit';
const STOP = 'stop';
const WAIT = 'wait';

/** What a person is told about a sub-agent that waits. */
export interface WaitingSubAgent {
  /** The agent's display name. */
  readonly agent: string;
  /** Sub-agents of the turn so far. */
  readonly count: number;
  readonly limit: number;
}

export function subAgentQuestion(
  id: string,
  { agent, count, limit }: WaitingSubAgent,
  isUnclear: boolean,
): QuestionSet {
  const raises = steps(count, limit).map((to) => ({ id: String(to), label: `Raise to ${to} sub-agents` }));
  const [least, ...more] = raises;
  return {
    id,
    message: isUnclear ? UNCLEAR : 'Allow more sub-agents?',
    questions: [
      {
        id: QUESTION,
        kind: 'single-select',
        message: `Sub-agents that ${agent} has started in this turn: ${count}. Limit: ${limit}. The next sub-agent waits.`,
        required: true,
        options: [
          ...(least ? [{ ...least, recommended: true, description: 'The new limit applies to this session.' }] : []),
          ...more,
          { id: STOP, label: 'Stop', description: 'The sub-agent is not allowed, and the agent is told why.' },
        ],
        allowFreeformInput: true,
      },
    ],
  };
}

/** What a person is told about a session whose turn waits. */
export interface WaitingSession {
  readonly isFolder: boolean;
  /** Sessions that are running a turn. */
  readonly count: number;
  readonly limit: number;
}

export function sessionQuestion(
  id: string,
  { isFolder, count, limit }: WaitingSession,
  isUnclear: boolean,
): QuestionSet {
  const raises = steps(count, limit).map((to) => ({ id: String(to), label: `Raise to ${to} sessions` }));
  return {
    id,
    message: isUnclear ? UNCLEAR : 'Wait for another session to end its turn?',
    questions: [
      {
        id: QUESTION,
        kind: 'single-select',
        message: isFolder
          ? `Running sessions in this folder: ${count}. Limit: ${limit}. This session starts when one of them ends its turn.`
          : `Running sessions: ${count}. Limit: ${limit}. This session starts when one of them ends its turn.`,
        required: true,
        options: [
          { id: WAIT, label: 'Wait', description: 'You are not asked again.', recommended: true },
          ...raises,
          { id: STOP, label: 'Stop', description: 'The turn ends before the agent gets the message.' },
        ],
        allowFreeformInput: true,
      },
    ],
  };
}

/**
 * @param skipped the answer of a person who skips the question
 * @returns the new limit; `wait`; `stop`; or `undefined` for text that is not a higher limit
 */
export function readLimit(
  { response, values }: QuestionAnswers,
  limit: number,
  skipped: 'wait' | 'stop',
): number | 'wait' | 'stop' | undefined {
  if (response !== 'accept') return STOP;
  const given = String(values[QUESTION] ?? skipped)
    .trim()
    .toLowerCase();
  if (given === STOP || given === WAIT) return given;
  const to = Number(given);
  return Number.isInteger(to) && to > limit && to <= MOST_AT_ONCE ? to : undefined;
}

const UNCLEAR = 'Enter a whole number that is greater than the limit and at most 1,000.';

/** At most two limits to offer. Each allows at least one more. */
function steps(count: number, limit: number): readonly number[] {
  const least = Math.max(count, limit) + 1;
  const offered = [least, Math.min(MOST_AT_ONCE, Math.max(2 * limit, least + 1))];
  return [...new Set(offered)].filter((it) => it >= least && it <= MOST_AT_ONCE);
}
