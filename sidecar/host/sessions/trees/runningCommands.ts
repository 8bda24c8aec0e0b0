import { SessionsWithCommand } from '../../../protocol/channels/session/setUp.ts';
import type { EffectDeps } from '../../context/effectDeps.ts';

/** Sessions in whose worktrees a command of a kind runs. They are stored, so that a host that starts finds the interrupted ones. */
export class RunningCommands {
  readonly #deps: Pick<EffectDeps, 'store' | 'storage'>;
  readonly #key: string;
  readonly #sessions = new Set<string>();

  /** @param key under which they are stored */
  constructor(deps: Pick<EffectDeps, 'store' | 'storage'>, key: string) {
    this.#deps = deps;
    this.#key = key;
  }

  has(session: string): boolean {
    return this.#sessions.has(session);
  }
  add(session: string): void {
    this.#sessions.add(session);
    this.#put();
  }
  delete(session: string): void {
    this.#sessions.delete(session);
    this.#put();
  }

  /** @returns those of an earlier host, which are forgotten */
  takeInterrupted(): string[] {
    const stored = SessionsWithCommand.parse(JSON.parse(this.#deps.storage.small.text(this.#key) ?? NONE));
    this.#put();
    return stored.filter((it) => !this.has(it)); // others began again since this host started
  }

  #put(): void {
    const { store, storage } = this.#deps;
    const text = JSON.stringify([...this.#sessions]);
    store.writeRows(() => storage.small.putText(this.#key, text));
  }
}
const NONE = '[]';
