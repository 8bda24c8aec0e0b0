/** Where a collector is, and what it gets over OTLP/HTTP. */
export interface OtlpOptions {
  /** Base address: `v1/traces` and `v1/metrics` follow it. */
  readonly endpoint: string;
  /** Of each request: a collector's credential. */
  readonly headers: Readonly<Record<string, string>>;
  readonly traces: boolean;
  readonly metrics: boolean;
  /** Of calls whose caller does not say whether its trace is recorded: 0 to 1. */
  readonly sampleRatio: number;
  /** Between two exports of metrics. */
  readonly intervalMs: number;
}
