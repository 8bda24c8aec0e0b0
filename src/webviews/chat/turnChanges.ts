import { isComputing } from '../../../sidecar/protocol/channels/changeset/isComputing.ts';
import type { ChangesetState } from '../../../sidecar/protocol/channels/changeset/schema.ts';
import type { Turn } from '../../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../sidecar/protocol/channels/session/schema.ts';
import { expandTemplate } from '../../../sidecar/protocol/uris.ts';
import { countLines } from '../../client/texts.ts';
import type { TurnChangesModel } from '../contract/chatModel.ts';
import { editsOf } from './chatTools.ts';

/** The changeset of one turn, where the session offers such. */
export function turnChangesetOf(session: SessionState | undefined, turnId: string): string | undefined {
  const template = session?.changesets?.find((it) => it.changeKind === 'turn')?.uriTemplate;
  return template === undefined ? undefined : expandTemplate(template, { turnId });
}

/** @returns `undefined` for a turn that changed nothing, so that it shows no bar */
export function toTurnChanges(state: ChangesetState): TurnChangesModel | undefined {
  const canRedo = can(state, 'redo');
  if (state.files.length === 0) {
    if (!canRedo) return undefined;
    return { files: 0, added: 0, removed: 0, status: 'undone', canKeep: false, canUndo: false, canRedo };
  }
  const left = state.files.filter((it) => it.reviewed !== true).length;
  return {
    files: state.files.length,
    left,
    ...countLines(state.files.map((it) => it.edit)),
    status: isComputing(state) ? 'computing' : left > 0 ? 'open' : 'kept',
    canKeep: left > 0 && can(state, 'keep'),
    canUndo: can(state, 'undo'),
    canRedo,
  };
}

/** What the cards of a turn say it changed: for turns whose changeset is not followed. */
export function editedFiles(turn: Turn): TurnChangesModel | undefined {
  const edits = turn.responseParts.flatMap((it) =>
    it.kind === 'toolCall' && it.toolCall.status === 'completed' ? editsOf(it.toolCall) : [],
  );
  const files = new Set(edits.map((it) => it.after?.uri ?? it.before?.uri));
  if (files.size === 0) return undefined;
  return { files: files.size, ...countLines(edits), status: 'open', canKeep: false, canUndo: false, canRedo: false };
}

/** The host disables what has to wait for the agent. */
function can(state: ChangesetState, id: string): boolean | 'later' {
  const operation = state.operations?.find((it) => it.id === id && it.scopes.includes('changeset'));
  return operation?.status === 'disabled' ? 'later' : operation !== undefined;
}
