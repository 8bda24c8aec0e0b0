import type { BackendTarget } from './net/pool.ts';

/** The members of a model's record that this room reads. */
export interface ModelRegistration {
  readonly model_id: string;
  readonly model_name: string;
  readonly gateway_params: {
    readonly allow_private_network?: boolean | null | undefined;
    readonly max_concurrent_requests?: number | null | undefined;
    readonly timeout_s?: number | null | undefined;
  };
  readonly updated_at?: string | null | undefined;
}

/** Models may take minutes before they begin to answer. */
const TIMEOUT_S = 600;

/** Differs from the IDs of servers and agents, so that models do not share their sockets. */
export const modelSocketsOf = (id: string): string => `model ${id}`;

export function modelTarget({ model_id, model_name, gateway_params, updated_at }: ModelRegistration): BackendTarget {
  const { allow_private_network, max_concurrent_requests, timeout_s } = gateway_params;
  const timeoutMs = (timeout_s ?? TIMEOUT_S) * 1_000;
  return {
    id: modelSocketsOf(model_id),
    name: model_name,
    version: updated_at ?? '',
    allowPrivate: allow_private_network === true,
    headersTimeoutMs: timeoutMs,
    bodyTimeoutMs: timeoutMs,
    ...(max_concurrent_requests && { maxConcurrent: max_concurrent_requests }),
  };
}
