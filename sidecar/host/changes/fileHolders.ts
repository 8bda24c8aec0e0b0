/** A session whose running turn changes files that another session is about to change. */
export interface FileHolder {
  readonly session: string;
  /** The real paths that this session changes, among those that were asked about. */
  readonly paths: readonly string[];
  /** This session waits for the session that asks, directly or through others. */
  readonly isWaitingForUs: boolean;
}

/** The files of all sessions, as the turn of one chat sees them. Paths are absolute real paths. */
export interface HeldFiles {
  /** Records that the turn changes these files, or may change them. @returns those that it did not hold yet */
  hold(paths: readonly string[]): readonly string[];
  /** Other sessions whose running turns change them, except files that were handed over to this session. */
  others(paths: readonly string[]): readonly FileHolder[];
  /** From now on, this session may change the files without a warning, and the others get one. */
  takeOver(paths: readonly string[]): void;
  /**
   * Holds the files as soon as no other session changes them. Rejects when the signal aborts.
   * @returns whether the files are held; `false` if a session that changes them waits for this session
   */
  whenFree(paths: readonly string[], signal: AbortSignal): Promise<boolean>;
}

interface Waiting {
  readonly session: string;
  readonly holders: ReadonlySet<string>;
  readonly wake: () => void;
}

/**
 * Which session changes which file, for as long as turns run. It is kept in memory: after a restart of the host, no turn
 * runs (host.files.held).
 */
export class FileHolders {
  /** The session by chat, by path. */
  readonly #held = new Map<string, Map<string, string>>();
  readonly #takenOver = new Map<string, string>();
  readonly #waiting = new Set<Waiting>();

  of(session: string, chat: string): HeldFiles {
    return {
      hold: (paths) => paths.filter((path) => this.#hold(session, chat, path)),
      others: (paths) => this.#others(session, paths),
      takeOver: (paths) => paths.forEach((path) => void this.#takenOver.set(path, session)),
      whenFree: (paths, signal) => this.#whenFree(session, chat, paths, signal),
    };
  }

  /** The turn of the chat has ended, so it no longer changes files. */
  ended(chat: string): void {
    for (const [path, chats] of this.#held) {
      if (!chats.delete(chat)) continue;
      if (![...chats.values()].includes(this.#takenOver.get(path) ?? '')) this.#takenOver.delete(path);
      if (chats.size === 0) this.#held.delete(path);
    }
    for (const it of this.#waiting) it.wake();
  }

  #hold(session: string, chat: string, path: string): boolean {
    const chats = this.#held.get(path) ?? new Map<string, string>();
    if (chats.has(chat)) return false;
    this.#held.set(path, chats.set(chat, session));
    return true;
  }

  #others(session: string, paths: readonly string[]): FileHolder[] {
    const found = new Map<string, string[]>();
    for (const path of new Set(paths)) {
      if (this.#takenOver.get(path) === session) continue;
      for (const holder of new Set(this.#held.get(path)?.values())) {
        if (holder !== session) found.set(holder, [...(found.get(holder) ?? []), path]);
      }
    }
    return [...found].map(([holder, held]) => ({
      session: holder,
      paths: held,
      isWaitingForUs: this.#isWaiting(holder, session, new Set()),
    }));
  }

  #isWaiting(session: string, target: string, seen: Set<string>): boolean {
    if (seen.has(session)) return false;
    seen.add(session);
    return [...this.#waiting]
      .filter((it) => it.session === session)
      .some(({ holders }) => holders.has(target) || [...holders].some((it) => this.#isWaiting(it, target, seen)));
  }

  async #whenFree(session: string, chat: string, paths: readonly string[], signal: AbortSignal): Promise<boolean> {
    for (;;) {
      signal.throwIfAborted();
      const holders = this.#others(session, paths);
      if (holders.some((it) => it.isWaitingForUs)) return false;
      if (holders.length === 0) {
        // Held immediately: of several sessions that wait for the same turn, only one continues.
        for (const path of paths) this.#hold(session, chat, path);
        return true;
      }
      await this.#nextEnd(session, new Set(holders.map((it) => it.session)), signal);
    }
  }

  async #nextEnd(session: string, holders: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const waiting = { session, holders, wake: () => leave(resolve) };
      const onAbort = () => leave(() => reject(signal.reason));
      const leave = (settle: () => void) => {
        this.#waiting.delete(waiting);
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiting);
    });
  }
}
