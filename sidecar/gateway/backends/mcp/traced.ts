import type { RpcRequest } from '../../../protocol/gateway/mcpWire.ts';
import type { Outbound } from './types.ts';

/** A request with the trace context of its call in `_meta` (SEP-414), in place of its caller's. */
export function traced(request: RpcRequest, { trace }: Outbound): RpcRequest {
  if (!trace) return request;
  const {
    traceparent: _parent,
    tracestate: _state,
    ...meta
  } = (request.params?.['_meta'] ?? {}) as object & {
    readonly traceparent?: unknown;
    readonly tracestate?: unknown;
  };
  return { ...request, params: { ...request.params, _meta: { ...meta, ...trace } } };
}
