import { Fault } from '../../platform/faults.ts';
import { errorCodes } from '../../protocol/errors.ts';
import { methods, type RequestParams } from '../../protocol/methods.ts';
import { ROOT } from '../../protocol/uris.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import type { ResourceRequester } from './access.ts';
import { unreachable } from './fileUris.ts';

export interface PublishedDeps {
  readonly effects: Pick<EffectDeps, 'store'>;
  /**
   * A request to a client that is connected.
   * @throws `ResponseError` of the client, {@link Fault} `unavailable` when it is away or takes too long
   */
  readonly askClient: (clientId: string, method: string, params: object) => Promise<unknown>;
}

type Readable = 'resourceRead' | 'resourceList' | 'resourceResolve';
/** Ours and the web's: no client can publish them. */
const reserved = /^(?:file|https?|data|host-[a-z-]*|x-switchboard.*)$/;

/**
 * Resources that clients published under schemes of their own, as virtual plugins: for any reader of that session the
 * host asks the one client that published them.
 */
export class PublishedResources {
  readonly #deps: PublishedDeps;

  constructor(deps: PublishedDeps) {
    this.#deps = deps;
  }

  /** @throws {Fault} `forbidden` where nobody published it, `not_found`, `unavailable` */
  async ask<M extends Readable>(
    method: M,
    params: RequestParams<M>,
    requester: ResourceRequester,
  ): Promise<ReturnType<(typeof methods)[M]['result']['parse']>> {
    const clientId = this.#publisherOf(params.uri, requester);
    if (clientId === undefined) throw unreachable();
    const answer = await this.#deps.askClient(clientId, method, { ...params, channel: ROOT }).catch(toFault);
    const parsed = methods[method].result.safeParse(answer);
    if (!parsed.success)
      throw new Fault('unavailable', 'the client that provides this resource returned an invalid response');
    return parsed.data as ReturnType<(typeof methods)[M]['result']['parse']>;
  }

  #publisherOf(uri: string, requester: ResourceRequester): string | undefined {
    const scheme = uri.slice(0, uri.indexOf(':')).toLowerCase();
    if (reserved.test(scheme) || hasDots(uri)) return undefined;
    for (const channel of requester.baselines) {
      for (const { clientId, customizations } of this.#deps.effects.store.state('session', channel)?.activeClients ??
        []) {
        if (customizations?.some((it) => isUnder(uri, it.uri))) return clientId;
      }
    }
    return undefined;
  }
}

function isUnder(uri: string, published: string): boolean {
  return uri === published || uri.startsWith(published.endsWith('/') ? published : `${published}/`);
}

/** `..` in any spelling: it would lead out of what was published. */
function hasDots(uri: string): boolean {
  const plain = uri
    .replace(/%2e/gi, '.')
    .replace(/%2f/gi, '/')
    .replace(/%5c|\\/gi, '/');
  return plain.split(/[/?#]/).some((it) => it === '..' || it === '.');
}

const known: Readonly<Record<number, () => Fault>> = {
  [errorCodes.ContentNotFound]: () =>
    new Fault('not_found', 'the client that provides this resource could not find it'),
  [errorCodes.NotFound]: () => new Fault('not_found', 'the client that provides this resource could not find it'),
  [errorCodes.PermissionDenied]: () =>
    new Fault('forbidden', 'the client that provides this resource denied access', { data: {} }),
  [errorCodes.MethodNotFound]: () =>
    new Fault('not_found', 'the client that provides this resource does not support this request'),
};

/** What another client says stays there: only its number counts. */
function toFault(thrown: unknown): never {
  if (thrown instanceof Fault) throw thrown;
  const code = (thrown as { code?: unknown } | null)?.code;
  const fault = typeof code === 'number' ? known[code]?.() : undefined;
  throw (
    fault ?? new Fault('unavailable', 'the client that provides this resource could not read it', { cause: thrown })
  );
}
