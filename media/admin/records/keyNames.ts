import type { ReactiveControllerHost } from 'lit';
import { t } from '../../shared/l10n.ts';
import type { Routes } from '../gateway.ts';
import { shortHash } from '../kit/format.ts';
import { visible } from './lookups.ts';

const isHash = (it: string): boolean => /^[0-9a-f]{64}$/.test(it);

/** The first administrator's key is made by the gateway itself: its name says nothing to a person. */
export const keyWords = (name: string): string =>
  /^administrator-[0-9a-f]{8}$/.test(name) ? t('Administrator') : name;

/** Names for the hashes by which records know keys. Who has no name, or is gone, keeps the hash. */
export class KeyNames {
  readonly #host: Pick<ReactiveControllerHost, 'requestUpdate'>;
  readonly #routes: () => Routes;
  readonly #names = new Map<string, string>();

  constructor(host: Pick<ReactiveControllerHost, 'requestUpdate'>, routes: () => Routes) {
    this.#host = host;
    this.#routes = routes;
  }

  /** What is no hash is shown as it is. */
  of(id: string): string {
    return this.#names.get(id) ?? (isHash(id) ? shortHash(id) : id);
  }

  async learn(ids: readonly string[]): Promise<void> {
    const unknown = [...new Set(ids)].filter((it) => isHash(it) && !this.#names.has(it));
    for (const it of unknown) this.#names.set(it, shortHash(it));
    await Promise.all(
      unknown.map(async (it) => {
        const [info] = await visible(
          this.#routes()
            .key(it)
            .then((found) => [found.info]),
        );
        if (info) this.#names.set(it, info.key_alias || info.key_name);
      }),
    );
    if (unknown.length > 0) this.#host.requestUpdate();
  }
}
