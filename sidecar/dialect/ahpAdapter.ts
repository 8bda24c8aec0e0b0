import { isRecord } from '../platform/isRecord.ts';
import { errorCodes } from '../protocol/errors.ts';
import type { Build } from '../protocol/hostInfo.ts';
import { ROOT } from '../protocol/uris.ts';
import { PROTOCOL_VERSION } from '../protocol/version.ts';
import type { WindowInfo } from '../protocol/window.ts';
import type { AdaptedMessage, ProtocolAdapter } from '../transport/webSocket/adapter.ts';
import type { SharedNotification, WireText } from '../transport/wireText.ts';
import type { Json } from './json.ts';
import type { PublicClient, PublicClients } from './publicClients.ts';
import { choosePublicVersion, supportedVersions } from './publicVersions.ts';
import { renameUris } from './renameUris.ts';
import { sharedText } from './sharedText.ts';
import { ToClient } from './toClient.ts';
import { toHostParams } from './toHostParams.ts';

/** What the host wants to know of a window, and a client of the public protocol cannot declare. */
export interface Introduction {
  readonly build: Build;
  readonly window: WindowInfo;
}

/** Longest list of requests whose answers are awaited; the host holds a connection to fewer. */
const MAX_PENDING = 100_000;

/**
 * One connection of a client that speaks the public protocol (`ahp-`), as the host sees it and as the client does. It
 * judges nothing: what it does not know passes as it is, and the host judges that.
 */
export class AhpAdapter implements ProtocolAdapter {
  readonly #clients: PublicClients;
  readonly #introduction: Introduction;
  #clientId: unknown;
  #client: PublicClient | undefined;
  #toClient: ToClient | undefined;
  /** The methods of the client's requests that are under way, by id. */
  readonly #pending = new Map<unknown, string>();
  #lastSeq = 0;

  constructor(clients: PublicClients, introduction: Introduction) {
    this.#clients = clients;
    this.#introduction = introduction;
  }

  fromClient(message: Json): AdaptedMessage {
    const { method } = message;
    if (typeof method !== 'string') return { toHost: this.#toHost(message) };
    const params = isRecord(message['params']) ? message['params'] : {};
    switch (method) {
      case 'initialize':
        return this.#initialize(message, params);
      case 'reconnect':
        return this.#reconnect(message, params);
      // What VS Code decides about its own host.
      case 'setClientManagedSettingsPermissions':
      case 'setClientSandboxRequired':
        return {};
      case 'authenticate':
        if (params['token'] === '') return this.#revoke(message, params);
        break;
      case 'dispatchAction': {
        const own = this.#ownSetting(params);
        if (own) return own;
        break;
      }
    }
    return this.#ask(message, this.#toHost(params));
  }

  toClient(message: Json): Json | undefined {
    const to = this.#toClient;
    if (!to) return message;
    const { method, id, params, error, result } = message;
    if (typeof method === 'string') {
      if (!isRecord(params)) return message;
      const shown = 'id' in message ? to.request(params) : to.notification(method, params);
      return shown && { ...message, params: shown };
    }
    const asked = this.#pending.get(id);
    this.#pending.delete(id);
    if (isRecord(error)) return { ...message, error: to.error(error) };
    if (isRecord(result)) this.#saw(result);
    return { ...message, result: to.result(asked, result) };
  }

  shared(notification: SharedNotification): WireText | undefined {
    if (!this.#client) return notification.wire;
    if (notification.method === 'action' && isRecord(notification.params)) this.#saw(notification.params);
    return sharedText(notification, this.#client);
  }
  #saw({ serverSeq }: Json): void {
    if (typeof serverSeq === 'number') this.#lastSeq = serverSeq;
  }

  #initialize(message: Json, params: Json): AdaptedMessage {
    const version = choosePublicVersion(params['protocolVersions']);
    if (version === 'malformed') {
      const problem = 'protocolVersions: each must be three numbers without leading zeros, such as 1.0.0';
      return { toClient: answer(message, { error: { code: errorCodes.InvalidParams, message: problem } }) };
    }
    if (version === 'none') {
      const data = { supportedVersions: [...supportedVersions] };
      const error = { code: errorCodes.UnsupportedProtocolVersion, message: 'no supported protocol version', data };
      return { toClient: answer(message, { error }), close: 'no supported protocol version' };
    }
    this.#adopt(params['clientId'], this.#clients.add(params['clientId'], version));
    return this.#ask(message, {
      ...this.#toHost(params),
      protocolVersions: [PROTOCOL_VERSION],
      initializationOptions: this.#introduction,
    });
  }

  /** The version of the earlier connection stays; an unknown client has to send `initialize`. */
  #reconnect(message: Json, params: Json): AdaptedMessage {
    const client = this.#clients.get(params['clientId']);
    if (!client) {
      const error = { code: errorCodes.NotFound, message: 'unknown client; send initialize first' };
      return { toClient: answer(message, { error }) };
    }
    this.#adopt(params['clientId'], client);
    return this.#ask(message, { ...this.#toHost(params), initializationOptions: this.#introduction });
  }

  /** An empty token revokes the one that this client pushed. */
  #revoke(message: Json, { resource, channel }: Json): AdaptedMessage {
    const params = this.#toHost({ ...(channel !== undefined && { channel }), resource });
    const { toHost } = this.#ask(message, params);
    return { toHost: { ...toHost, method: 'x-switchboard/forgetToken', params } };
  }

  /**
   * Clients write settings of their own into the configuration of the root, which all other clients would see. A setting
   * that the host does not have is echoed to its sender, so that the sender does not wait for it, and goes no further.
   */
  #ownSetting(params: Json): AdaptedMessage | undefined {
    const { channel, action, clientSeq } = params;
    if (!this.#client || !isRecord(action) || action['type'] !== 'root/configChanged') return undefined;
    if (typeof channel !== 'string' || this.#client.names.toHost(channel, 'channel') !== ROOT) return undefined;
    const { rootSettings } = this.#client;
    const isOurs = ([key]: [string, unknown]): boolean => rootSettings.has(key);
    const known = isRecord(action['config']) ? Object.entries(action['config']).filter(isOurs) : [];
    if (known.length > 0) {
      const setting = { ...params, channel: ROOT, action: { ...action, config: Object.fromEntries(known) } };
      return { toHost: { jsonrpc: '2.0', method: 'dispatchAction', params: setting } };
    }
    const envelope = { channel, action, serverSeq: this.#lastSeq, origin: { clientId: this.#clientId, clientSeq } };
    return { toClient: { jsonrpc: '2.0', method: 'action', params: envelope } };
  }

  #adopt(clientId: unknown, client: PublicClient): void {
    this.#clientId = clientId;
    this.#client = client;
    this.#toClient = new ToClient(client);
  }

  #toHost(params: Json): Json {
    return renameUris(params, (uri, role) => this.#client?.names.toHost(uri, role) ?? uri);
  }

  #ask(message: Json, params: Json): AdaptedMessage {
    const method = String(message['method']);
    if ('id' in message && this.#pending.size < MAX_PENDING) this.#pending.set(message['id'], method);
    const client = this.#client;
    const shaped = 'params' in message && client ? toHostParams(method, params, client) : undefined;
    return { toHost: shaped ? { ...message, params: shaped } : message };
  }
}

function answer({ id }: Json, more: Json): Json {
  return { jsonrpc: '2.0', id: id ?? null, ...more };
}
