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

interface GuardOptions {
  /** Only the first word of the backend has a time limit. */
  readonly isOpenEnded?: boolean | undefined;
  /** Called right before {@link CallGuard.signal} fires, except for a caller who left before. A listener costs several times as much. */
  readonly onAborted?: () => void;
}

export function guardCall(
  timers: Timers,
  target: McpTarget,
  caller: AbortSignal,
  { isOpenEnded = false, onAborted }: GuardOptions = {},
): CallGuard {
  const controller = new AbortController();
  const abort = (failure: BackendFailure) => {
    if (controller.signal.aborted) return;
    onAborted?.();
    controller.abort(failure);
  };
  const tooLong = () => abort(timedOut(target.name, target.timeoutMs));
  let stopSilence = timers.after(target.timeoutMs, tooLong);
  let stopWhole: (() => void) | undefined;
  const onCancelled = () => abort(cancelled());
  if (caller.aborted) controller.abort(cancelled());
  else caller.addEventListener('abort', onCancelled);
  return {
    signal: controller.signal,
    received() {
      stopSilence();
      if (isOpenEnded) return;
      stopSilence = timers.after(target.timeoutMs, tooLong);
      stopWhole ??= timers.after(maxCallMs, () => abort(timedOut(target.name, maxCallMs)));
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
