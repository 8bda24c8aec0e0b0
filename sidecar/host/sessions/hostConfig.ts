import type { RootAction } from '../../protocol/channels/root/schema.ts';
import { sameJson } from '../../protocol/collections.ts';
import { type ConfigPropertySchema, type ConfigSchema, ConfigValues } from '../../protocol/configSchemas.ts';
import { changeProblem, valueProblem } from '../../protocol/configValues.ts';
import { ROOT } from '../../protocol/uris.ts';
import type { Store } from '../state/store.ts';
import type { HostStorage } from '../storage/hostStorage.ts';

/** Where the values are stored. */
const KEY = 'root_config';
const usual = 1_000_000;

/** What can be set for the host as a whole. What windows set by their settings is shown, and locked. */
const schema: ConfigSchema = {
  type: 'object',
  properties: {
    terminalOutput: {
      type: 'number',
      title: 'Terminal output to keep',
      description: 'How much output the host keeps for each terminal. The oldest output is dropped first.',
      default: usual,
      enum: [250_000, usual, 4_000_000],
      enumLabels: ['250,000 characters', '1,000,000 characters', '4,000,000 characters'],
      enumDescriptions: ['About 3,000 lines', 'About 12,000 lines', 'About 50,000 lines'],
    },
    idleExitMinutes: {
      type: 'number',
      title: 'Minutes until an idle host stops',
      description:
        'Set by switchboard.host.idleExitMinutes. If windows have different values, the highest value applies.',
      readOnly: true,
    },
    durability: {
      type: 'string',
      title: 'Durability',
      description: 'Set by switchboard.host.durability. If windows have different values, the safest value applies.',
      enum: ['normal', 'full'],
      enumLabels: ['Normal', 'Full'],
      enumDescriptions: ['Survives a host crash', 'Also survives a power outage'],
      readOnly: true,
    },
  },
};

type Changed = Extract<RootAction, { type: 'root/configChanged' }>;

/** The configuration of the host in root state: kept over restarts, changed by clients where it may be. */
export class HostConfig {
  readonly #store: Store;
  readonly #storage: Pick<HostStorage, 'small'>;

  constructor(store: Store, storage: Pick<HostStorage, 'small'>) {
    this.#store = store;
    this.#storage = storage;
    store.replaceState('root', ROOT, (state) => ({ ...state, config: { schema, values: this.#stored() } }));
  }

  /** Characters of output that a terminal keeps. */
  get terminalOutput(): number {
    const value = this.#values['terminalOutput'];
    return typeof value === 'number' ? value : usual;
  }

  /** Why a client cannot change it so, or `undefined`; then it is stored in the tick in which it is committed. */
  take({ config, replace }: Changed): string | undefined {
    const values = this.#values;
    const refused = changeProblem({ schema, values }, config, replace, isOwn);
    if (refused !== undefined) return refused;
    const after = Object.entries(replace ? config : { ...values, ...config });
    const own = Object.fromEntries(after.filter(([id]) => isOwn(schema.properties[id])));
    this.#store.writeRows(() => this.#storage.small.putText(KEY, JSON.stringify(own)));
    return undefined;
  }

  /** What the windows that are there now ask for. */
  show(windows: { readonly idleExitMinutes: number; readonly durability: 'normal' | 'full' }): void {
    const config = { idleExitMinutes: windows.idleExitMinutes, durability: windows.durability };
    if (sameJson({ ...this.#values, ...config }, this.#values)) return;
    const change: Changed = { type: 'root/configChanged', config };
    this.#store.commit(ROOT, change);
  }

  get #values(): ConfigValues {
    return this.#store.root.config?.values ?? {};
  }

  /** Values of an older build that fit no more are left out. */
  #stored(): ConfigValues {
    const stored = ConfigValues.parse(JSON.parse(this.#storage.small.text(KEY) ?? '{}'));
    const own = Object.entries(schema.properties).filter(([, it]) => isOwn(it));
    return Object.fromEntries(
      own.map(([id, it]) => [id, valueProblem(it, stored[id], id) === undefined ? stored[id] : it.default]),
    );
  }
}

const isOwn = (property: ConfigPropertySchema | undefined): boolean => property?.readOnly !== true;
