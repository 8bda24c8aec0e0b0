import type { QuestionAnswers, QuestionSet } from '../../../agents/provider.ts';
import type { CheaperModel } from '../../../launch/gateway/modelCalls.ts';
import type { Spent } from '../../../protocol/channels/session/budgets.ts';
import type { Passed, Scope } from './quotas.ts';

/** What the question tells a person about the waiting call. */
export interface Waiting {
  readonly passed: Passed;
  readonly model: string;
  /** The most that the call can cost, in US dollars. */
  readonly dollars: number;
  /** A model for which the budgets have room. */
  readonly cheaper?: CheaperModel | undefined;
  /** What the session has spent so far. */
  readonly ofSession: Spent;
  /** The agent's display name. */
  readonly agent: string;
  /** The previous answer was not a higher limit. */
  readonly isUnclear: boolean;
}

const QUESTION = 'budget';
const CHEAPER = 'cheaper';
const STOP = 'stop';

/** Asks whether to raise a budget, as a single question that one click can answer. */
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
          ...(waiting.cheaper ? [continueWith(waiting.cheaper)] : []),
          { id: STOP, label: 'Stop', description: 'The call is not made, and the agent is told why.' },
        ],
        allowFreeformInput: true,
      },
    ],
  };
}

const continueWith = ({ model, dollars }: CheaperModel) => ({
  id: CHEAPER,
  label: `Continue with ${model}`,
  description: `The call can cost up to ${money(dollars)} there. Until the turn ends, a cheaper model also serves other calls that do not fit.`,
});

/** @returns the new limit; `cheaper`; `stop`; or `undefined` for text that is not a higher limit */
export function readAnswer(
  { response, values }: QuestionAnswers,
  { passed, cheaper }: Omit<Waiting, 'isUnclear'>,
): number | 'cheaper' | 'stop' | undefined {
  if (response !== 'accept') return 'stop';
  const given = String(values[QUESTION] ?? STOP).trim();
  if (given.toLowerCase() === STOP) return 'stop';
  if (given === CHEAPER && cheaper) return 'cheaper';
  const limit = Number(given.replace(/^\$\s*/, '').replace(',', '.'));
  const fits = passed.unit === 'calls' ? Number.isInteger(limit) : Number.isFinite(limit);
  return fits && limit > passed.limit && limit <= MOST ? limit : undefined;
}

/** The maximum in the schema of budgets. */
const MOST = 1_000_000;

/** Two limits to offer: about two and five times the budget, and enough for the waiting call. */
function steps({ passed, dollars }: Waiting): readonly [number, number] {
  const { limit, unit } = passed;
  const used = passed.spent + passed.reserved;
  if (unit === 'calls') return [Math.min(MOST, used + limit), Math.min(MOST, used + 5 * limit)];
  const least = Math.max(2 * limit, used + dollars);
  return [Math.min(MOST, upToCents(least)), Math.min(MOST, upToCents(Math.max(5 * limit, 2 * least)))];
}

/** Complete sentences, because parts of sentences cannot be translated. */
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

/** `$2.00`; two significant digits for amounts below a cent. */
export function money(dollars: number): string {
  return dollars === 0 || dollars >= 0.01 ? `$${dollars.toFixed(2)}` : `$${dollars.toPrecision(2)}`;
}

const upToCents = (dollars: number) => Math.ceil(dollars * 100 - 1e-6) / 100;
