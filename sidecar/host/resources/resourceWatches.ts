import { join, relative } from 'node:path';
import { Fault } from '../../platform/faults.ts';
import type { Params } from '../../protocol/methods.ts';
import { schemes } from '../../protocol/uris.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import { toFileUri } from '../context/paths.ts';
import { parseGlobs } from '../files/globs.ts';
import { TreeWatch } from '../files/watchTree.ts';
import { type Access, type ResourceRequester, reading } from './access.ts';
import { parseResourceUri } from './fileUris.ts';

/** Watches that one client may have. */
const MAX_WATCHES = 50;
/** How long a watch waits for its first subscriber. */
const UNUSED_MS = 30_000;
/** Rest between two reports of one watch. */
const REST_MS = 100;

interface Watch {
  readonly requester: ResourceRequester;
  readonly real: string;
  readonly tree: TreeWatch;
}

/** Watches of files and folders, each a channel of its own that ends with its last subscriber. */
export class ResourceWatches {
  readonly #deps: EffectDeps;
  readonly #access: Access;
  readonly #watches = new Map<string, Watch>();
  /** They count from the request on: of many at once each knows of those before it. */
  readonly #opening = new Set<Pick<Watch, 'requester'>>();

  constructor(deps: EffectDeps, access: Access) {
    this.#deps = deps;
    this.#access = access;
  }

  /** @throws {Fault} `not_found`, `forbidden`, `invalid_params` */
  async create(params: Params<'createResourceWatch'>, requester: ResourceRequester): Promise<string> {
    const held = [...this.#watches.values(), ...this.#opening].filter((it) => it.requester === requester);
    if (held.length >= MAX_WATCHES) throw new Fault('invalid_params', `too many watches (limit: ${MAX_WATCHES})`);
    const place = { requester };
    this.#opening.add(place);
    try {
      return await this.#open(params, place);
    } finally {
      this.#opening.delete(place);
    }
  }

  async #open(params: Params<'createResourceWatch'>, place: Pick<Watch, 'requester'>): Promise<string> {
    const { requester } = place;
    const { uri, recursive = false, excludes, includes } = params;
    const located = await this.#access.require(requester, uri, reading);
    const { store, newId, timers, report } = this.#deps;
    const channel = `${schemes.resourceWatch}:/${newId()}`;
    const parsed = parseResourceUri(uri, 'uri');
    const named = parsed.kind === 'file' ? parsed.path : located.real;
    const tree = await TreeWatch.open(located, {
      recursive,
      includes: includes && parseGlobs(includes.items, 'includes'),
      excludes: excludes && parseGlobs(excludes.items, 'excludes'),
      timers: { after: (delayMs, work) => timers.after(delayMs + REST_MS, work) },
      onFailed: (thrown) => report(newId(), thrown),
      onChanges: (changes) => {
        if (!store.has(channel)) return;
        // Under the name that the client knows, also where that is a link.
        const items = changes
          .filter(({ path }) => !this.#access.isOwn(path))
          .map(({ path, type }) => ({ uri: toFileUri(join(named, relative(located.real, path))), type }));
        if (items.length === 0) return;
        store.commit(channel, { type: 'resourceWatch/changed', changes: { items } } as { type: string });
      },
    });
    const state = { root: toFileUri(named), recursive, ...(excludes && { excludes }), ...(includes && { includes }) };
    this.#opening.delete(place);
    this.#watches.set(channel, { requester, real: located.real, tree });
    store.create('resourceWatch', channel, state, { client: requester.clientId });
    timers.after(UNUSED_MS, () => this.releaseUnused(channel));
    await store.settled();
    return channel;
  }

  /** Ends a watch that nobody is subscribed to. */
  releaseUnused(channel: string): void {
    if (this.#watches.has(channel) && !this.#deps.isWatched(channel)) this.#release(channel);
  }

  /** The client is gone: what nobody else looks at ends. */
  clientGone(clientId: string): void {
    for (const [channel, { requester }] of [...this.#watches])
      if (requester.clientId === clientId) this.releaseUnused(channel);
  }

  /** A grant was taken back: what it alone opened ends. */
  async recheck(): Promise<void> {
    for (const [channel, { requester, real }] of [...this.#watches]) {
      if (!(await this.#access.isAllowed(requester, real, reading))) this.#release(channel);
    }
  }

  close(): void {
    for (const { tree } of this.#watches.values()) tree.close();
    this.#watches.clear();
  }

  #release(channel: string): void {
    this.#watches.get(channel)?.tree.close();
    this.#watches.delete(channel);
    this.#deps.store.remove(channel);
    this.#deps.dropChannel(channel);
  }
}
