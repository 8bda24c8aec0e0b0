import type { OfferedTools } from '../../agents/provider.ts';
import type { ToolServer } from '../../agents/toolServers.ts';
import { Fault } from '../../platform/faults.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import type { Bridge, OpenBridge } from '../mcp/bridge.ts';
import { toOffered } from './offeredCalls.ts';
import { offeredTools } from './offeredTools.ts';

/** The ways by which agents of other makers use the tools of their sessions, one for each chat. Loaded with the first. */
export class ToolBridges {
  readonly #deps: Pick<EffectDeps, 'store' | 'hide' | 'random'>;
  readonly #open = new Map<string, { session: string; bridge: OpenBridge }>();
  #loaded: Promise<Bridge> | undefined;

  constructor(deps: Pick<EffectDeps, 'store' | 'hide' | 'random'>) {
    this.#deps = deps;
  }

  /** @param ofTurn the tools of the turn that runs: only turns use them, but agents look at them before */
  async open(chat: string, session: string, ofTurn: () => OfferedTools | undefined): Promise<ToolServer> {
    this.closeOf(chat);
    this.#loaded ??= import('../mcp/bridge.ts').then(({ Bridge }) => new Bridge(this.#deps));
    const bridge = await (await this.#loaded).open({
      list: () => ofTurn()?.list() ?? this.#list(session),
      async call(name, input) {
        const tools = ofTurn();
        if (!tools) throw new Fault('forbidden', 'Tools can be used only during a turn.');
        return tools.call(name, input);
      },
    });
    this.#open.set(chat, { session, bridge });
    return bridge.server;
  }

  changed(session: string): void {
    for (const it of this.#open.values()) if (it.session === session) it.bridge.changed();
  }
  closeOf(chat: string): void {
    this.#open.get(chat)?.bridge.close();
    this.#open.delete(chat);
  }
  async close(): Promise<void> {
    for (const chat of this.#open.keys()) this.closeOf(chat);
    await (await this.#loaded)?.close();
  }

  #list(session: string) {
    const state = this.#deps.store.state('session', session);
    return state ? offeredTools(state, undefined).map(toOffered) : [];
  }
}
