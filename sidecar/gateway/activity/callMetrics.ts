import type { Surface } from '../routing/route.ts';
import type { EndedCall, LineKind } from '../storage/activity/endedCall.ts';

export interface CallLabels {
  /** What a call came in by. */
  readonly surface: Surface;
  /** The MCP server of a tool call, or the agent; empty where a call is of none or of several. */
  readonly server: string;
}
/** Seconds, as counts up to and with each bound. */
export const durationBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;

export interface Histogram {
  /** One for each bound, and one for what took longer. */
  readonly counts: number[];
  sum: number;
}
interface Durations extends CallLabels {
  readonly whole: Histogram;
  readonly firstByte: Histogram;
}
type Counted<Labels> = Labels & { count: number };
interface Outcomes {
  success: number;
  failure: number;
}
/** A tool by `{server}/{tool}`, or a model by the name that callers use. */
interface Named extends Outcomes {
  readonly name: string;
}
interface ModelCounts extends Named {
  input: number;
  output: number;
}
/** What a key did for a team. */
export interface CallerCounts extends Outcomes {
  /** Hash of the key: {@link OTHER} for all those beyond the limit, empty where none was needed. */
  readonly api_key: string;
  readonly team_id: string;
  /** US dollars. */
  spend: number;
}

/** The counters for calls of one kind. */
interface Series extends CallLabels {
  readonly durations: Durations;
  readonly caller: CallerCounts;
  /** Empty for calls of no tool and no model. */
  readonly tool: string;
  readonly model: string;
  success?: { count: number };
  failure?: { count: number };
}

export const OTHER = 'other';
/** What has series of its own; the rest is {@link OTHER}, so that scrapes stay small. */
export const MOST = { servers: 100, codes: 50, tools: 500, models: 200, callers: 500 } as const;
const AGENT = 'a2a_agent/';

/** What calls of this process were like since it started, for whoever watches many of them. */
export class CallMetrics {
  /** The part of the gateway that the template of a route belongs to. */
  readonly #surfaceOf: (template: string) => Surface;
  readonly #calls = new Map<string, Counted<CallLabels & { readonly status: string }>>();
  readonly #errors = new Map<string, Counted<CallLabels & { readonly code: string }>>();
  readonly #durations = new Map<string, Durations>();
  readonly #refused = new Map<string, Counted<{ readonly surface: Surface }>>();
  readonly #tools = new Map<string, Named>();
  readonly #models = new Map<string, ModelCounts>();
  readonly #callers = new Map<string, CallerCounts>();
  /** By what the lines of calls have in common, for as long as anybody makes such calls. */
  readonly #series = new WeakMap<LineKind, Series>();
  readonly #servers = new Set<string>();
  readonly #codes = new Set<string>();

  constructor(surfaceOf: (template: string) => Surface) {
    this.#surfaceOf = surfaceOf;
  }

