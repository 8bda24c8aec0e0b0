import { createHash } from 'node:crypto';
import { Recent } from '../../../platform/boundedMap.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isRecord } from '../../../platform/isRecord.ts';
import type { GuardedCall, ToolDefinition } from '../call.ts';
import { canonicalJson } from '../pins/canonicalJson.ts';
import { maxSchemaLength } from './compileSchema.ts';

/** Characters of all schemas that are kept. */
const maxCharacters = 16_000_000;
/** A list that nobody asks for again is asked for anew after this long. */
const freshForMs = 10 * 60_000;
/** For a tool that the server does not have. */
const missingForMs = 60_000;

/** The schema of one tool's arguments. */
export interface KnownSchema {
  readonly schema: Record<string, unknown>;
  /** Canonical JSON of it. */
  readonly text: string;
  /** SHA-256 of the text, in hex. */
  readonly hash: string;
}

interface Entry {
  /** Or why there is none. */
  readonly found: KnownSchema | { readonly unusable: string };
  readonly untilMs: number;
}

/** What servers said last of their tools' arguments. */
export class ToolSchemas {
  readonly #entries = new Recent<Entry>(maxCharacters);
  readonly #listTools: (call: GuardedCall) => Promise<readonly ToolDefinition[]>;
  readonly #clock: Clock;

  /** @param listTools all tools of the call's server, as its caller may see them */
  constructor(listTools: (call: GuardedCall) => Promise<readonly ToolDefinition[]>, clock: Clock) {
    this.#listTools = listTools;
    this.#clock = clock;
  }

  remember(serverId: string, tools: readonly ToolDefinition[]): void {
    for (const tool of tools) {
      const name = tool['name'];
      if (typeof name === 'string') this.#set(serverId, name, schemaOf(tool), freshForMs);
    }
  }

  /** Asks the server where nothing fresh is known. */
  async of(call: GuardedCall): Promise<KnownSchema | { readonly unusable: string }> {
    const { server, tool } = call;
    const known = this.#fresh(server.server_id, tool);
    if (known) return known;
    this.remember(server.server_id, await this.#listTools(call));
    const found = this.#fresh(server.server_id, tool) ?? { unusable: 'is unknown' };
    if ('unusable' in found) this.#set(server.server_id, tool, found, missingForMs);
    return found;
  }

  #fresh(serverId: string, tool: string): Entry['found'] | undefined {
    const entry = this.#entries.get(keyOf(serverId, tool));
    return entry && this.#clock.monotonicMs() < entry.untilMs ? entry.found : undefined;
  }

  #set(serverId: string, tool: string, found: Entry['found'], forMs: number): void {
    const weight = tool.length + ('text' in found ? found.text.length * 2 : 0) + 100;
    this.#entries.set(keyOf(serverId, tool), { found, untilMs: this.#clock.monotonicMs() + forMs }, weight);
  }
}

const keyOf = (serverId: string, tool: string) => `${serverId}\u0000${tool}`;

function schemaOf(tool: ToolDefinition): Entry['found'] {
  const schema = tool['inputSchema'];
  if (!isRecord(schema)) return { unusable: 'is missing' };
  const text = canonicalJson(schema);
  if (text === undefined) return { unusable: 'is nested too deeply' };
  if (text.length > maxSchemaLength) return { unusable: `is longer than ${maxSchemaLength} characters` };
  return { schema, text, hash: createHash('sha256').update(text).digest('hex') };
}
