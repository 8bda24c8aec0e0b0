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

interface Durations extends CallLabels {
  /** One for each bound, and one for what took longer. */
  readonly counts: number[];
  sum: number;
}
type Counted<Labels> = Labels & { count: number };

/** The counters for calls of one kind. */
interface Series extends CallLabels {
  readonly durations: Durations;
  success?: { count: number };
  failure?: { count: number };
}

/** Names and codes that have series of their own; the rest are `other`, so that scrapes stay small. */
const MAX_SERVERS = 100;
const MAX_CODES = 50;
const AGENT = 'a2a_agent/';

/** What calls of this process were like since it started, for whoever watches many of them. */
export class CallMetrics {
  /** The part of the gateway that the template of a route belongs to. */
  readonly #surfaceOf: (template: string) => Surface;
  readonly #calls = new Map<string, Counted<CallLabels & { readonly status: string }>>();
  readonly #errors = new Map<string, Counted<CallLabels & { readonly code: string }>>();
  readonly #durations = new Map<string, Durations>();
  readonly #refused = new Map<string, Counted<{ readonly surface: Surface }>>();
  /** By what the lines of calls have in common, for as long as anybody makes such calls. */
  readonly #series = new WeakMap<LineKind, Series>();
  readonly #servers = new Set<string>();
  readonly #codes = new Set<string>();

  constructor(surfaceOf: (template: string) => Surface) {
    this.#surfaceOf = surfaceOf;
  }

  /** A call is over. */
  ended({ facts, status, error_code, request_duration_ms }: EndedCall): void {
    let series = this.#series.get(facts);
    if (!series) this.#series.set(facts, (series = this.#seriesOf(facts)));
    const { surface, server, durations } = series;
    const calls = (series[status] ??= counted(this.#calls, `${surface} ${status} ${server}`, {
      surface,
      server,
      status,
    }));
    calls.count += 1;
    if (status === 'failure') {
      const code = known(this.#codes, error_code ?? '', MAX_CODES);
      counted(this.#errors, `${surface} ${code} ${server}`, { surface, server, code }).count += 1;
    }
    const seconds = request_duration_ms / 1_000;
    let at = 0;
    while (at < durationBounds.length && seconds > (durationBounds[at] as number)) at += 1;
    durations.counts[at] = (durations.counts[at] ?? 0) + 1;
    durations.sum += seconds;
  }

  #seriesOf({ of: { endpoint, model, mcp_namespaced_tool_name: tool } }: LineKind): Series {
    const surface = this.#surfaceOf(endpoint);
    const named = tool?.split('/', 1)[0] ?? (model.startsWith(AGENT) ? model.slice(AGENT.length) : '');
    const server = known(this.#servers, named, MAX_SERVERS);
    const key = `${surface} ${server}`;
    let durations = this.#durations.get(key);
    if (!durations) {
      durations = { surface, server, counts: durationBounds.map(() => 0).concat(0), sum: 0 };
      this.#durations.set(key, durations);
    }
    return { surface, server, durations };
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

function known(names: Set<string>, name: string, most: number): string {
  if (name === '' || names.has(name)) return name;
  if (names.size >= most) return 'other';
  names.add(name);
  return name;
}
