import { type Clock, momentOf } from '../../platform/clock.ts';
import type { Redactor } from '../../platform/redact.ts';
import type { CallStatus, SpendLog } from '../../protocol/gateway/activity.ts';

/** Whose call it is. */
export interface Who {
  readonly requestId: string;
  /** Hash of the key, `''` where none was needed. */
  readonly api_key: string;
  readonly user_id?: string | null | undefined;
  readonly team_id?: string | null | undefined;
  readonly organization_id?: string | null | undefined;
  readonly end_user?: string | null | undefined;
  readonly agent_id?: string | null | undefined;
  readonly session_id?: string | null | undefined;
  readonly trace_id?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Tags of its key and team: they label every call, whatever the caller claims. */
  readonly labels?: readonly string[] | undefined;
  readonly requester_ip_address?: string | null | undefined;
}

/** What is known of a call, at its beginning or later. */
export interface CallFacts {
  readonly call_type?: string | undefined;
  readonly model?: string | undefined;
  readonly custom_llm_provider?: string | null | undefined;
  readonly api_base?: string | null | undefined;
  /** `{server}/{tool}`. */
  readonly mcp_namespaced_tool_name?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly session_id?: string | undefined;
  /** Instead of those of the header. */
  readonly tags?: readonly string[] | undefined;
  /** Added to what was noted before. Kept without secrets. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}
/** `endpoint` is a route template, as `/a2a/{agent_id}`: never a raw path. */
export type FirstFacts = CallFacts & { readonly endpoint: string; readonly call_type: string; readonly model: string };

export interface Outcome {
  /** An error of the tool itself is a success; one of the gateway or of HTTP is a failure. */
  readonly status: CallStatus;
  /** US dollars. A failure costs nothing, whatever stands here. */
  readonly spend?: number | undefined;
  readonly prompt_tokens?: number | undefined;
  readonly completion_tokens?: number | undefined;
  /** In words; kept without secrets. */
  readonly error?: string | undefined;
  readonly error_code?: string | undefined;
}

/** The one record of a request, from its beginning to its end. */
export interface Recording {
  note(facts: CallFacts): void;
  /** The first byte of the answer is there. */
  answered(): void;
  /** Writes the record, without waiting for it. Only the first time counts. */
  finish(outcome: Outcome): void;
}

/** Texts that are looked up are indexed: no longer than this, so that every database takes them. */
const MAX_TEXT = 512;
const MAX_ERROR = 4_000;
const MAX_TAGS = 64;

interface Deps {
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly written: (log: SpendLog) => void;
}

export function beginRecording({ clock, redactor, written }: Deps, who: Who, first: FirstFacts): Recording {
  const startedMs = clock.nowMs();
  const started = clock.monotonicMs();
  let answeredAfter: number | null = null;
  const facts: { -readonly [K in keyof FirstFacts]: FirstFacts[K] } = { ...first };
  let isFinished = false;
  return {
    note(more) {
      const { call_type, model, metadata } = facts;
      Object.assign(facts, more);
      facts.call_type = more.call_type ?? call_type;
      facts.model = more.model ?? model;
      facts.metadata = more.metadata ? { ...metadata, ...more.metadata } : metadata;
    },
    answered() {
      answeredAfter ??= clock.monotonicMs() - started;
    },
    finish(outcome) {
      if (isFinished) return;
      isFinished = true;
      const durationMs = Math.max(0, clock.monotonicMs() - started);
      const at = (afterMs: number) => momentOf(startedMs + afterMs);
      const prompt_tokens = count(outcome.prompt_tokens);
      const completion_tokens = count(outcome.completion_tokens);
      written({
        request_id: who.requestId,
        call_type: text(facts.call_type),
        endpoint: text(first.endpoint),
        api_key: text(who.api_key),
        spend: outcome.status === 'success' ? money(outcome.spend) : 0,
        prompt_tokens,
        completion_tokens,
        total_tokens: prompt_tokens + completion_tokens,
        startTime: at(0),
        endTime: at(durationMs),
        completionStartTime: answeredAfter === null ? null : at(answeredAfter),
        request_duration_ms: durationMs,
        model: text(facts.model),
        custom_llm_provider: optional(facts.custom_llm_provider),
        api_base: facts.api_base ? text(redactor.text(facts.api_base)) : null,
        user: optional(who.user_id),
        team_id: optional(who.team_id),
        organization_id: optional(who.organization_id),
        end_user: optional(who.end_user),
        agent_id: optional(facts.agent_id ?? who.agent_id),
        session_id: optional(facts.session_id ?? who.session_id),
        trace_id: optional(who.trace_id),
        mcp_namespaced_tool_name: optional(facts.mcp_namespaced_tool_name),
        request_tags: tagsOf(facts.tags ?? who.tags ?? [], who.labels ?? []),
        requester_ip_address: optional(who.requester_ip_address),
        status: outcome.status,
        error: outcome.error === undefined ? null : text(redactor.text(outcome.error), MAX_ERROR),
        error_code: optional(outcome.error_code),
        metadata: facts.metadata ? (redactor.value(facts.metadata) as Record<string, unknown>) : {},
      });
    },
  };
}

/** Labels stay, however many tags a caller sends. */
function tagsOf(given: readonly string[], labels: readonly string[]): string[] {
  if (given.length === 0 && labels.length === 0) return [];
  const kept = labels.slice(0, MAX_TAGS);
  return [...new Set([...given.slice(0, MAX_TAGS - kept.length), ...kept].map((it) => text(it)))];
}

/** PostgreSQL takes neither NUL nor half a surrogate pair. */
function text(it: string, max = MAX_TEXT): string {
  if (it.length <= max && !/[\0\p{Surrogate}]/u.test(it)) return it;
  return it.slice(0, max).replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD');
}
const optional = (it: string | null | undefined): string | null => (it ? text(it) : null);
const count = (it: number | undefined): number => (it !== undefined && Number.isSafeInteger(it) && it > 0 ? it : 0);
const money = (it: number | undefined): number => (it !== undefined && Number.isFinite(it) && it > 0 ? it : 0);
