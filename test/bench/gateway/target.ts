/** An address where an MCP client calls `echo`. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly road: 'streamable' | 'sse';
  readonly headers: Readonly<Record<string, string>>;
  readonly tool: string;
}

export interface CallsOrder {
  readonly target: Target;
  readonly concurrency: number;
  readonly calls: number;
}

/** What one run of calls took. Milliseconds. */
export interface CallFigures {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
}

export interface RunFigures extends CallFigures {
  /** Of the process in the middle, for each call; NaN where the system does not tell. */
  readonly processorMs: number;
}

/** What is measured. */
export interface Place {
  readonly kind: 'bare' | 'gateway' | 'peer';
  readonly target: Target;
  /** The process that answers at this address. */
  readonly pid: number;
}

/** All runs of one place. */
export interface Measured {
  readonly place: Place;
  readonly concurrency: number;
  readonly runs: readonly RunFigures[];
  /** Of the bare proxy, one right before each. */
  readonly bare: readonly RunFigures[];
  /** Of its process, after these runs. */
  readonly residentMb: number;
}

/** What the backend does after the first chunk of a stream: it sends the rest at once or after a pause, or sends nothing more. */
export type StreamRest = 'at once' | 'after a pause' | 'never';

export interface StreamsOrder {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly count: number;
  /** If it is `never`, the answer is the number of open streams. Otherwise, it is the median time to the first byte in ms. */
  readonly rest: StreamRest;
}
