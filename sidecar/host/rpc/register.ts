import { Fault } from '../../platform/faults.ts';
import { firstIssue } from '../../protocol/building.ts';
import { type MethodName, methods, type Params, type Result } from '../../protocol/methods.ts';
import type { RequestHandler } from '../../transport/incoming.ts';

/** Handlers see parsed params and throw {@link Fault}s; they never see JSON-RPC. */
export type Handlers<Context> = {
  readonly [M in MethodName]: (
    params: Params<M>,
    context: Context,
    signal: AbortSignal,
  ) => Promise<Result<M>> | Result<M>;
};

/** Methods that are served before the handshake; every other one is unknown until then. */
const beforeHandshake: ReadonlySet<string> = new Set<MethodName>(['ping', 'initialize', 'reconnect']);

/** How far the handshake of a connection is. */
interface HandshakeState {
  /** Whether it is done. */
  readonly isReady: () => boolean;
  /** Runs `handle` at once, or when the answer of the handshake left. */
  readonly inOrder: <T>(handle: () => T | Promise<T>) => T | Promise<T>;
  /** What to throw for a method that is not served now. */
  readonly unknown: (method: string) => Error;
}

/** The table of methods as request handlers of one connection. */
export function toRequestHandlers<Context>(
  context: Context,
  handlers: Handlers<Context>,
  { isReady, inOrder, unknown }: HandshakeState,
): Record<string, RequestHandler> {
  return Object.fromEntries((Object.keys(methods) as MethodName[]).map((name) => [name, handlerOf(name)]));

  function handlerOf<M extends MethodName>(name: M): RequestHandler {
    return (raw, { signal }) => {
      const isEarly = beforeHandshake.has(name);
      if (!isReady() && !isEarly) throw unknown(name);
      const parsed = methods[name].params.safeParse(raw);
      if (!parsed.success) throw new Fault('invalid_params', `invalid params for ${name}: ${firstIssue(parsed.error)}`);
      const handle = () => handlers[name](parsed.data as Params<M>, context, signal);
      return isEarly ? handle() : inOrder(handle);
    };
  }
}
