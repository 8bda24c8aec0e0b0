import type { Runtime } from '../../platform/runtime.ts';
import type { AgentRecord, OpenGatewayParams } from '../../protocol/gateway/agent.ts';
import type { CallContent } from '../auth/callContent.ts';
import type { CallContext } from '../auth/caller.ts';
import type { LookupAll } from '../backends/net/guard.ts';
import type { Outbound } from '../backends/outbound.ts';
import type { OwnerStore } from './owners.ts';

/** US dollars. */
export type A2aPrices = Pick<OpenGatewayParams, 'cost_per_query' | 'input_cost_per_token' | 'output_cost_per_token'>;

/** An agent that was found, with the one decision on it. */
export interface FoundAgent {
  readonly agent: AgentRecord;
  /** The registered address. Calls go there and nowhere else, whatever a card says. */
  readonly url: string | undefined;
  readonly allowed: boolean;
}

/** One record a request. */
export interface A2aRecord {
  /** Where request and response are left; absent where they are not stored. */
  readonly content?: CallContent | undefined;
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

export type AgentOutbound = Pick<Outbound, 'send'> & Partial<Pick<Outbound, 'ownHeaders'>>;

export interface A2aDeps extends Pick<Runtime, 'clock' | 'timers' | 'log'> {
  /** By id, else by name; `undefined` where there is none. Cached by whoever hands it in: it is asked on each request. */
  agent(context: CallContext, nameOrId: string): FoundAgent | undefined | Promise<FoundAgent | undefined>;
  /** How this call leaves: credentials, static and passed headers, address guard. @throws {Fault} */
  outbound(
    agent: AgentRecord,
    context: CallContext,
    added: Readonly<Record<string, string>>,
  ): AgentOutbound | Promise<AgentOutbound>;
  /**
   * May the call be paid and does it keep the limits?
   * @param call.cost US dollars that are known before it
   * @throws {Fault} when not
   */
  admit(
    context: CallContext,
    call: { readonly agent_id: string; readonly cost: number },
  ): { settle(spend: number, tokens?: number): void } | Promise<{ settle(spend: number, tokens?: number): void }>;
  /** Begins the one record of a request. */
  record(
    context: CallContext,
    first: { readonly endpoint: string; readonly call_type: string; readonly model: string },
  ): A2aRecord;
  /** Whether the key belongs to an agent with `require_trace_id_on_calls_by_agent`. */
  callingAgentRequiresTrace(context: CallContext): boolean;
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
