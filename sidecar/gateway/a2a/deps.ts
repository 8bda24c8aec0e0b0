import type { Runtime } from '../../platform/runtime.ts';
import type { LookupAll } from '../backends/net/guard.ts';
import type { Outbound } from '../backends/outbound.ts';
import type { OwnerStore } from './owners.ts';

/** The members of a registered agent that the A2A routes read. The record itself fits. */
export interface A2aAgent {
  readonly agent_id: string;
  readonly agent_name: string;
  /** The card as it was registered: served where the agent's own cannot be had. */
  readonly agent_card_params?: Readonly<Record<string, unknown>> | null | undefined;
  readonly gateway_params?: A2aAgentParams | null | undefined;
}

export interface A2aAgentParams extends A2aPrices {
  readonly require_trace_id_on_calls_to_agent?: boolean | null | undefined;
  /** Messages a session. */
  readonly max_iterations?: number | null | undefined;
  /** US dollars a session. */
  readonly max_budget_per_session?: number | null | undefined;
  readonly custom_llm_provider?: string | null | undefined;
  /** Seconds until the answer; of a stream, until its beginning. */
  readonly timeout?: number | null | undefined;
}

/** US dollars. */
export interface A2aPrices {
  readonly cost_per_query?: number | null | undefined;
  readonly input_cost_per_token?: number | null | undefined;
  readonly output_cost_per_token?: number | null | undefined;
}

/** What the A2A routes read of a resolved call. */
export interface A2aContext {
  readonly caller: {
    readonly key?: { readonly token: string; readonly token_id: string } | undefined;
    readonly endUserId?: string | undefined;
    readonly traceId?: string | undefined;
    readonly sessionId?: string | undefined;
  };
  readonly requestId: string;
  /** Of the gateway, as the caller sees it; without a slash at the end. */
  readonly baseUrl: string;
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  /** Whether a text holds the key that this call came with. */
  readonly holdsKey: (text: string) => boolean;
  /** Fires when the caller hangs up. */
  readonly signal: AbortSignal;
  /** Counts how long agents are waited for. */
  readonly progress?: { during<T>(work: Promise<T>): Promise<T> };
}

/** An agent that was found, with the one decision on it. */
export interface FoundAgent {
  readonly agent: A2aAgent;
  /** The registered address. Calls go there and nowhere else, whatever a card says. */
  readonly url: string | undefined;
  readonly allowed: boolean;
}

/** One record a request. */
export interface A2aRecord {
  note(fields: {
    readonly call_type?: string;
    /** `a2a_agent/{name}`. */
    readonly model?: string;
    readonly agent_id?: string;
    readonly api_base?: string;
    readonly custom_llm_provider?: string;
    readonly session_id?: string;
  }): void;
  finish(outcome: {
    readonly status: 'success' | 'failure';
    readonly spend: number;
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly error?: string;
    readonly error_code?: string;
  }): void;
}

export interface A2aDeps extends Pick<Runtime, 'clock' | 'timers' | 'log'> {
  /** By id, else by name; `undefined` where there is none. Cached by whoever hands it in: it is asked on each request. */
  agent(context: A2aContext, nameOrId: string): FoundAgent | undefined | Promise<FoundAgent | undefined>;
  /** How this call leaves: credentials, static and passed headers, address guard. @throws {Fault} */
  outbound(
    agent: A2aAgent,
    context: A2aContext,
    added: Readonly<Record<string, string>>,
  ): Pick<Outbound, 'send'> | Promise<Pick<Outbound, 'send'>>;
  /**
   * May the call be paid and does it keep the limits?
   * @param call.cost US dollars that are known before it
   * @throws {Fault} when not
   */
  admit(
    context: A2aContext,
    call: { readonly agent_id: string; readonly cost: number },
  ): Promise<{ settle(spend: number, tokens?: number): void }>;
  /** Begins the one record of a request. */
  record(
    context: A2aContext,
    first: { readonly endpoint: string; readonly call_type: string; readonly model: string },
  ): A2aRecord;
  /** Whether the key belongs to an agent with `require_trace_id_on_calls_by_agent`. */
  callingAgentRequiresTrace(context: A2aContext): boolean;
  /** Whose the contexts and tasks are that agents gave. */
  readonly owners: OwnerStore;
  /** Resolves the names of webhooks. Default: the system's resolver. */
  readonly lookup?: LookupAll;
  readonly options: A2aOptions;
}

export interface A2aOptions {
  /** Of a request. */
  readonly maxBodyBytes: number;
  /** Of an answer, or of one event of a stream. */
  readonly maxResponseBytes: number;
  readonly maxCardBytes: number;
  /** Where a registration names no `timeout`. */
  readonly timeoutMs: number;
  /** Until a stream begins; from then on it may last and be silent for as long as it likes. */
  readonly streamStartMs: number;
  readonly cardTimeoutMs: number;
  readonly keepAliveMs: number;
  /** How long the counters of a session live. */
  readonly sessionMs: number;
}

export const defaultA2aOptions: A2aOptions = {
  maxBodyBytes: 10_000_000,
  maxResponseBytes: 32_000_000,
  maxCardBytes: 1_000_000,
  timeoutMs: 60_000,
  streamStartMs: 300_000,
  cardTimeoutMs: 10_000,
  keepAliveMs: 15_000,
  sessionMs: 3_600_000,
};
