import type { ChangesSummary, SessionState, SessionSummary } from './channels/session/schema.ts';
import { sameJson, setOrClear } from './collections.ts';
import type { SummaryChanges } from './methods.ts';
import type { Meta } from './shared.ts';

export interface SummaryExtra {
  readonly resource: string;
  readonly createdAt: string;
  /** What was said last, or the creation: the answer is never older. */
  readonly modifiedAt: string;
  readonly changes?: ChangesSummary;
  /** The summary's own, not the session's. */
  readonly _meta?: Meta;
}

const shared = ['activity', 'project', 'workingDirectories', 'annotations'] as const;
const optional = [...shared, 'changes', '_meta'] as const;
const required = ['title', 'status', 'modifiedAt'] as const;

/** The entry of a settled session in the catalogue (`host.summary.…`). Pure. */
export function summarize(state: SessionState, extra: SummaryExtra): SessionSummary {
  let summary: SessionSummary = {
    resource: extra.resource,
    provider: state.provider,
    title: state.title,
    status: state.status,
    createdAt: extra.createdAt,
    modifiedAt: latest([extra.modifiedAt, ...state.chats.map((it) => it.modifiedAt)]),
  };
  for (const key of shared) summary = setOrClear(summary, key, state[key]);
  summary = setOrClear(summary, 'changes', extra.changes);
  return setOrClear(summary, '_meta', extra._meta);
}

/** Params of `root/sessionSummaryChanged`; `null` for what was cleared. `undefined` when nothing changed. */
export function diffSummary(before: SessionSummary, after: SessionSummary): SummaryChanges | undefined {
  const changes: Record<string, unknown> = {};
  for (const key of [...required, ...optional]) {
    if (!sameJson(before[key], after[key])) changes[key] = after[key] ?? null;
  }
  // oxlint-disable-next-line typescript/consistent-type-assertions -- built from the keys of SummaryChanges
  return Object.keys(changes).length === 0 ? undefined : (changes as SummaryChanges);
}

/** The other way round, for a client: `applySummary(before, diffSummary(before, after))` equals `after`. */
export function applySummary(summary: SessionSummary, changes: SummaryChanges): SessionSummary {
  let next = summary;
  for (const key of required) next = setOrClear(next, key, changes[key] ?? next[key]);
  for (const key of optional) {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- key and value come from one object
    if (Object.hasOwn(changes, key)) next = setOrClear(next, key, (changes[key] ?? undefined) as never);
  }
  return next;
}

function latest(times: readonly string[]): string {
  return times.reduce((newest, it) => (Date.parse(it) > Date.parse(newest) ? it : newest));
}
