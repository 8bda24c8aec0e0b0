import type { Timers } from '../../../platform/timers.ts';
import { BackendFailure, cancelled, timedOut, toFailure } from './failure.ts';
import type { McpTarget } from './types.ts';

/** However much progress a backend reports, no request goes on for longer. */
const maxCallMs = 30 * 60_000;

/** Ends what a request waits for: when its caller goes, when the backend is silent too long, when it never comes to an end. */
export interface CallGuard {
  readonly signal: AbortSignal;
  /** A message of the backend came: its silence starts anew. */
  received(): void;
  /** The request is over. Call it on every path. */
  end(): void;
  /** What to throw for an error that came up meanwhile. */
  failure(thrown: unknown): BackendFailure;
}

/** @param isOpenEnded only the first word of the backend has a time limit */
export function guardCall(timers: Timers, target: McpTarget, caller: AbortSignal, isOpenEnded = false): CallGuard {
  const controller = new AbortController();
  const tooLong = () => controller.abort(timedOut(target.name, target.timeoutMs));
  let stopSilence = timers.after(target.timeoutMs, tooLong);
  let stopWhole: (() => void) | undefined;
  const onCancelled = () => controller.abort(cancelled());
  if (caller.aborted) onCancelled();
  else caller.addEventListener('abort', onCancelled, { once: true });
  return {
    signal: controller.signal,
    received() {
      stopSilence();
      if (isOpenEnded) return;
      stopSilence = timers.after(target.timeoutMs, tooLong);
      stopWhole ??= timers.after(maxCallMs, () => controller.abort(timedOut(target.name, maxCallMs)));
    },
    end() {
      stopSilence();
      stopWhole?.();
      caller.removeEventListener('abort', onCancelled);
    },
    failure(thrown) {
      const reason: unknown = controller.signal.reason;
      return reason instanceof BackendFailure ? reason : toFailure(thrown, target.name);
    },
  };
}
