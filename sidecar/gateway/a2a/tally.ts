import { isRecord } from '../../platform/isRecord.ts';
import type { A2aPrices } from './a2aDeps.ts';

/** What a call used, as far as it is known. */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** US dollars, where the answer states them. */
  readonly response_cost?: number;
}

const charactersPerToken = 4;

/** Counts the usage of one call from its answers: what the agent reports last, else an estimate from the texts. */
export class Tally {
  readonly #promptLength: number;
  #updatesLength = 0;
  #shown = 0;
  #reported: { readonly prompt: number; readonly completion: number } | undefined;
  #responseCost: number | undefined;

  /** @param params of the request */
  constructor(params: unknown) {
    this.#promptLength = isRecord(params) ? messageLength(params['message']) : 0;
  }

  /** @param result of one JSON-RPC answer, or of one event of a stream */
  see(result: unknown): void {
    if (!isRecord(result)) return;
    const places = [result, ...kinds.map((it) => result[it])].filter(isRecord);
    for (const place of places) this.#read(place, place['kind'] === 'task' || place === result['task']);
  }

  get usage(): Usage {
    const completion = Math.max(this.#updatesLength, this.#shown);
    return {
      prompt_tokens: this.#reported?.prompt ?? Math.ceil(this.#promptLength / charactersPerToken),
      completion_tokens: this.#reported?.completion ?? Math.ceil(completion / charactersPerToken),
      ...(this.#responseCost !== undefined && { response_cost: this.#responseCost }),
    };
  }

  #read(place: Record<string, unknown>, isTask: boolean): void {
    const status = isRecord(place['status']) ? (place['status']['message'] ?? place['status']['update']) : undefined;
    for (const it of [place, place['metadata'], isRecord(status) ? status['metadata'] : undefined].filter(isRecord)) {
      this.#reported = reportedUsage(it['usage']) ?? this.#reported;
      this.#responseCost = amount(it['response_cost']) ?? this.#responseCost;
    }
    const artifacts: unknown = isTask ? place['artifacts'] : [place['artifact']];
    const length =
      messageLength(place) +
      messageLength(status) +
      (Array.isArray(artifacts) ? artifacts.reduce<number>((sum, it) => sum + messageLength(it), 0) : 0);
    // A task repeats the texts of its updates.
    if (isTask) this.#shown = length;
    else this.#updatesLength += length;
  }
}

/**
 * The price of a call: what the answer says, else the price of a query, else that of the tokens, else nothing.
 * @returns US dollars
 */
export function costOf(prices: A2aPrices | null | undefined, usage: Usage): number {
  const fixed = usage.response_cost ?? prices?.cost_per_query;
  if (typeof fixed === 'number') return fixed;
  return (
    usage.prompt_tokens * (prices?.input_cost_per_token ?? 0) +
    usage.completion_tokens * (prices?.output_cost_per_token ?? 0)
  );
}

const kinds = ['task', 'message', 'msg', 'statusUpdate', 'artifactUpdate'] as const;

/** Of the texts of a message or an artifact, in either style. */
function messageLength(holder: unknown): number {
  if (!isRecord(holder)) return 0;
  // A2A 0.3 names them `content` over HTTP+JSON. An agent could read either.
  const lists = [holder['parts'], holder['content']].filter((it) => Array.isArray(it));
  return lists.flat().reduce<number>((sum, part) => {
    const text: unknown = isRecord(part) ? part['text'] : undefined;
    return typeof text === 'string' ? sum + text.length : sum;
  }, 0);
}

function reportedUsage(usage: unknown): { readonly prompt: number; readonly completion: number } | undefined {
  if (!isRecord(usage)) return undefined;
  const prompt = amount(usage['prompt_tokens'] ?? usage['input_tokens']);
  const completion = amount(usage['completion_tokens'] ?? usage['output_tokens']);
  if (prompt === undefined && completion === undefined) return undefined;
  return { prompt: Math.round(prompt ?? 0), completion: Math.round(completion ?? 0) };
}

/** An agent that reports less than nothing, or without end, reports nothing. */
const amount = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= 1e12 ? value : undefined;
