import { counter, gauge, type Metric, type Value } from './metric.ts';

/** What the retries and the circuit of a server did. */
interface ServerResilience {
  readonly circuit?: { readonly state: 'closed' | 'open' | 'half_open' } | undefined;
  readonly retries: number;
  readonly refused: number;
}

export interface ResilienceMetricsDeps {
  readonly resilience: { states(): ReadonlyMap<string, ServerResilience> };
  /** Names of servers, by ID. */
  readonly names: () => ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>;
}

const values = { closed: 0, half_open: 1, open: 2 } as const;
/** The servers that have values. */
const MAX_SERVERS = 100;

/** The retries and circuits of this process, by server; only servers that have either. */
export function resilienceMetrics({ resilience, names }: ResilienceMetricsDeps): readonly Metric[] {
  const each = (of: (it: ServerResilience) => number | undefined) => async (): Promise<readonly Value[]> => {
    const states = [...resilience.states()].slice(0, MAX_SERVERS);
    const named = states.length > 0 ? await names() : new Map<string, string>();
    return states.flatMap(([id, state]): Value[] => {
      const value = of(state);
      return value === undefined ? [] : [[{ server: named.get(id) ?? id }, value]];
    });
  };
  return [
    gauge(
      'switchboard_circuit_state',
      'State of the circuit of an MCP server: 0 closed, 1 half-open, or 2 open.',
      each((it) => it.circuit && values[it.circuit.state]),
    ),
    counter(
      'switchboard_retries_total',
      'Requests to an MCP server that were repeated.',
      each((it) => it.retries),
    ),
    counter(
      'switchboard_circuit_refused_total',
      'Requests that were refused because the circuit of the MCP server was open.',
      each((it) => it.refused),
    ),
  ];
}
