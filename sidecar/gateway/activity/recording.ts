import type { Clock } from '../../platform/clock.ts';
import type { Redactor } from '../../platform/redact.ts';
import type { CallStatus } from '../../protocol/gateway/activity.ts';
import type { CallContent } from '../auth/callContent.ts';
import { type EndedCall, type EndedTrace, LineKind } from '../storage/activity/endedCall.ts';

/** Whose call it is. One object for all calls of a connection, as long as no record changes: see {@link factsOf}. */
export interface Who {
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
  /** The model name that the caller used. */
  readonly model_group?: string | undefined;
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
  /** US dollars. Ignored for a failure without `isPaid`. */
  readonly spend?: number | undefined;
  /** A failure still costs something, such as a response that was interrupted. */
  readonly isPaid?: boolean | undefined;
  readonly prompt_tokens?: number | undefined;
  readonly completion_tokens?: number | undefined;
  /** Parts of `prompt_tokens`. */
  readonly cache_read_input_tokens?: number | undefined;
  readonly cache_creation_input_tokens?: number | undefined;
  /** In words; kept without secrets. */
  readonly error?: string | undefined;
  readonly error_code?: string | undefined;
}

/** The one record of a request, from its beginning to its end. */
export interface Recording {
  /** Where request and response are left; absent where they are not stored. */
  readonly content: CallContent | undefined;
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
/** Far above any real call. Backends count the tokens themselves, and sums of millions of calls must stay exact integers. */
const MAX_TOKENS = 1_000_000_000;

/** What is stored of the request and the response of a call. */
export interface RecordedContent extends CallContent {
  end(requestId: string, endedMs: number): void;
}

interface Deps {
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly ended: (call: EndedCall) => void;
}

export class CallRecording implements Recording {
  readonly content: RecordedContent | undefined;
  readonly #deps: Deps;
  readonly #requestId: string;
  readonly #who: Who;
  readonly #facts: Noted;
  readonly #startedMs: number;
  readonly #started: number;
  readonly #trace: EndedTrace | undefined;
  #answeredAfter: number | undefined;
  #isFinished = false;

  constructor(
    deps: Deps,
    requestId: string,
    who: Who,
    first: FirstFacts,
    trace?: EndedTrace,
    content?: RecordedContent,
  ) {
    this.content = content;
    this.#trace = trace;
    this.#deps = deps;
    this.#requestId = requestId;
    this.#who = who;
    this.#facts = {
      endpoint: first.endpoint,
      call_type: first.call_type,
      model: first.model,
      model_group: first.model_group,
      custom_llm_provider: first.custom_llm_provider,
      api_base: first.api_base,
      mcp_namespaced_tool_name: first.mcp_namespaced_tool_name,
      agent_id: first.agent_id,
      session_id: first.session_id,
      tags: first.tags,
      metadata: first.metadata,
    };
    this.#startedMs = deps.clock.nowMs();
    this.#started = deps.clock.monotonicMs();
  }

  note(more: CallFacts): void {
    const facts = this.#facts;
    const { custom_llm_provider, api_base, mcp_namespaced_tool_name, agent_id, session_id, tags, metadata } = more;
    // Member by member: every call is noted twice, and copying whatever is there takes several times as long.
    facts.call_type = more.call_type ?? facts.call_type;
    facts.model = more.model ?? facts.model;
    facts.model_group = more.model_group ?? facts.model_group;
    if (custom_llm_provider !== undefined) facts.custom_llm_provider = custom_llm_provider;
    if (api_base !== undefined) facts.api_base = api_base;
    if (mcp_namespaced_tool_name !== undefined) facts.mcp_namespaced_tool_name = mcp_namespaced_tool_name;
    if (agent_id !== undefined) facts.agent_id = agent_id;
    if (session_id !== undefined) facts.session_id = session_id;
    if (tags !== undefined) facts.tags = tags;
    if (metadata) facts.metadata = { ...facts.metadata, ...metadata };
  }

  answered(): void {
    this.#answeredAfter ??= this.#deps.clock.monotonicMs() - this.#started;
  }

