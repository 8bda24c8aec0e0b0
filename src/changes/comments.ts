import * as vscode from 'vscode';
import { isFollowed, isWaiting } from '../../sidecar/protocol/channels/annotations/progress.ts';
import type { Annotation, AnnotationsState } from '../../sidecar/protocol/channels/annotations/schema.ts';
import type { SessionCatalogue } from '../client/catalogue.ts';
import type { Changesets } from '../client/changesets.ts';
import { contentUriParts, shownFileOf } from '../client/contentUris.ts';
import type { Disposable, HostPort } from '../client/port.ts';
import { addComment, deleteComment, type SessionComment, sendComments, setResolved } from './commentCommands.ts';
import { FollowedComments } from './followedComments.ts';
import { WaitingComments } from './review/waitingComments.ts';

export interface CommentsDeps {
  /** Each session's own host. */
  readonly port: HostPort;
  readonly catalogue: Pick<SessionCatalogue, 'sessions' | 'onDidChange'>;
  readonly changesets: Changesets;
  /** Empty for a session of this machine, otherwise the address of its host. */
  readonly hostOf: (session: string) => string;
}

/** Comments on what agents changed, as threads of the editor's own, in files and diffs. What they are, the host knows. */
export class Comments implements vscode.Disposable {
  readonly #deps: CommentsDeps;
  readonly #controller = vscode.comments.createCommentController('switchboard.comments', 'Switchboard');
  readonly #followed: FollowedComments;
  readonly #waiting: WaitingComments;
  readonly #threads = new Map<string, vscode.CommentThread>();
  readonly #annotations = new Map<vscode.CommentThread, Annotation>();
  /** Made in this window, and so unfolded when they come back from the host. */
  readonly #made = new Set<string>();
  readonly #stop: Disposable;

  constructor(deps: CommentsDeps) {
    this.#deps = deps;
    this.#waiting = new WaitingComments({
      catalogue: deps.catalogue,
      send: (...it) => sendComments(deps.port, ...it),
    });
    this.#followed = new FollowedComments({ ...deps, show: (session, state) => this.#show(session, state) });
    this.#controller.options = {
      prompt: vscode.l10n.t('Add a comment'),
      placeHolder: vscode.l10n.t('What should the agent know about this?'),
    };
    this.#controller.commentingRangeProvider = {
      provideCommentingRanges: (document) =>
        holdingOf(deps.changesets, document.uri) === undefined
          ? []
          : [new vscode.Range(0, 0, Math.max(0, document.lineCount - 1), 0)],
    };
    this.#stop = deps.catalogue.onDidChange(() => this.#follow());
    this.#follow();
  }

  async add(reply: vscode.CommentReply): Promise<void> {
    const session = await addComment(this.#deps, reply, this.#idOf(reply.thread), (it) => this.#made.add(it));
    if (session !== undefined) this.#followed.look(session);
  }

  setResolved(thread: vscode.CommentThread, isResolved: boolean): void {
    setResolved(this.#deps.port, this.#idOf(thread), isResolved);
  }

  delete(comment: SessionComment): void {
    deleteComment(this.#deps.port, comment);
  }

  /** All that wait, of the session of a thread or of one that a person chooses. */
  async sendReview(argument: unknown): Promise<void> {
    const thread = [...this.#annotations.keys()].find((it) => it === argument);
    await this.#waiting.send(thread && this.#idOf(thread)?.session);
  }

  async send(thread: vscode.CommentThread): Promise<void> {
    const id = this.#idOf(thread);
    const annotation = this.#annotations.get(thread);
    if (id && annotation) await sendComments(this.#deps.port, id.session, [annotation]);
  }

  dispose(): void {
    this.#stop.dispose();
    this.#followed.dispose();
    this.#waiting.dispose();
    this.#controller.dispose();
  }

  #follow(): void {
    const marked = this.#deps.catalogue.sessions.filter((it) => (it.annotations?.annotationCount ?? 0) > 0);
    this.#followed.follow(marked.map((it) => it.resource));
  }

  #show(session: string, state: AnnotationsState | undefined): void {
    this.#waiting.show(session, state);
    const wanted = new Map((state?.annotations ?? []).map((it) => [`${session} ${it.id}`, it]));
    for (const [key, thread] of this.#threads) {
      if (!key.startsWith(`${session} `) || wanted.has(key)) continue;
      thread.dispose();
      this.#threads.delete(key);
      this.#annotations.delete(thread);
    }
    for (const [key, annotation] of wanted) this.#showOne(key, session, annotation);
  }

  #showOne(key: string, session: string, annotation: Annotation): void {
    const { resource, range, resolved, entries } = annotation;
    const { start, end } = range ?? { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    const place = new vscode.Range(start.line, start.character, end.line, end.character);
    const known = this.#threads.get(key);
    const thread = known ?? this.#controller.createCommentThread(this.#documentOf(session, resource), place, []);
    this.#threads.set(key, thread);
    const wasResolved = this.#annotations.get(thread)?.resolved;
    this.#annotations.set(thread, annotation);
    if (this.#made.delete(annotation.id)) thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    thread.range = place;
    if (resolved && wasResolved === false) thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
    thread.label = this.#labelOf(session, annotation);
    thread.contextValue = resolved ? 'resolved' : isWaiting(annotation) ? 'waiting' : 'sent';
    thread.state = resolved ? vscode.CommentThreadState.Resolved : vscode.CommentThreadState.Unresolved;
    thread.comments = entries.map(
      ({ id, text }): SessionComment => ({
        session,
        annotation,
        entryId: id,
        body: typeof text === 'string' ? text : new vscode.MarkdownString(text.markdown),
        mode: vscode.CommentMode.Preview,
        author: { name: vscode.l10n.t('You') },
      }),
    );
  }

  #labelOf(session: string, annotation: Annotation): string {
    if (annotation.resolved)
      return isFollowed(annotation)
        ? vscode.l10n.t('Comment (resolved: the agent changed this line)')
        : vscode.l10n.t('Comment (resolved)');
    if (!isWaiting(annotation)) return vscode.l10n.t('Comment (sent to the agent)');
    const count = this.#waiting.countOf(session);
    return count === 1
      ? vscode.l10n.t('Comment (not sent yet)')
      : vscode.l10n.t('Comment (1 of {0} not sent yet)', count);
  }

  /** Where the editor shows a file of the session's host. */
  #documentOf(session: string, resource: string): vscode.Uri {
    const host = this.#deps.hostOf(session);
    const uri = vscode.Uri.parse(resource);
    return host === '' ? uri : vscode.Uri.from(contentUriParts(resource, uri.path, host));
  }

  #idOf(thread: vscode.CommentThread): { session: string; annotationId: string } | undefined {
    const key = [...this.#threads].find(([, it]) => it === thread)?.[0];
    const [session, ...id] = key?.split(' ') ?? [];
    return session === undefined ? undefined : { session, annotationId: id.join(' ') };
  }
}

function holdingOf(changesets: Changesets, uri: vscode.Uri): string | undefined {
  const file = shownFileOf(uri, uri.toString());
  return file && changesets.holding(file);
}
