import { isComputing } from '../../sidecar/protocol/channels/changeset/isComputing.ts';
import type { ChangesetState } from '../../sidecar/protocol/channels/changeset/schema.ts';
import { parseSessionUri, sessionChangesetUri, uncommittedChangesetUri } from '../../sidecar/protocol/uris.ts';
import type { ShownFile } from './contentUris.ts';
import { Listeners } from './listeners.ts';
import type { ChannelView, Disposable, HostPort } from './port.ts';

const TIMEOUT_MS = 5_000;

/** The changesets that somebody looks at, by their URI. Each is subscribed to once, from the first look on. */
export class Changesets implements Disposable {
  readonly #port: Pick<HostPort, 'open'>;
  readonly #authorityOf: (changeset: string) => string;
  readonly #open = new Map<string, { readonly view: ChannelView<ChangesetState>; readonly stop: Disposable }>();
  readonly #changed = new Listeners<string>();

  /** @param authorityOf whose files it has: empty for this machine, otherwise as in the editor's URIs of that host */
  constructor(port: Pick<HostPort, 'open'>, authorityOf: (changeset: string) => string) {
    this.#port = port;
    this.#authorityOf = authorityOf;
  }

  /** Called with the URI of the changeset. */
  readonly onDidChange = (listener: (changeset: string) => void): Disposable => this.#changed.add(listener);

  /** `undefined` until the host answered. */
  look(changeset: string): ChangesetState | undefined {
    return this.#view(changeset).shown;
  }

  /** What is known without asking the host. */
  peek(changeset: string): ChangesetState | undefined {
    return this.#open.get(changeset)?.view.shown;
  }

  /** One that somebody looks at and that holds the file, on the disk of its host or where it was. */
  holding({ authority, uri }: ShownFile): string | undefined {
    for (const [changeset, { view }] of this.#open)
      if (
        this.#authorityOf(changeset) === authority &&
        view.shown?.files.some(({ edit }) => edit.after?.uri === uri || edit.before?.uri === uri)
      )
        return changeset;
    return undefined;
  }

  /** Answers with the state once it is there. @throws when it did not come within five seconds */
  read(changeset: string): Promise<ChangesetState> {
    return this.until(changeset, () => true);
  }

  /** Waits for a state. @throws when it did not come within five seconds */
  until(changeset: string, isReady: (state: ChangesetState) => boolean): Promise<ChangesetState> {
    return shownBy(this.#view(changeset), isReady);
  }

  /** The same, once the host knows all that differs. It works on it for those who look, so nobody does afterwards. */
  async computed(changeset: string): Promise<ChangesetState> {
    const view = this.#port.open<ChangesetState>(changeset);
    try {
      return await shownBy(view, (state) => !isComputing(state));
    } finally {
      view.dispose();
    }
  }

  /** Gives up the channels of all changesets but these. */
  keepOnly(changesets: ReadonlySet<string>): void {
    for (const [changeset, { view, stop }] of this.#open) {
      if (changesets.has(changeset)) continue;
      stop.dispose();
      view.dispose();
      this.#open.delete(changeset);
    }
  }

  dispose(): void {
    this.keepOnly(new Set());
  }

  #view(changeset: string): ChannelView<ChangesetState> {
    const known = this.#open.get(changeset);
    if (known) return known.view;
    const view = this.#port.open<ChangesetState>(changeset);
    this.#open.set(changeset, { view, stop: view.onDidChange(() => this.#changed.fire(changeset)) });
    return view;
  }
}

function shownBy(
  view: ChannelView<ChangesetState>,
  isReady: (state: ChangesetState) => boolean,
): Promise<ChangesetState> {
  if (view.shown && isReady(view.shown)) return Promise.resolve(view.shown);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(undefined), TIMEOUT_MS);
    const stop = view.onDidChange(() => {
      if (view.shown && isReady(view.shown)) done(view.shown);
    });
    const done = (state: ChangesetState | undefined) => {
      clearTimeout(timer);
      stop.dispose();
      if (state) resolve(state);
      else reject(new Error('The host did not answer with these changes.'));
    };
  });
}

/** What the folders of a session hold and git has not. @throws for anything that is no session URI */
export function uncommittedOf(session: string): string {
  const uuid = parseSessionUri(session);
  if (uuid === undefined) throw new Error(`not a session: ${session}`);
  return uncommittedChangesetUri(uuid);
}

/** The changeset of a whole session. @throws for anything that is no session URI */
export function changesetOf(session: string): string {
  const uuid = parseSessionUri(session);
  if (uuid === undefined) throw new Error(`not a session: ${session}`);
  return sessionChangesetUri(uuid);
}
