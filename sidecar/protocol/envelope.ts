import * as z from 'zod';
import { compiledOnce } from './building.ts';
import { Timestamp, Uri } from './shared.ts';

/** Any action, before its channel judged it. Unknown members stay. */
export const AnyAction = z.looseObject({ type: z.string().min(1) });
export type AnyAction = { readonly type: string };

/**
 * The sender of an action. Absent on actions of the host itself. `clientSeq` 0 may repeat: some clients send it many
 * times.
 */
export const Origin = z.object({ clientId: z.string(), clientSeq: z.int().nonnegative() });
export type Origin = z.infer<typeof Origin>;

/** Params of the notification `action`. */
export const ActionEnvelope = z.object({
  channel: Uri,
  action: AnyAction,
  /** One counter for all channels, strictly increasing; gaps are no loss. */
  serverSeq: z.int().nonnegative(),
  origin: Origin.exactOptional(),
  /** For people. Present: the action changed nothing. */
  rejectionReason: z.string().exactOptional(),
  /** `at` is the time that the host's reducer was given. Our mirrors reduce with it, so that both states are equal. */
  _meta: z.looseObject({ at: Timestamp.exactOptional() }).exactOptional(),
});
export type ActionEnvelope = z.infer<typeof ActionEnvelope>;

/** Params of the notification `dispatchAction`. */
export const DispatchParams = z.object({ channel: Uri, clientSeq: z.int().nonnegative(), action: AnyAction });
export type DispatchParams = z.infer<typeof DispatchParams>;

/** Later operations of the channel have `serverSeq > fromSeq`. */
export const Snapshot = z.object({ resource: Uri, state: z.unknown(), fromSeq: z.int().nonnegative() });
export type Snapshot = z.infer<typeof Snapshot>;

/** For the hot path. Forward the value you gave it, not the parsed copy. */
export const parseEnvelope = compiledOnce(ActionEnvelope);
export const parseDispatch = compiledOnce(DispatchParams);