  /** A call is over. */
  ended(call: EndedCall): void {
    const { facts, status, error_code, request_duration_ms, ttftMs, spend } = call;
    let series = this.#series.get(facts);
    if (!series) this.#series.set(facts, (series = this.#seriesOf(facts)));
    const { surface, server, durations, caller, tool, model } = series;
    const calls = (series[status] ??= counted(this.#calls, `${surface} ${status} ${server}`, {
      surface,
      server,
      status,
    }));
    calls.count += 1;
    if (status === 'failure') {
      const code = known(this.#codes, error_code ?? '', MOST.codes);
      counted(this.#errors, `${surface} ${code} ${server}`, { surface, server, code }).count += 1;
    }
    observe(durations.whole, request_duration_ms / 1_000);
    if (ttftMs !== null) observe(durations.firstByte, ttftMs / 1_000);
    caller[status] += 1;
    caller.spend += spend;
    if (tool !== '') named(this.#tools, tool, status, MOST.tools, noOutcomes)[status] += 1;
    if (model === '') return;
    const counts = named(this.#models, model, status, MOST.models, noTokens);
    counts[status] += 1;
    counts.input += call.prompt_tokens;
    counts.output += call.completion_tokens;
  }

  #seriesOf({ of: { endpoint, model, model_group, mcp_namespaced_tool_name, api_key, team_id } }: LineKind): Series {
    const surface = this.#surfaceOf(endpoint);
    const tool = mcp_namespaced_tool_name ?? '';
    const name = tool.split('/', 1)[0] || (model.startsWith(AGENT) ? model.slice(AGENT.length) : '');
    const server = known(this.#servers, name, MOST.servers);
    return {
      surface,
      server,
      durations: this.#durationsOf(surface, server),
      caller: this.#callerOf(api_key, team_id ?? ''),
      tool: tool.includes('/') ? tool : '',
      model: surface === 'models' ? (model_group ?? model) : '',
    };
  }

  #durationsOf(surface: Surface, server: string): Durations {
    const key = `${surface} ${server}`;
    let durations = this.#durations.get(key);
    if (!durations) {
      durations = { surface, server, whole: emptyHistogram(), firstByte: emptyHistogram() };
      this.#durations.set(key, durations);
    }
    return durations;
  }

  /** Keys are known before their calls are, so nobody can invent some. */
  #callerOf(hash: string, team: string): CallerCounts {
    const isKnown = this.#callers.has(`${hash} ${team}`) || this.#callers.size < MOST.callers;
    const [api_key, team_id] = isKnown ? [hash, team] : [OTHER, OTHER];
    const key = `${api_key} ${team_id}`;
    let counts = this.#callers.get(key);
    if (!counts) this.#callers.set(key, (counts = { api_key, team_id, spend: 0, ...noOutcomes }));
    return counts;
  }

  /** A request was refused before its caller was known. */
  refused(endpoint: string): void {
    const surface = this.#surfaceOf(endpoint);
    counted(this.#refused, surface, { surface }).count += 1;
  }

  get calls(): Iterable<Counted<CallLabels & { readonly status: string }>> {
    return this.#calls.values();
  }
  get errors(): Iterable<Counted<CallLabels & { readonly code: string }>> {
    return this.#errors.values();
  }
  get durations(): Iterable<Durations> {
    return this.#durations.values();
  }
  get refusals(): Iterable<Counted<{ readonly surface: Surface }>> {
    return this.#refused.values();
  }
  get tools(): Iterable<Named> {
    return this.#tools.values();
  }
  get models(): Iterable<ModelCounts> {
    return this.#models.values();
  }
  get callers(): Iterable<CallerCounts> {
    return this.#callers.values();
  }
}

const noOutcomes: Outcomes = { success: 0, failure: 0 };
const noTokens: Omit<ModelCounts, 'name'> = { ...noOutcomes, input: 0, output: 0 };

function emptyHistogram(): Histogram {
  return { counts: durationBounds.map(() => 0).concat(0), sum: 0 };
}

function observe(histogram: Histogram, seconds: number): void {
  let at = 0;
  while (at < durationBounds.length && seconds > (durationBounds[at] as number)) at += 1;
  histogram.counts[at] = (histogram.counts[at] ?? 0) + 1;
  histogram.sum += seconds;
}

function counted<Labels extends object>(
  counts: Map<string, Counted<Labels>>,
  key: string,
  labels: Labels,
): Counted<Labels> {
  let found = counts.get(key);
  if (!found) counts.set(key, (found = { ...labels, count: 0 }));
  return found;
}

/**
 * The counters of a name that callers write themselves. It gets its own at its first success, so that guesses cannot take
 * the place of what exists.
 */
function named<Counts extends object>(
  all: Map<string, Counts & { readonly name: string }>,
  name: string,
  status: keyof Outcomes,
  most: number,
  none: Counts,
): Counts {
  const found = all.get(name);
  if (found) return found;
  // One place stays for the rest.
  const isOwn = status === 'success' && all.size - (all.has(OTHER) ? 1 : 0) < most;
  const under = isOwn ? name : OTHER;
  const made = all.get(under) ?? { ...none, name: under };
  all.set(under, made);
  return made;
}

function known(names: Set<string>, name: string, most: number): string {
  if (name === '' || names.has(name)) return name;
  if (names.size >= most) return OTHER;
  names.add(name);
  return name;
}
