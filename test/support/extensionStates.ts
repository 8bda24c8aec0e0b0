import type { SessionInputRequest, SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';
import { status } from '../../sidecar/protocol/status.ts';
import type { PendingRequest } from '../../src/client/attention.ts';
import type { Localizer } from '../../src/platform/localizer.ts';
import { type Arrangement, noFilter } from '../../src/views/sessions/groups.ts';

/** English as it stands in the code, with its arguments. */
export const english: Localizer = {
  t: (message, ...args) => message.replace(/\{(\d+)\}/g, (_, index: string) => String(args[Number(index)])),
};

/** An hour of the day on which all of this happens, where the tests run. */
export function today(hour: number): string {
  return new Date(2026, 10, 20, hour).toISOString();
}

export function summary(more: Partial<SessionSummary> = {}): SessionSummary {
  return {
    resource: 'host-session:/s1',
    provider: 'runbook',
    title: 'Fix the tests',
    status: status.Idle | status.IsRead,
    createdAt: today(8),
    modifiedAt: today(9),
    ...more,
  };
}

/** The Sessions view as it is before somebody arranges it. */
export const plainArrangement: Arrangement = {
  groupBy: 'time',
  sortBy: 'updated',
  filter: noFilter,
  pinned: new Set(),
};

type Call = Extract<SessionInputRequest, { kind: 'toolConfirmation' }>['toolCall'];

/** A shell command that waits; everything may be allowed. */
export function shellRequest(command: string, meta: Record<string, unknown> = {}): PendingRequest {
  const toolCall: Call = {
    status: 'pending-confirmation',
    toolCallId: 'c1',
    toolName: 'shell',
    displayName: 'Shell',
    invocationMessage: `Run ${command}`,
    options: [
      { id: 'allow-once', label: 'Allow once', kind: 'approve', group: 0 },
      { id: 'allow-session', label: 'In this session', kind: 'approve', group: 0 },
      { id: 'deny', label: 'Deny', kind: 'deny', group: 1 },
    ],
    _meta: { toolKind: 'shell', command, oneClick: true, ...meta },
  };
  return {
    key: 'host-session:/s1#r1',
    session: summary({ status: status.InputNeeded }),
    request: { kind: 'toolConfirmation', id: 'r1', chat: 'host-chat:/c1', turnId: 't1', toolCall },
  };
}
