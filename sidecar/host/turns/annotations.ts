import { sentEntries } from '../../protocol/channels/annotations/progress.ts';
import type {
  Annotation,
  AnnotationEntry,
  AnnotationsAction,
  AnnotationsState,
} from '../../protocol/channels/annotations/schema.ts';
import { annotationsSummary } from '../../protocol/channels/annotations/summary.ts';
import type { SessionState } from '../../protocol/channels/session/schema.ts';
import type { Message, MessageAttachment } from '../../protocol/shared.ts';
import { annotationsUri, isName, parseSessionUri, turnChangesetUri } from '../../protocol/uris.ts';
import { hasFinished } from '../context/chatAccess.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import type { Store } from '../state/store.ts';
import type { Change, Derived } from '../state/typedChannels.ts';

/** Of a session. */
const MAX_ANNOTATIONS = 1_000;
/** Of one annotation. */
const MAX_ENTRIES = 200;
const MAX_CHARACTERS = 100_000;

/** Why a client's remark is refused, `undefined` when it is accepted. */
export function checkAnnotation(
  deps: Pick<EffectDeps, 'store' | 'storage'>,
  session: string,
  action: AnnotationsAction,
): string | undefined {
  const { annotations } = deps.store.state('annotations', annotationsUri(session)) ?? { annotations: [] };
  const known = (id: string) => annotations.find((it) => it.id === id);
  switch (action.type) {
    case 'annotations/set': {
      const { annotation } = action;
      const isNew = !known(annotation.id);
      if (isNew && annotations.length >= MAX_ANNOTATIONS) return `too many annotations (limit: ${MAX_ANNOTATIONS})`;
      if (isNew && annotation.resolved) return 'annotation.resolved: must be false for a new annotation';
      return refuseTurn(deps, session, 'annotation.turnId', annotation.turnId) ?? checkEntries(annotation);
    }
    case 'annotations/updated':
      return action.turnId === undefined ? undefined : refuseTurn(deps, session, 'turnId', action.turnId);
    case 'annotations/entrySet': {
      const entries = known(action.annotationId)?.entries ?? [];
      const isNew = !entries.some((it) => it.id === action.entry.id);
      if (isNew && entries.length >= MAX_ENTRIES) return `too many entries (limit: ${MAX_ENTRIES})`;
      return checkEntry(action.entry, 'entry');
    }
    case 'annotations/entryRemoved': {
      const entries = known(action.annotationId)?.entries ?? [];
      return entries.length === 1 && entries[0]?.id === action.entryId
        ? 'entryId: the last entry cannot be removed; remove the annotation instead'
        : undefined;
    }
    default:
      return undefined;
  }
}

function checkEntries({ id, entries }: Annotation): string | undefined {
  if (!isName(id)) return 'annotation.id: must have at most 1000 printable characters';
  if (entries.length === 0) return 'annotation.entries: must have at least one entry';
  if (entries.length > MAX_ENTRIES) return `annotation.entries: must have at most ${MAX_ENTRIES} entries`;
  const twice = entries.findIndex((it, at) => entries.findIndex((other) => other.id === it.id) < at);
  if (twice >= 0) return `annotation.entries.${twice}.id: appears more than once`;
  return entries.map((it, at) => checkEntry(it, `annotation.entries.${at}`)).find((it) => it !== undefined);
}

function checkEntry({ id, text }: AnnotationEntry, at: string): string | undefined {
  if (!isName(id)) return `${at}.id: must have at most 1000 printable characters`;
  const words = wordsOf(text);
  if (words.trim() === '') return `${at}.text: must not be empty`;
  return words.length > MAX_CHARACTERS ? `${at}.text: must have at most ${MAX_CHARACTERS} characters` : undefined;
}

/** A remark belongs to a turn of its session, whichever chat that ran in. */
function refuseTurn(
  deps: Pick<EffectDeps, 'store' | 'storage'>,
  session: string,
  at: string,
  turnId: string,
): string | undefined {
  const chats = deps.store.state('session', session)?.chats ?? [];
  const isThere = chats.some(
    ({ resource }) =>
      deps.store.state('chat', resource)?.activeTurn?.id === turnId || hasFinished(deps, resource, turnId),
  );
  return isThere ? undefined : `${at}: turn not found in this session`;
}

/** The counts in the session, which no action carries; made anew from what there is, whenever it is written. */
export function countAnnotations(
  { kind, metadata, before, after }: Change,
  state: (channel: string) => AnnotationsState | undefined,
): Derived[] {
  const { session } = metadata;
  if (kind !== 'annotations' || session === undefined || before === after) return [];
  const resource = annotationsUri(session);
  const replaceState = (it: SessionState): SessionState => {
    const { annotations } = state(resource) ?? { annotations: [] };
    return { ...it, annotations: annotationsSummary(session, annotations) };
  };
  return [{ kind: 'session', channel: session, replaceState }];
}

/**
 * At the end of a turn: what the agent was told and has done is resolved, and other remarks move with their lines. What was
 * said during the turn, or never sent, is about what the turn left.
 */
export async function followAnnotations(
  { store, changes }: Pick<EffectDeps, 'store' | 'changes'>,
  session: string,
  turnId: string,
): Promise<void> {
  const channel = annotationsUri(session);
  const files = store.state('changeset', turnChangesetUri(parseSessionUri(session) ?? '', turnId))?.files ?? [];
  const all = store.state('annotations', channel)?.annotations ?? [];
  const sent = all.filter((it) => !it.resolved && it.turnId !== turnId && sentEntries(it) > 0);
  if (files.length === 0 || sent.length === 0) return;
  const { followEdit } = await import('./followComments.ts');
  for (const annotation of sent) {
    const edit = files.find((it) => it.edit.before?.uri === annotation.resource)?.edit;
    const action = edit && (await followEdit({ hunksOf: (it) => changes.hunksOf(it) }, annotation, edit, turnId));
    const isThere = store.state('annotations', channel)?.annotations.includes(annotation) === true;
    if (action && isThere) store.commit(channel, action);
  }
}

/** Remarks that a message attaches, as text that any agent reads; of the others nothing changes. */
export function withAnnotations(store: Store, message: Message): Message {
  if (!message.attachments?.some((it) => it.type === 'annotations')) return message;
  return { ...message, attachments: message.attachments.map((it) => toText(store, it)) };
}

function toText(store: Store, attachment: MessageAttachment): MessageAttachment {
  if (attachment.type !== 'annotations') return attachment;
  const { label, resource, annotationIds } = attachment;
  const { annotations } = store.state('annotations', resource) ?? { annotations: [] };
  const meant = annotations.filter((it) => (annotationIds ? annotationIds.includes(it.id) : !it.resolved));
  return { type: 'simple', label, modelRepresentation: meant.map(remark).join('\n\n') };
}

function remark({ resource, range, entries }: Annotation): string {
  const lines = range ? `:${range.start.line + 1}-${range.end.line + 1}` : '';
  return [`${resource}${lines}`, ...entries.map(({ text }) => `- ${wordsOf(text)}`)].join('\n');
}

function wordsOf(text: AnnotationEntry['text']): string {
  return typeof text === 'string' ? text : text.markdown;
}
