import type { Clock } from '../../../platform/clock.ts';
import { Fault } from '../../../platform/faults.ts';
import { InTurn } from '../../../platform/inTurn.ts';
import type { Log } from '../../../platform/logger.ts';
import type { ToolDefinition } from '../call.ts';
import { judgeTools } from './judgeTools.ts';
import { type Drift, type HeldDefinition, type PinRules, type PinStore, type ToolPin, trustsNew } from './toolPin.ts';

export interface PinsDeps {
  readonly store: PinStore;
  /** For the audit, before anything is stored: a throw leaves the tool held, and it is reported again with the next list. */
  onDrift(drift: Drift): void | Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A tool that waits for approval. */
export interface HeldTool extends HeldDefinition {
  readonly tool: string;
  /** What was approved before; `null` for a tool that never was. */
  readonly before: ToolDefinition | null;
}

/** Which held tool to approve, and as which definition it was looked at. */
export interface Approval {
  readonly tool: string;
  /** `hash` of what the approver saw. Without it: whatever is held now. */
  readonly hash?: string;
}

/** The approved definitions of every server's tools. */
export class Pins {
  readonly #deps: PinsDeps;
  readonly #known = new Map<string, ReadonlyMap<string, ToolPin>>();
  /** Reading and writing the pins of one server is one step. */
  readonly #inTurn = new InTurn();
  /** Counts writes: what was read before one is not kept after it. */
  #writes = 0;

  constructor(deps: PinsDeps) {
    this.#deps = deps;
  }

  /** The tools of a list that may be shown, cleaned. Pins what is new and trusted, holds and reports what has changed. */
  listed(serverId: string, tools: readonly ToolDefinition[], rules: PinRules): Promise<readonly ToolDefinition[]> {
    return this.#inTurn.run(serverId, async () => {
      const pins = await this.#pinsOf(serverId);
      const judged = judgeTools(serverId, tools, pins, rules, this.#deps.clock.now());
      if (judged.unusable.length > 0) {
        const facts = { server_id: serverId, tools: judged.unusable.slice(0, 16) };
        this.#deps.log.warn(facts, 'Tools whose definitions cannot be pinned are omitted.');
      }
      for (const drift of judged.drifts) await this.#deps.onDrift(drift);
      await this.#put(serverId, judged.changes);
      return judged.shown;
    });
  }

  /** As far as is known without asking the server: approved, or trusted though nobody has seen it. */
  async mayCall(serverId: string, tool: string, rules: PinRules): Promise<boolean> {
    const pins = await this.#pinsOf(serverId);
    const pin = pins.get(tool);
    return pin ? pin.held === undefined : trustsNew(pins, rules);
  }

  /** Seen, and approved as it was seen last. */
  async isApproved(serverId: string, tool: string): Promise<boolean> {
    const pin = (await this.#pinsOf(serverId)).get(tool);
    return pin !== undefined && pin.held === undefined;
  }

  /** What waits for approval, by name. */
  async held(serverId: string): Promise<readonly HeldTool[]> {
    const waiting: HeldTool[] = [];
    for (const [tool, { held, definition }] of await this.#pinsOf(serverId)) {
      if (held) waiting.push({ tool, before: definition, ...held });
    }
    return waiting.sort((a, b) => (a.tool < b.tool ? -1 : 1));
  }

  /**
   * From now on what is held is the approved definition. Without `tools`: of every held tool.
   * @returns the names that were approved
   * @throws {Fault} `not_found` for a tool that is not held, `conflict` where it is held with another `hash`
   */
  approve(serverId: string, tools?: readonly Approval[]): Promise<readonly string[]> {
    return this.#inTurn.run(serverId, async () => {
      this.changed(serverId);
      const held = await this.held(serverId);
      const chosen = (tools ?? held).map(({ tool, hash }) => {
        const found = held.find((it) => it.tool === tool);
        if (!found)
          throw new Fault('not_found', `The tool '${tool}' is not waiting for approval.`, { data: { field: 'tools' } });
        if (hash === undefined || hash === found.hash) return found;
        throw new Fault('conflict', `The tool '${tool}' has changed again.`, { data: { field: 'tools' } });
      });
      const approved_at = this.#deps.clock.now();
      const pins = chosen.map(({ tool, hash, definition }) => [tool, { hash, approved_at, definition }] as const);
      await this.#put(serverId, new Map(pins));
      return chosen.map((it) => it.tool);
    });
  }

  /** Forgets the server's tools: its next list is seen for the first time. */
  unpin(serverId: string): Promise<void> {
    return this.#inTurn.run(serverId, async () => {
      this.changed(serverId);
      const pins = await this.#pinsOf(serverId);
      await this.#put(serverId, new Map([...pins.keys()].map((tool) => [tool, null])));
    });
  }

  /** Another replica wrote pins of this server. */
  changed(serverId: string): void {
    this.#writes += 1;
    this.#known.delete(serverId);
  }

  async #pinsOf(serverId: string): Promise<ReadonlyMap<string, ToolPin>> {
    const known = this.#known.get(serverId);
    if (known) return known;
    const writes = this.#writes;
    const pins = await this.#deps.store.get(serverId);
    if (writes === this.#writes) this.#known.set(serverId, pins);
    return pins;
  }

  async #put(serverId: string, changes: ReadonlyMap<string, ToolPin | null>): Promise<void> {
    if (changes.size === 0) return;
    try {
      await this.#deps.store.put(serverId, changes);
    } finally {
      this.changed(serverId);
    }
  }
}
