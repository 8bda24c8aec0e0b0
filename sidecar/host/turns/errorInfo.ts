import type { Fault } from '../../platform/faults.ts';
import { USAGE_LIMITED } from '../../protocol/channels/session/parked.ts';

const errorTypes: Partial<Record<Fault['code'], string>> = {
  auth_required: 'authRequired',
  command_missing: 'commandMissing',
  folder_gone: 'folderGone',
  folder_needed: 'folderNeeded',
  not_trusted: 'notTrusted',
  provider_not_found: 'providerNotFound',
  usage_limited: USAGE_LIMITED,
  internal: 'internal',
};

/** `errorType` chooses the button that a person is offered; `_meta` says for what. */
export function toErrorInfo(fault: Fault): { errorType: string; message: string; _meta?: Record<string, unknown> } {
  const { data } = fault;
  const meta = typeof data === 'object' && data !== null ? { _meta: { ...data } as Record<string, unknown> } : {};
  return { errorType: errorTypes[fault.code] ?? 'provider', message: fault.message, ...meta };
}
