import * as z from 'zod';
import { described } from '../building.ts';

/** How requests to a server are repeated. Off unless `attempts` is set. */
export const RetrySettings = z.strictObject(
  described(
    {
      attempts: z.int().min(2).max(10).nullish(),
      backoff_ms: z.int().min(1).max(60_000).nullish(),
      max_backoff_ms: z.int().min(1).max(60_000).nullish(),
      budget_percent: z.int().min(1).max(100).nullish(),
    },
    {
      attempts:
        'How often a request is sent at most, including the first time. Lists, reads, and initialize are repeated if the server fails. A tool call is repeated if the tool has idempotentHint or readOnlyHint, or if the call was not sent.',
      backoff_ms: 'Pause before the first retry, in milliseconds. Each further pause is twice as long. Default: 200.',
      max_backoff_ms: 'Maximum pause, in milliseconds. Default: 5000.',
      budget_percent: 'Maximum number of retries, as a percentage of the requests to the server. Default: 20.',
    },
  ),
);
export type RetrySettings = z.infer<typeof RetrySettings>;

/** When requests to a server are refused at once. Off unless `failures` or `failure_percent` is set. */
export const CircuitBreakerSettings = z.strictObject(
  described(
    {
      failures: z.int().min(1).max(100_000).nullish(),
      failure_percent: z.int().min(1).max(100).nullish(),
      minimum_requests: z.int().min(1).max(100_000).nullish(),
      window_s: z.int().min(1).max(3_600).nullish(),
      open_s: z.int().min(1).max(3_600).nullish(),
    },
    {
      failures: 'Number of failed requests in the window that opens the circuit.',
      failure_percent: 'Percentage of failed requests in the window that opens the circuit.',
      minimum_requests: 'failure_percent applies only if the window has this number of requests. Default: 10.',
      window_s: 'Length of the window, in seconds. Default: 30.',
      open_s: 'How many seconds requests are refused before one tries again. Default: 30.',
    },
  ),
);
export type CircuitBreakerSettings = z.infer<typeof CircuitBreakerSettings>;

/** The state of a circuit at the replica that answers. */
export const CircuitAnswer = z.object({
  state: z
    .enum(['closed', 'open', 'half_open'])
    .describe('closed: requests are sent. open: they are refused. half_open: one request tries.'),
  requests: z.int().describe('Number of requests in the window'),
  failures: z.int().describe('How many of them failed'),
  retry_after_ms: z.int().optional().describe('Until a request tries again; absent if the circuit is closed'),
});
export type CircuitAnswer = z.infer<typeof CircuitAnswer>;
