import { isRecord } from '../../platform/isRecord.ts';
import { type AgentModels, type PermissionRule, WindowInfo } from '../../protocol/window.ts';
import type { AdaptedMessage, Json, ProtocolAdapter } from '../../transport/webSocket/adapter.ts';
import type { SharedNotification, WireText } from '../../transport/wireText.ts';

/**
 * A connection in our own protocol over WebSocket. Whoever runs `serve` decides what the host trusts, which agents there are, under
 * which rules and in which environment: a client may only narrow that (`host.client.window-narrows`). What goes on is written
 * from what was read.
 */
export class WindowAdapter implements ProtocolAdapter {
  readonly #window: WindowInfo;

  /** @param window of whoever serves, which a client that declares none gets as it is */
  constructor(window: WindowInfo) {
    this.#window = window;
  }

  fromClient(message: Json): AdaptedMessage {
    return { toHost: this.#judged(message) };
  }
  toClient(message: Json): Json {
    return message;
  }
  shared({ wire }: SharedNotification): WireText {
    return wire;
  }

  #judged(message: Json): Json {
    const { method, params } = message;
    if (!isRecord(params)) return message;
    if (method === 'x-switchboard/windowChanged')
      return { ...message, params: { ...params, window: this.#narrowed(params['window']) } };
    if (method !== 'initialize' && method !== 'reconnect') return message;
    const given = params['initializationOptions'];
    const options = isRecord(given) ? given : {};
    // A window elsewhere that asks for the one of whoever serves: a person sits at it, who may be asked.
    const window = options['servedWindow'] === true ? withoutAnswer(this.#window) : this.#narrowed(options['window']);
    const initializationOptions = { ...options, window };
    return { ...message, params: { ...params, initializationOptions } };
  }

  /** The server's window, with less trust, stricter rules, lower limits, and fewer tools if the client requests them. */
  #narrowed(given: unknown): WindowInfo {
    const { data: wanted } = WindowInfo.safeParse(given);
    if (!wanted) return this.#window;
    const served = withoutAnswer(this.#window);
    const stricter = wanted.rules.filter(({ effect }) => effect !== 'allow');
    return {
      ...served,
      trusted: served.trusted && wanted.trusted,
      rules: [...served.rules, ...stricter.map((it): PermissionRule => ({ ...it, id: `client:${it.id}` }))],
      ...((served.sessionTools === false || wanted.sessionTools === false) && { sessionTools: false }),
      ...((served.agentModels || wanted.agentModels) && { agentModels: narrowedModels(served, wanted) }),
      ...((served.budgets || wanted.budgets) && { budgets: narrowed(served.budgets, wanted.budgets) }),
      ...((served.runLimits || wanted.runLimits) && { runLimits: narrowed(served.runLimits, wanted.runLimits) }),
      ...(wanted.answersQuestions === false && { answersQuestions: false }),
    };
  }
}

/** With the gateway's models, an agent gets no provider keys, so a client may choose them where the server chose nothing. */
function narrowedModels({ agentModels: served = {} }: WindowInfo, { agentModels = {} }: WindowInfo): AgentModels {
  const wanted = Object.entries(agentModels).filter(
    ([id, choice]) => choice === 'gateway' && (served[id] ?? 'auto') === 'auto',
  );
  return { ...served, ...Object.fromEntries(wanted) };
}

/** The smaller of two budgets or limits applies. */
function narrowed(served: Amounts = {}, wanted: Amounts = {}): Amounts {
  const least: Record<string, number> = {};
  for (const [name, limit] of [...Object.entries(served), ...Object.entries(wanted)])
    least[name] = Math.min(limit, least[name] ?? limit);
  return least;
}
type Amounts = Readonly<Record<string, number>>;

/** The client decides whether it answers questions. */
function withoutAnswer({ answersQuestions: _served, ...window }: WindowInfo): WindowInfo {
  return window;
}
