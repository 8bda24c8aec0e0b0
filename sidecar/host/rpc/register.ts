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

/** Methods that are served before the handshake; every other one is unknown until then (host-completion 2.2). */
const beforeHandshake: ReadonlySet<string> = new Set<MethodName>(['ping', 'initialize', 'reconnect']);

/**
 * The table of methods as request handlers of one connection.
 * @param isReady whether the handshake is done
 * @param unknown what to throw for a method that is not served now
 */
export function toRequestHandlers<Context>(
  context: Context,
  handlers: Handlers<Context>,
  isReady: () => boolean,
  unknown: (method: string) => Error,
): Record<string, RequestHandler> {
  return Object.fromEntries((Object.keys(methods) as MethodName[]).map((name) => [name, handlerOf(name)]));

  function handlerOf<M extends MethodName>(name: M): RequestHandler {
    return (raw, { signal }) => {
      if (!isReady() && !beforeHandshake.has(name)) throw unknown(name);
      const parsed = methods[name].params.safeParse(raw);
      if (!parsed.success) throw new Fault('invalid_params', `bad params for ${name}: ${firstIssue(parsed.error)}`);
      return handlers[name](parsed.data as Params<M>, context, signal);
    };
  }
}
