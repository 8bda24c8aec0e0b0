import type { ToolFacts } from '../../agents/provider.ts';
import { dialOf, hasRunUnasked, withRunUnasked } from '../../protocol/channels/session/permissionDial.ts';
import {
  UNASKED_RUNS,
  UnaskedCounts,
  type UnaskedRuns,
  unaskedRunsOf,
} from '../../protocol/channels/session/unaskedRuns.ts';
import { decidingNow } from '../agents/modes/askingModes.ts';
import { commitMeta, commitSession } from '../context/chatAccess.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import { changes } from '../permissions/facts.ts';

/** What an agent may do without a question in whatever session. */
export const unaskedAnyway: ReadonlySet<ToolFacts['kind']> = new Set(['read', 'search', 'think']);

/**
 * An agent did something without asking, in a mode in which it should ask. The session says so from then on, because the dial
 * holds such an agent to nothing.
 * @returns why the agent has to be stopped, where the session is read only
 */
export function noteUnasked(
  { store }: Pick<EffectDeps, 'store'>,
  session: string,
  facts: ToolFacts,
  displayName: string,
): string | undefined {
  const state = store.state('session', session);
  if (!state || unaskedAnyway.has(facts.kind) || (state.config && decidingNow(state.config).length > 0))
    return undefined;
  if (!hasRunUnasked(state._meta))
    commitSession(store, session, { type: 'session/metaChanged', _meta: withRunUnasked(state._meta) });
  if (dialOf(state.config?.values) !== 'readOnly' || !changes(facts)) return undefined;
  return `This session is read-only. ${displayName} ran the tool without asking, so it was stopped.`;
}

/** Counted for an agent that should ask: commands and changes. Of other tools it is not known whether they only read. */
const counted: ReadonlySet<ToolFacts['kind']> = new Set(['shell', 'edit', 'delete', 'move']);
const COUNTS = 'unasked.counts';

/**
 * Counts a tool that an agent ran without asking, although it should have asked, for the version of the agent and in the session.
 * @param version of the agent's program, if it states one
 */
export function countUnasked(
  { store, storage }: Pick<EffectDeps, 'store' | 'storage'>,
  session: string,
  facts: ToolFacts,
  provider: string,
  version: string | undefined,
): void {
  const state = store.state('session', session);
  if (!state || !counted.has(facts.kind)) return;
  const counts = UnaskedCounts.parse(JSON.parse(storage.small.text(COUNTS) ?? '{}'));
  const key = version === undefined ? provider : `${provider} ${version}`;
  const all = (counts[key] ?? 0) + 1;
  store.writeRows(() => storage.small.putText(COUNTS, JSON.stringify({ ...counts, [key]: all })));
  const here = (unaskedRunsOf(state._meta)?.here ?? 0) + 1;
  const runs: UnaskedRuns = { here, all, ...(version !== undefined && { version }) };
  commitMeta(store, session, UNASKED_RUNS, runs);
}

/** Why an agent may not write a file through the host now. */
export function refuseWriting({ store }: Pick<EffectDeps, 'store'>, session: string): string | undefined {
  return dialOf(store.state('session', session)?.config?.values) === 'readOnly'
    ? 'The user set this session to read-only, so no file can be written.'
    : undefined;
}
