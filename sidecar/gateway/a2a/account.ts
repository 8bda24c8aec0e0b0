import type { A2aPrices, A2aRecord } from './a2aDeps.ts';
import type { BindingName } from './bindings.ts';
import { costOf, type Tally } from './tally.ts';

export type Outcome =
  | { readonly status: 'success' }
  | {
      readonly status: 'failure';
      readonly error: string;
      /** The code of a fault, the number of an error of the protocol, or a word for how the agent failed. */
      readonly error_code: string;
      /** The caller left: what it had by then it pays for, or leaving early would be the way not to. */
      readonly isCharged?: boolean;
    };

/** The agent itself answered with an error. @param code of JSON-RPC, or of HTTP where the error is none of A2A's */
export const agentError = (code: number, binding: BindingName): Outcome => ({
  status: 'failure',
  error: `${binding === 'JSONRPC' ? 'JSON-RPC' : binding} error ${code}`,
  error_code: `${code}`,
});

/** Ends a call exactly once, in whichever of its ends comes first: record, reservation and session get the same cost. */
export class Account {
  readonly #record: A2aRecord;
  readonly #settlers: ((spend: number, tokens: number) => void)[] = [];
  #priced: { readonly prices: A2aPrices; readonly tally: Tally } | undefined;
  #isOpen = true;

  constructor(record: A2aRecord) {
    this.#record = record;
  }

  get content(): A2aRecord['content'] {
    return this.#record.content;
  }

  note(fields: Parameters<A2aRecord['note']>[0]): void {
    this.#record.note(fields);
  }

  /** From now on the call costs. Calls that send the agent no message never do. */
  price(prices: A2aPrices, tally: Tally): void {
    this.#priced = { prices, tally };
  }

  /** Something was reserved for this call, and gets what it cost. */
  reserved(settle: (spend: number, tokens: number) => void): void {
    this.#settlers.push(settle);
  }

  close(outcome: Outcome): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const usage = this.#priced?.tally.usage;
    const isCharged = outcome.status === 'success' || outcome.isCharged === true;
    const spend = this.#priced && usage && isCharged ? costOf(this.#priced.prices, usage) : 0;
    const tokens = (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0);
    for (const settle of this.#settlers) settle(spend, tokens);
    this.#record.finish({
      status: outcome.status,
      spend,
      prompt_tokens: usage?.prompt_tokens ?? 0,
      completion_tokens: usage?.completion_tokens ?? 0,
      ...(outcome.status === 'failure' && { error: outcome.error, error_code: outcome.error_code }),
    });
  }
}
