import type { ToolDefinition } from '../call.ts';

/** What is remembered of one tool of a server. */
export interface ToolPin {
  /** SHA-256 in hex of the approved definition; `null` where none was approved yet. */
  readonly hash: string | null;
  /** RFC 3339, UTC. */
  readonly approved_at: string | null;
  readonly definition: ToolDefinition | null;
  /** What the server says instead. While it is there the tool is neither listed nor called. */
  readonly held?: HeldDefinition | undefined;
}

export interface HeldDefinition {
  readonly hash: string;
  /** RFC 3339, UTC. */
  readonly seen_at: string;
  readonly definition: ToolDefinition;
}

/** Where pins outlive the process and are shared by replicas. Maps, because a tool may be called `__proto__`. */
export interface PinStore {
  /** By the bare name of the tool. Empty for a server that nobody listed yet. */
  get(serverId: string): Promise<ReadonlyMap<string, ToolPin>>;
  /** Writes these tools and no others; `null` removes one. */
  put(serverId: string, changes: ReadonlyMap<string, ToolPin | null>): Promise<void>;
}

/** A definition that is not the approved one: what goes into the audit. */
export interface Drift {
  readonly server_id: string;
  readonly tool: string;
  /** `null` for a tool that was never approved. */
  readonly before: ToolDefinition | null;
  readonly after: ToolDefinition;
}

/** What `tool_definition_pin` is configured to do with what it has not seen. */
export interface PinRules {
  readonly pin_on_first_use: boolean;
  readonly new_tools: 'pin' | 'hold';
}

/** Whether a tool that nobody has seen counts as approved. The same for lists and calls. */
export function trustsNew(pins: ReadonlyMap<string, ToolPin>, rules: PinRules): boolean {
  const isFirstUse = [...pins.values()].every((it) => it.hash === null);
  return isFirstUse ? rules.pin_on_first_use : rules.new_tools === 'pin';
}
