import { isRecord } from '../platform/isRecord.ts';
import { errorCodes } from '../protocol/errors.ts';
import { ROOT } from '../protocol/uris.ts';
import { type Json, mapList, mapMember, textOf } from './json.ts';
import { learnRoot, type PublicClient } from './publicClients.ts';
import { toPublicReason } from './publicReasons.ts';
import { isAtLeast, knowsAction } from './publicVersions.ts';
import { renameUris } from './renameUris.ts';
import { toPublicAction } from './toPublicAction.ts';
import { toPublicState, withOneFolder, withOneFolderChanged, withoutChats } from './toPublicState.ts';

/** Whether a client's version does not have an action. */
export function isUnknown({ action }: Json, { version }: PublicClient): boolean {
  return isRecord(action) && !knowsAction(version, String(action['type']));
}

/** Whether the client dispatched it: it hears the result, whether or not its version has the action. */
export function isReceipt({ origin }: Json, { id }: PublicClient): boolean {
  return isRecord(origin) && origin['clientId'] === id;
}

/** What the host says, in the words of one client. `undefined`: nothing for it. */
export class ToClient {
  readonly #client: PublicClient;

  constructor(client: PublicClient) {
    this.#client = client;
  }

  notification(method: string, params: Json): Json | undefined {
    if (method.startsWith('x-switchboard/')) return undefined;
    const { names, version, protectedResources } = this.#client;
    switch (method) {
      case 'action':
        return this.#envelope(params);
      case 'root/sessionAdded':
        return this.#named(mapMember(params, 'summary', (it) => this.#summary(it)));
      case 'root/sessionSummaryChanged': {
        // Without its agent the session has no name, and a client that did not list it may miss this.
        if (!names.knows(textOf(params, 'session') ?? '')) return undefined;
        const { changes } = params;
        if (!isRecord(changes)) return this.#named(params);
        const shown = this.#summaryChanges(textOf(params, 'session') ?? '', changes);
        const isLater = Object.keys(changes).length > 0 && Object.keys(shown).length === 0;
        return isLater ? undefined : this.#named({ ...params, changes: shown });
      }
      case 'root/sessionRemoved': {
        const session = textOf(params, 'session') ?? '';
        if (!names.knows(session)) return undefined;
        const removed = this.#named(params);
        names.forget(session);
        return removed;
      }
      case 'auth/required': {
        if (!isAtLeast(version, 0, 8, 0)) return this.#named(params);
        const resource = textOf(params, 'resource') ?? '';
        return this.#named({ ...params, resource: protectedResources.get(resource) ?? { resource } });
      }
      default:
        return this.#named(params);
    }
  }

  /** @param method of the request that is answered */
  result(method: string | undefined, result: unknown): unknown {
    // A revoked token has its own method, which has no result.
    if (method === 'authenticate' && result === null) return {};
    if (!isRecord(result)) return result;
    switch (method) {
      case 'initialize': {
        const { capabilities: _ofTheEditor, ...others } = mapList(result, 'snapshots', (it) => this.#snapshot(it));
        const shown = mapMember(others, 'telemetry', (it) => this.#channels(it));
        return { ...shown, protocolVersion: this.#client.version.text };
      }
      case 'reconnect': {
        const { actions } = result;
        const shown = mapList(result, 'snapshots', (it) => this.#snapshot(it));
        if (!Array.isArray(actions)) return this.#named(shown);
        const known = actions.flatMap((it) => (isRecord(it) ? (this.#envelope(it) ?? []) : []));
        return { ...this.#named(shown), actions: known };
      }
      case 'subscribe':
        return mapMember(result, 'snapshot', (it) => this.#snapshot(it));
      case 'listSessions':
      case 'root/listSessions':
        return this.#named(mapList(result, 'items', (it) => this.#summary(it)));
      default:
        return this.#named(result);
    }
  }

  error(error: Json): Json {
    const isGone = isAtLeast(this.#client.version, 0, 9, 0) && error['code'] === errorCodes.ContentNotFound;
    return this.#named(isGone ? { ...error, code: errorCodes.NotFound } : error);
  }

  request(params: Json): Json {
    return this.#named(params);
  }

  #envelope(envelope: Json): Json | undefined {
    const { channel, action, rejectionReason } = envelope;
    if (typeof channel !== 'string' || !isRecord(action)) return this.#named(envelope);
    if (channel === ROOT) learnRoot(this.#client, action);
    if (action['type'] === 'session/defaultChatChanged') this.#learn(channel, action);
    if (isUnknown(envelope, this.#client) && !isReceipt(envelope, this.#client)) return undefined;
    const shown = toPublicAction(channel, action, this.#client);
    if (!shown) return undefined;
    const refused = typeof rejectionReason === 'string' && {
      rejectionReason: toPublicReason(String(action['type']), rejectionReason),
    };
    return this.#named({ ...envelope, action: shown, ...refused });
  }

  #snapshot(snapshot: Json): Json {
    const { resource, state } = snapshot;
    if (typeof resource !== 'string' || !isRecord(state)) return this.#named(snapshot);
    if (resource === ROOT) learnRoot(this.#client, state);
    this.#learn(resource, state);
    return this.#named({ ...snapshot, state: toPublicState(resource, state, this.#client) });
  }

  #summary(summary: Json): Json {
    this.#learn(textOf(summary, 'resource') ?? '', summary);
    return withoutChats(withOneFolder(summary, this.#client), this.#client);
  }

  #summaryChanges(session: string, changes: Json): Json {
    this.#learn(session, changes);
    return withoutChats(withOneFolderChanged(changes, this.#client), this.#client);
  }

  #learn(session: string, { provider, defaultChat }: Json): void {
    if (typeof provider === 'string') this.#client.names.learn(session, provider);
    if (typeof defaultChat === 'string') this.#client.defaultChats.set(session, defaultChat);
  }

  /** An object whose members are URIs of channels, whatever their names. */
  #channels(value: Json): Json {
    const toPublic = (it: unknown): unknown => (typeof it === 'string' ? this.#client.names.toPublic(it) : it);
    return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, toPublic(it)]));
  }

  #named<T extends Json>(value: T): T {
    return renameUris(value, (uri) => this.#client.names.toPublic(uri));
  }
}