  finish(outcome: Outcome): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    const { clock, redactor, ended } = this.#deps;
    const durationMs = Math.max(0, clock.monotonicMs() - this.#started);
    const startedMs = Math.trunc(this.#startedMs);
    const at = (afterMs: number) => Math.trunc(this.#startedMs + afterMs);
    const prompt_tokens = count(outcome.prompt_tokens);
    const completion_tokens = count(outcome.completion_tokens);
    this.content?.end(this.#requestId, at(durationMs));
    ended({
      request_id: this.#requestId,
      facts: factsOf(this.#who, this.#facts, redactor),
      startedMs,
      endedMs: at(durationMs),
      ttftMs: this.#answeredAfter === undefined ? null : at(this.#answeredAfter) - startedMs,
      request_duration_ms: durationMs,
      spend: outcome.status === 'success' || outcome.isPaid ? money(outcome.spend) : 0,
      prompt_tokens,
      completion_tokens,
      total_tokens: prompt_tokens + completion_tokens,
      cache_read_input_tokens: count(outcome.cache_read_input_tokens),
      cache_creation_input_tokens: count(outcome.cache_creation_input_tokens),
      status: outcome.status,
      error: outcome.error === undefined ? null : text(redactor.text(outcome.error), MAX_ERROR),
      error_code: optional(outcome.error_code),
      trace: this.#trace,
    });
  }
}

type Noted = { -readonly [K in keyof FirstFacts]: FirstFacts[K] };

/** The kinds of calls that somebody made lately. */
interface Kind {
  readonly noted: Readonly<Noted>;
  readonly facts: LineKind;
}
const kindsOf = new WeakMap<Who, Kind[]>();
const MAX_KINDS = 16;

/** Most calls are of a kind that the same caller called before: what their lines say of it is made once. */
function factsOf(who: Who, noted: Noted, redactor: Redactor): LineKind {
  // Metadata, tags, and the API base belong to a single call, so it shares nothing with others.
  if (noted.metadata || noted.tags || noted.api_base) return readFacts(who, noted, redactor);
  let kinds = kindsOf.get(who);
  if (!kinds) kindsOf.set(who, (kinds = []));
  for (const it of kinds) if (isSameKind(it.noted, noted)) return it.facts;
  const facts = readFacts(who, noted, redactor);
  if (kinds.length === MAX_KINDS) kinds.shift();
  kinds.push({ noted, facts });
  return facts;
}

const isSameKind = (one: Readonly<Noted>, other: Noted): boolean =>
  one.model === other.model &&
  one.model_group === other.model_group &&
  one.mcp_namespaced_tool_name === other.mcp_namespaced_tool_name &&
  one.endpoint === other.endpoint &&
  one.call_type === other.call_type &&
  one.session_id === other.session_id &&
  one.agent_id === other.agent_id &&
  one.custom_llm_provider === other.custom_llm_provider;

function readFacts(who: Who, noted: Noted, redactor: Redactor): LineKind {
  return new LineKind({
    call_type: text(noted.call_type),
    endpoint: text(noted.endpoint),
    api_key: text(who.api_key),
    model: text(noted.model),
    model_group: optional(noted.model_group),
    custom_llm_provider: optional(noted.custom_llm_provider),
    api_base: noted.api_base ? text(redactor.text(noted.api_base)) : null,
    user: optional(who.user_id),
    team_id: optional(who.team_id),
    organization_id: optional(who.organization_id),
    end_user: optional(who.end_user),
    agent_id: optional(noted.agent_id ?? who.agent_id),
    session_id: optional(noted.session_id ?? who.session_id),
    trace_id: optional(who.trace_id),
    mcp_namespaced_tool_name: optional(noted.mcp_namespaced_tool_name),
    request_tags: tagsOf(noted.tags ?? who.tags ?? [], who.labels ?? []),
    requester_ip_address: optional(who.requester_ip_address),
    metadata: noted.metadata ? (redactor.value(noted.metadata) as Record<string, unknown>) : {},
  });
}

/** Labels stay, however many tags a caller sends. */
function tagsOf(given: readonly string[], labels: readonly string[]): string[] {
  if (given.length === 0 && labels.length === 0) return [];
  const kept = labels.slice(0, MAX_TAGS);
  return [...new Set([...given.slice(0, MAX_TAGS - kept.length), ...kept].map((it) => text(it)))];
}

/** PostgreSQL takes neither NUL nor half a surrogate pair. */
export const writable = (it: string): string => it.replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD');
function text(it: string, max = MAX_TEXT): string {
  if (it.length <= max && !/[\0\p{Surrogate}]/u.test(it)) return it;
  return writable(it.slice(0, max));
}
const optional = (it: string | null | undefined): string | null => (it ? text(it) : null);
const count = (it: number | undefined): number =>
  it !== undefined && Number.isSafeInteger(it) && it > 0 ? Math.min(it, MAX_TOKENS) : 0;
const money = (it: number | undefined): number => (it !== undefined && Number.isFinite(it) && it > 0 ? it : 0);
