import { Fault } from '../../platform/faults.ts';
import type { ModelRecord } from '../../protocol/gateway/model.ts';
import { type ProvidedModel, providedModel } from '../../protocol/gateway/modelProviders/index.ts';
import { modelTarget } from '../backends/modelTarget.ts';
import type { BackendTarget } from '../backends/net/pool.ts';
import type { ModelOperation } from './readCall.ts';

const known = new WeakMap<ModelRecord, BackendAddress>();

/**
 * Where calls of a backend go. Read once for each record, because a record that changes is a new object.
 *
 * @throws {Fault} `unavailable`
 */
export function addressOf(backend: ModelRecord): BackendAddress {
  let address = known.get(backend);
  if (!address) known.set(backend, (address = new BackendAddress(backend)));
  return address;
}

export class BackendAddress {
  readonly provided: ProvidedModel;
  readonly target: BackendTarget;
  readonly #base: string;
  readonly #urls = new WeakMap<ModelOperation, string>();
  #origin: string | undefined;

  constructor(backend: ModelRecord) {
    const { model, api_base } = backend.gateway_params;
    const provided = providedModel(model);
    // Records are checked when they are written, but a newer version may have written this one.
    if (!provided) throw new Fault('unavailable', 'This version does not support the provider of this model.');
    this.provided = provided;
    this.target = modelTarget(backend);
    this.#base = (api_base ?? provided.definition.apiBase ?? '').replace(/\/+$/, '');
  }

  get origin(): string {
    this.#origin ??= new URL(this.#base).origin;
    return this.#origin;
  }

  urlFor(operation: ModelOperation): string {
    let url = this.#urls.get(operation);
    if (url === undefined) this.#urls.set(operation, (url = this.#urlFor(operation)));
    return url;
  }

  #urlFor({ dialect, version, suffix }: ModelOperation): string {
    const { definition, name } = this.provided;
    const model = name.split('/').map(encodeURIComponent).join('/');
    const path = definition.dialects[dialect] ?? '';
    return `${this.#base}${path.replace('{model}', () => model).replace('{version}', version ?? '')}${suffix}`;
  }
}
