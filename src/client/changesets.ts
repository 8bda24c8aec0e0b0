import type { ChangesetState } from '../../sidecar/protocol/channels/changeset/schema.ts';
import { parseSessionUri, sessionChangesetUri } from '../../sidecar/protocol/uris.ts';
import { Listeners } from './listeners.ts';
import type { ChannelView, Disposable, HostPort } from './port.ts';

/** The changesets of whole sessions that somebody looks at. Each is subscribed to once, from the first look on. */
export class Changesets implements Disposable {
  readonly #port: HostPort;
  readonly #open = new Map<string, { readonly view: ChannelView<ChangesetState>; readonly stop: Disposable }>();
  readonly #changed = new Listeners<string>();

  constructor(port: HostPort) {
    this.#port = port;
  }

  /** Called with the session's URI. */
  readonly onDidChange = (listener: (session: string) => void): Disposable => this.#changed.add(listener);

  /** `undefined` until the host answered. */
  look(session: string): ChangesetState | undefined {
    return this.#view(session).shown;
  }

  /** What is known without asking the host. */
  peek(session: string): ChangesetState | undefined {
    return this.#open.get(session)?.view.shown;
  }

  /** Answers with the state once it is there. @throws when it did not come within `timeoutMs` */
  async read(session: string, timeoutMs = 5000): Promise<ChangesetState> {
    const view = this.#view(session);
    const now = view.shown;
    if (now) return now;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => done(undefined), timeoutMs);
      const stop = view.onDidChange(() => {
        if (view.shown) done(view.shown);
      });
      const done = (state: ChangesetState | undefined) => {
        clearTimeout(timer);
        stop.dispose();
        if (state) resolve(state);
        else reject(new Error('The host did not answer with the changes of this session.'));
      };
    });
  }

  /** Gives up the channels of all sessions but these. */
  keepOnly(sessions: ReadonlySet<string>): void {
    for (const [session, { view, stop }] of this.#open) {
      if (sessions.has(session)) continue;
      stop.dispose();
      view.dispose();
      this.#open.delete(session);
    }
  }

  dispose(): void {
    this.keepOnly(new Set());
  }

  #view(session: string): ChannelView<ChangesetState> {
    const known = this.#open.get(session);
    if (known) return known.view;
    const view = this.#port.open<ChangesetState>(changesetOf(session));
    this.#open.set(session, { view, stop: view.onDidChange(() => this.#changed.fire(session)) });
    return view;
  }
}

/** @throws for anything that is no session URI */
export function changesetOf(session: string): string {
  const uuid = parseSessionUri(session);
  if (uuid === undefined) throw new Error(`not a session: ${session}`);
  return sessionChangesetUri(uuid);
}
