import * as vscode from 'vscode';
import { withProgress } from '../../sidecar/protocol/channels/annotations/progress.ts';
import type { Annotation } from '../../sidecar/protocol/channels/annotations/schema.ts';
import type { ChatState } from '../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';
import { annotationsUri, parseChangesetUri, parseChangesView, sessionUri } from '../../sidecar/protocol/uris.ts';
import type { Changesets } from '../client/changesets.ts';
import { shownFileOf } from '../client/contentUris.ts';
import type { HostPort } from '../client/port.ts';
import { whenShown } from '../client/whenShown.ts';
import { now } from '../platform/clock.ts';

/** A comment that the host has. */
interface ThreadId {
  readonly session: string;
  readonly annotationId: string;
}
export interface SessionComment extends vscode.Comment {
  readonly session: string;
  readonly annotation: Annotation;
  readonly entryId: string;
}

/**
 * Adds an entry to a comment, or makes a comment of a thread that the editor just opened.
 * @param onMade gets the id of a new one before it is shown
 * @returns the session that it belongs to
 */
export async function addComment(
  { port, changesets }: { readonly port: HostPort; readonly changesets: Changesets },
  { thread, text }: vscode.CommentReply,
  known: ThreadId | undefined,
  onMade: (annotationId: string) => void,
): Promise<string | undefined> {
  const entry = { id: crypto.randomUUID(), text };
  if (known) {
    const { session, annotationId } = known;
    port.dispatch(annotationsUri(session), { type: 'annotations/entrySet', annotationId, entry });
    return session;
  }
  const file = shownFileOf(thread.uri, thread.uri.toString());
  const changeset = file && changesets.holding(file);
  const parsed = changeset === undefined ? undefined : (parseChangesetUri(changeset) ?? parseChangesView(changeset));
  if (!file || !parsed) return undefined;
  const session = sessionUri(parsed.sessionUuid);
  const turnId = 'turnId' in parsed && parsed.turnId !== undefined ? parsed.turnId : await lastTurn(port, session);
  if (turnId === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Send the agent a message first. A comment must belong to a turn.'),
    );
    return undefined;
  }
  const { range } = thread;
  const annotation = {
    id: crypto.randomUUID(),
    turnId,
    resource: file.uri,
    resolved: false,
    entries: [entry],
    ...(range && { range: { start: toPosition(range.start), end: toPosition(range.end) } }),
  };
  onMade(annotation.id);
  port.dispatch(annotationsUri(session), { type: 'annotations/set', annotation });
  thread.dispose(); // the host's own takes its place
  return session;
}

export function setResolved(port: HostPort, known: ThreadId | undefined, resolved: boolean): void {
  if (!known) return;
  const { session, annotationId } = known;
  port.dispatch(annotationsUri(session), { type: 'annotations/updated', annotationId, resolved });
}

/** With its last word the comment goes too. */
export function deleteComment(port: HostPort, { session, annotation, entryId }: SessionComment): void {
  const channel = annotationsUri(session);
  const on = { annotationId: annotation.id };
  if (annotation.entries.length === 1) port.dispatch(channel, { type: 'annotations/removed', ...on });
  else port.dispatch(channel, { type: 'annotations/entryRemoved', ...on, entryId });
}

/**
 * Sends the agent of the session these comments in one message that names their files and lines; behind what it is doing,
 * where it is working.
 */
export async function sendComments(port: HostPort, session: string, annotations: readonly Annotation[]): Promise<void> {
  const { defaultChat } = await whenShown<SessionState>(port, session);
  if (defaultChat === undefined || annotations.length === 0) return;
  const { activeTurn } = await whenShown<ChatState>(port, defaultChat);
  const channel = annotationsUri(session);
  // What is said from now on waits for the next review.
  for (const it of annotations) {
    const annotation = withProgress(it, { sentEntries: it.entries.length });
    port.dispatch(channel, { type: 'annotations/set', annotation });
  }
  const isOne = annotations.length === 1;
  const message = {
    text: [
      isOne
        ? vscode.l10n.t('Please address this comment.')
        : vscode.l10n.t('Please address these {0} comments.', annotations.length),
      ...annotations.map((it) => `- ${placeOf(it)}`),
    ].join('\n'),
    origin: { kind: 'user' as const },
    attachments: [
      {
        type: 'annotations' as const,
        label: isOne ? vscode.l10n.t('Comment') : vscode.l10n.t('{0} comments', annotations.length),
        resource: channel,
        annotationIds: annotations.map((it) => it.id),
      },
    ],
  };
  const id = crypto.randomUUID();
  if (activeTurn) port.dispatch(defaultChat, { type: 'chat/pendingMessageSet', kind: 'queued', id, message });
  else {
    const startedAt = now();
    port.dispatch(defaultChat, { type: 'chat/turnStarted', turnId: id, startedAt, message });
  }
  vscode.window.setStatusBarMessage(
    isOne
      ? vscode.l10n.t('The comment was sent to the agent.')
      : vscode.l10n.t('{0} comments were sent to the agent.', annotations.length),
    5000,
  );
}

/** A file below an open folder, and the lines as a person counts them. */
function placeOf({ resource, range }: Annotation): string {
  const path = vscode.workspace.asRelativePath(vscode.Uri.parse(resource));
  if (!range) return path;
  const [first, last] = [range.start.line + 1, range.end.line + 1];
  return first === last ? `${path}:${first}` : `${path}:${first}-${last}`;
}

async function lastTurn(port: HostPort, session: string): Promise<string | undefined> {
  const { defaultChat } = await whenShown<SessionState>(port, session);
  if (defaultChat === undefined) return undefined;
  const { turns, activeTurn } = await whenShown<ChatState>(port, defaultChat);
  return activeTurn?.id ?? turns.at(-1)?.id;
}

function toPosition({ line, character }: vscode.Position) {
  return { line, character };
}
