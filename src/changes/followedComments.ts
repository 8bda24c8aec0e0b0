import type { AnnotationsState } from '../../sidecar/protocol/channels/annotations/schema.ts';
import { annotationsUri } from '../../sidecar/protocol/uris.ts';
import type { ChannelView, HostPort } from '../client/port.ts';

/** Sessions whose comments are followed, newest first. */
const MAX_SESSIONS = 20;

export interface FollowedCommentsDeps {
  /** Each session's own host. */
  readonly port: Pick<HostPort, 'open'>;
  /** Empty for a session of this machine, otherwise the address of its host. */
  readonly hostOf: (session: string) => string;
  /** With nothing for a session that is followed no more. */
  readonly show: (session: string, state: AnnotationsState | undefined) => void;
}

interface Followed {
  readonly view: ChannelView<AnnotationsState>;
  readonly stop: () => void;
  readonly host: string;
}

/** The comments of sessions, from the first look on until their host is detached from. */
export class FollowedComments {
  readonly #deps: FollowedCommentsDeps;
  readonly #views = new Map<string, Followed>();

  constructor(deps: FollowedCommentsDeps) {
    this.#deps = deps;
  }

  /** Sessions that have comments are followed, so that those of other windows show here too. */
  follow(sessions: readonly string[]): void {
    for (const [session, { host }] of this.#views) if (this.#deps.hostOf(session) !== host) this.#leave(session);
    for (const it of sessions.slice(0, MAX_SESSIONS)) this.look(it);
  }

  look(session: string): void {
    if (this.#views.has(session)) return;
    const view = this.#deps.port.open<AnnotationsState>(annotationsUri(session));
    const show = () => this.#deps.show(session, view.shown);
    this.#views.set(session, { view, stop: view.onDidChange(show).dispose, host: this.#deps.hostOf(session) });
    show();
  }

  dispose(): void {
    for (const { view, stop } of this.#views.values()) {
      stop();
      view.dispose();
    }
  }

  /** The host of the session was detached from. */
  #leave(session: string): void {
    const followed = this.#views.get(session);
    followed?.stop();
    followed?.view.dispose();
    this.#views.delete(session);
    this.#deps.show(session, undefined);
  }
}
