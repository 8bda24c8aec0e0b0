import { randomUUID } from 'node:crypto';

/** Every failure raised on purpose. Each transport owns its own table from these to its numbers. */
export type FaultCode =
  | 'invalid_params'
  | 'not_found'
  | 'session_not_found'
  | 'provider_not_found'
  | 'session_exists'
  | 'turn_in_progress'
  | 'unsupported_version'
  | 'content_not_found'
  | 'auth_required'
  | 'forbidden'
  | 'already_exists'
  | 'conflict'
  | 'command_missing'
  | 'folder_gone'
  | 'folder_needed'
  | 'not_trusted'
  | 'unavailable'
  | 'budget_exceeded'
  | 'budget_stopped'
  | 'rate_limited'
  | 'usage_limited'
  | 'too_large'
  | 'internal';

export class Fault extends Error {
  override readonly name = 'Fault';
  /** It was raised on purpose: the log needs no stack of it. */
  readonly isExpected = true;
  readonly code: FaultCode;
  readonly data: unknown;

  /** @param publicMessage shown to the peer: no paths, tokens or upstream bodies. `cause` stays in the log. */
  constructor(code: FaultCode, publicMessage: string, more: { data?: unknown; cause?: unknown } = {}) {
    super(publicMessage, { cause: more.cause });
    this.code = code;
    this.data = more.data;
  }
}

/** Anything that is no Fault is a bug: the log gets the story, the peer gets an id to quote. */
export function toFault(thrown: unknown, report: (id: string, thrown: unknown) => void): Fault {
  if (thrown instanceof Fault) return thrown;
  const id = randomUUID();
  report(id, thrown);
  return new Fault('internal', `internal error (${id})`);
}
