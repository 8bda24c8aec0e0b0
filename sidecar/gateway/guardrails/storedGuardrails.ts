import type { Log } from '../../platform/logger.ts';
import type { Timers } from '../../platform/timers.ts';
import type { Guardrail, GuardrailRecord } from '../../protocol/gateway/guardrail.ts';
import type { GatewayStore } from '../storage/store.ts';

/** Where the records could not be read, they are read again so much later. */
const RETRY_MS = 1_000;
const none: readonly Guardrail[] = [];

export interface StoredGuardrailsDeps {
  readonly store: GatewayStore;
  /** Those of the configuration file: the same objects until something changes. Absent: there is no file. */
  readonly fromFile?: (() => readonly Guardrail[]) | undefined;
  readonly timers: Pick<Timers, 'after'>;
  readonly log: Log;
}

/**
 * The guardrails now: those of the file, then those that administrators made, in their order. One of the file goes before one
 * of the same name that was made. Until a change was read, the earlier ones apply.
 */
export class StoredGuardrails {
  readonly #deps: StoredGuardrailsDeps;
  #records: readonly GuardrailRecord[] = [];
  /** Readings that were begun, and the latest of those that ended. */
  #begun = 0;
  #ended = 0;
  /** What was built for a guardrail belongs to its object, so an unchanged record keeps it. */
  #known = new Map<string, { readonly version: string; readonly guardrail: Guardrail }>();
  #merged:
    | {
        readonly file: readonly Guardrail[];
        readonly records: readonly GuardrailRecord[];
        readonly all: readonly Guardrail[];
      }
    | undefined;

  constructor(deps: StoredGuardrailsDeps) {
    this.#deps = deps;
    deps.store.changes.listen((kind) => {
      if (kind === 'guardrail') void this.#follow();
    });
  }

  /** Reads what was made. Before anything is served: no call passes without it. @throws {Fault} `unavailable` */
  async read(): Promise<void> {
    const reading = ++this.#begun;
    const records = await this.#deps.store.guardrail.all();
    // One that began later has seen more.
    if (reading < this.#ended) return;
    this.#ended = reading;
    this.#records = records.toSorted(
      (a, b) => a.position - b.position || (a.guardrail_name < b.guardrail_name ? -1 : 1),
    );
  }

  readonly now = (): readonly Guardrail[] => {
    const file = this.#fromFile();
    if (this.#merged?.file === file && this.#merged.records === this.#records) return this.#merged.all;
    const names = new Set(file.map((it) => it.guardrail_name));
    const made = this.#records.filter((it) => !names.has(it.guardrail_name)).map((it) => this.#objectOf(it));
    const all = made.length === 0 ? file : [...file, ...made];
    this.#merged = { file, records: this.#records, all };
    return all;
  };

  isFromFile(name: string): boolean {
    return this.#fromFile().some((it) => it.guardrail_name === name);
  }

  #fromFile(): readonly Guardrail[] {
    return this.#deps.fromFile?.() ?? none;
  }

  async #follow(): Promise<void> {
    try {
      await this.read();
    } catch (thrown) {
      this.#deps.log.error({ thrown }, 'The guardrails could not be read. The earlier ones apply until they can be.');
      this.#deps.timers.after(RETRY_MS, () => void this.#follow());
    }
  }

  #objectOf({ guardrail_name, gateway_params, updated_at }: GuardrailRecord): Guardrail {
    const version = `${updated_at} ${JSON.stringify(gateway_params)}`;
    const known = this.#known.get(guardrail_name);
    if (known?.version === version) return known.guardrail;
    const guardrail = { guardrail_name, gateway_params };
    this.#known.set(guardrail_name, { version, guardrail });
    return guardrail;
  }
}
