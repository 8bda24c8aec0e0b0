import type { QuestionAnswers, QuestionSet } from '../../../agents/provider.ts';
import type { CheaperModel } from '../../../launch/gateway/modelCalls.ts';
import type { Spent } from '../../../protocol/channels/session/budgets.ts';
import type { Passed, Scope } from './quotas.ts';

/** What a person is told of the call that waits. */
export interface Waiting {
  readonly passed: Passed;
  readonly model: string;
  /** US dollars that it can cost at most. */
  readonly dollars: number;
  /** One for which the budgets have room. */
  readonly cheaper?: CheaperModel | undefined;
  /** Of the session so far. */
  readonly ofSession: Spent;
  /** What the agent is called. */
  readonly agent: string;
  /** What was answered before was no greater limit. */
  readonly isUnclear: boolean;
}

const QUESTION = 'budget';
const CHEAPER = 'cheaper';
const STOP = 'stop';

/** Asks whether a budget is raised. One question, so that one click answers it. */
export function toQuestion(id: string, waiting: Waiting): QuestionSet {
  const { reserved, unit } = waiting.passed;
  const [least, more] = steps(waiting);
  const raiseTo = (limit: number) => ({
    id: String(limit),
    label: unit === 'calls' ? `Raise to ${limit} calls` : `Raise to ${money(limit)}`,
  });
  const running = { description: `Set aside for calls that are running: ${money(reserved)}.` };
  return {
    id,
    message: waiting.isUnclear ? 'Enter a number that is greater than the budget.' : 'Raise the budget?',
    questions: [
      {
        id: QUESTION,
        kind: 'single-select',
        message: spentWords(waiting),
        required: true,
        options: [
          { ...raiseTo(least), recommended: true, ...(unit === 'dollars' && reserved > 0 && running) },
          raiseTo(more),
          ...(waiting.cheaper ? [goOnWith(waiting.cheaper)] : []),
          { id: STOP, label: 'Stop', description: 'The call is not made, and the agent is told why.' },
        ],
        allowFreeformInput: true,
      },
    ],
  };
}

const goOnWith = ({ model, dollars }: CheaperModel) => ({
  id: CHEAPER,
  label: `Go on with ${model}`,
  description: `The call can cost up to ${money(dollars)} there. Until the turn ends, a cheaper model also serves other calls that do not fit.`,
});

/** @returns the new limit; `cheaper`; `stop`; or `undefined` for text that is no greater limit */
export function readAnswer(
  { response, values }: QuestionAnswers,
  { passed, cheaper }: Waiting,
): number | 'cheaper' | 'stop' | undefined {
  if (response !== 'accept') return 'stop';
  const given = String(values[QUESTION] ?? STOP).trim();
  if (given.toLowerCase() === STOP) return 'stop';
  if (given === CHEAPER && cheaper) return 'cheaper';
  const limit = Number(given.replace(/^\$\s*/, '').replace(',', '.'));
  const fits = passed.unit === 'calls' ? Number.isInteger(limit) : Number.isFinite(limit);
  return fits && limit > passed.limit && limit <= MOST ? limit : undefined;
}

/** As the schema of budgets has it. */
const MOST = 1_000_000;

/** The same again, and five times as much; at least what the call can cost. */
function steps({ passed, dollars }: Waiting): readonly [number, number] {
  const { limit, unit } = passed;
  const used = passed.spent + passed.reserved;
  if (unit === 'calls') return [Math.min(MOST, used + limit), Math.min(MOST, used + 5 * limit)];
  const least = Math.max(2 * limit, used + dollars);
  return [Math.min(MOST, upToCents(least)), Math.min(MOST, upToCents(Math.max(5 * limit, 2 * least)))];
}

/** Each a text of its own: what is not whole cannot be translated. */
function spentWords({ passed, ofSession, agent, model, dollars }: Waiting): string {
  const { unit, quota, limit, spent, reserved } = passed;
  if (unit === 'calls')
    return `${agent} has made ${spent + reserved} of ${limit} calls in this session's budget. The next call to ${model} would exceed it.`;
  const [cost, max, own, next] = [money(spent), money(limit), money(ofSession.dollars), money(dollars)];
  const words: Record<Scope, () => string> = {
    session: () =>
      `${agent} has spent ${cost} of this session's budget of ${max} (calls: ${ofSession.calls}). The next call to ${model} can cost up to ${next}.`,
    day: () =>
      `All sessions have spent ${cost} of today's budget of ${max}, this session ${own} in total. The next call to ${model} can cost up to ${next}.`,
    folder: () =>
      `All sessions in this folder have spent ${cost} of their budget of ${max}, this session ${own}. The next call to ${model} can cost up to ${next}.`,
    all: () =>
      `All sessions have spent ${cost} of their budget of ${max}, this session ${own}. The next call to ${model} can cost up to ${next}.`,
  };
  return words[quota.scope]();
}

/** `$2.00`; of less than a cent as much as says something. */
export function money(dollars: number): string {
  return dollars === 0 || dollars >= 0.01 ? `$${dollars.toFixed(2)}` : `$${dollars.toPrecision(2)}`;
}

const upToCents = (dollars: number) => Math.ceil(dollars * 100 - 1e-6) / 100;
