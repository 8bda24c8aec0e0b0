import type { Memento } from 'vscode';

const KEY = 'lastUsedAgent';
/** By agent, ids of its models. */
const PINNED = 'pinnedModels';
const RECENT = 'recentModels';
const mostRecent = 3;

/** What a person sent a message with. How much the agent may do by itself is not part of it. */
interface Used {
  readonly provider?: string;
  readonly model?: string;
  readonly folder?: string;
}

/**
 * What the next new session of this workspace starts with: the agent, model and folder that a message was last sent with. A
 * permission mode is never kept: a person chooses it for one session (`host.mode.not-inherited`).
 */
export class LastUsed {
  readonly #memory: Pick<Memento, 'get' | 'update'>;
  /** Where new sessions work is one choice, whether it is made by the command or in a chat. */
  readonly #folders: { remember(uri: string): Promise<void> };

  constructor(memory: Pick<Memento, 'get' | 'update'>, folders: { remember(uri: string): Promise<void> }) {
    this.#memory = memory;
    this.#folders = folders;
  }

  get agent(): string | undefined {
    return textOf(this.#memory.get(KEY), 'provider');
  }

  /** The model that was last used with an agent. Another agent does not know it. */
  modelOf(provider: string): string | undefined {
    return provider === this.agent ? textOf(this.#memory.get(KEY), 'model') : undefined;
  }

  /** Models of an agent that stand first in its list. */
  favorites(provider: string | undefined): { readonly pinned: readonly string[]; readonly recent: readonly string[] } {
    if (provider === undefined) return { pinned: [], recent: [] };
    return { pinned: this.#models(PINNED, provider), recent: this.#models(RECENT, provider) };
  }

  async pinModel(provider: string, model: string, isPinned: boolean): Promise<void> {
    const others = this.#models(PINNED, provider).filter((it) => it !== model);
    await this.#keepModels(PINNED, provider, isPinned ? [...others, model] : others);
  }

  #models(key: string, provider: string): readonly string[] {
    const kept = this.#memory.get<unknown>(key);
    const all: unknown = typeof kept === 'object' && kept !== null ? Reflect.get(kept, provider) : undefined;
    return Array.isArray(all) ? all.filter((it) => typeof it === 'string') : [];
  }

  async #keepModels(key: string, provider: string, models: readonly string[]): Promise<void> {
    const kept = this.#memory.get<unknown>(key);
    await this.#memory.update(key, { ...(typeof kept === 'object' && kept), [provider]: models });
  }

  async remember({ provider, model, folder }: Used): Promise<void> {
    if (folder !== undefined) await this.#folders.remember(folder);
    if (provider === undefined) return;
    const recent = this.#models(RECENT, provider);
    if (model !== undefined && recent[0] !== model)
      await this.#keepModels(RECENT, provider, [model, ...recent.filter((it) => it !== model)].slice(0, mostRecent));
    const kept = model ?? this.modelOf(provider);
    if (provider === this.agent && kept === this.modelOf(provider)) return;
    await this.#memory.update(KEY, { provider, ...(kept !== undefined && { model: kept }) });
  }
}

/** What the editor kept may come from another version. */
function textOf(kept: unknown, name: 'provider' | 'model'): string | undefined {
  const value: unknown = typeof kept === 'object' && kept !== null ? Reflect.get(kept, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}
