import type { ChangesetFile } from '../../../protocol/channels/changeset/schema.ts';
import type { Changeset } from '../../../protocol/channels/session/schema.ts';
import {
  compareTurnsTemplate,
  sessionChangesetUri,
  turnChangesetTemplate,
  uncommittedChangesetUri,
} from '../../../protocol/uris.ts';

const capabilities = { review: {} };

/** What can be subscribed to before any turn: the session's own changeset begins with its first turn. */
export function viewsOf(sessionUuid: string): Changeset[] {
  return [
    { label: 'Turn', uriTemplate: turnChangesetTemplate(sessionUuid), changeKind: 'turn', capabilities },
    {
      label: 'Uncommitted changes',
      uriTemplate: uncommittedChangesetUri(sessionUuid),
      changeKind: 'uncommitted',
      capabilities,
    },
    {
      label: 'Between turns',
      uriTemplate: compareTurnsTemplate(sessionUuid),
      changeKind: 'compare-turns',
      capabilities,
    },
  ];
}

/** The changesets of every session that had a turn, said in the session's state. */
export function catalogueOf(sessionUuid: string): { type: 'session/changesetsChanged'; changesets: Changeset[] } {
  const whole = {
    label: 'Session',
    uriTemplate: sessionChangesetUri(sessionUuid),
    changeKind: 'session',
    capabilities,
  };
  return { type: 'session/changesetsChanged', changesets: [whole, ...viewsOf(sessionUuid)] };
}

/** For the session's summary (ChangesSummary). */
export interface ChangesTotal {
  readonly additions: number;
  readonly deletions: number;
  readonly files: number;
}

export function totalOf(files: readonly ChangesetFile[]): ChangesTotal {
  return {
    additions: files.reduce((sum, it) => sum + (it.edit.diff?.added ?? 0), 0),
    deletions: files.reduce((sum, it) => sum + (it.edit.diff?.removed ?? 0), 0),
    files: files.length,
  };
}
