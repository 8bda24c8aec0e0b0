import type { ToolDefinition } from '../call.ts';
import { cleanTool } from './cleanTool.ts';
import { type Fingerprint, fingerprintOf } from './fingerprint.ts';
import { type Drift, type PinRules, type ToolPin, trustsNew } from './toolPin.ts';

/** More tools than this of one server are not remembered, so they are not shown either. */
const maxPins = 4_096;

export interface Judgement {
  /** In the order of the list, with clean descriptions. */
  readonly shown: readonly ToolDefinition[];
  readonly changes: ReadonlyMap<string, ToolPin>;
  readonly drifts: readonly Drift[];
  /** Too large, too deep, or one too many: cannot be approved. */
  readonly unusable: readonly string[];
}

/** Compares a list of tools, or a page of it, with what is pinned. Pure. Tools that are not in the list stay pinned. */
export function judgeTools(
  server_id: string,
  tools: readonly ToolDefinition[],
  before: ReadonlyMap<string, ToolPin>,
  rules: PinRules,
  now: string,
): Judgement {
  const pins = new Map(before);
  const changes = new Map<string, ToolPin>();
  const drifts: Drift[] = [];
  const unusable: string[] = [];
  const usable: (readonly [name: string, tool: ToolDefinition])[] = [];
  const isNewTrusted = trustsNew(before, rules);
  for (const tool of tools) {
    const name = tool['name'];
    if (typeof name !== 'string') continue;
    const seen = fingerprintOf(tool);
    if (!seen || (!pins.has(name) && pins.size >= maxPins)) {
      unusable.push(name);
      continue;
    }
    usable.push([name, tool]);
    const pin = pins.get(name);
    const next = compare(pin, seen, isNewTrusted, now);
    if (next === pin) continue;
    pins.set(name, next);
    changes.set(name, next);
    if (next.held) drifts.push({ server_id, tool: name, before: next.definition, after: seen.definition });
  }
  // At the end, so that of two tools of one name neither is shown where one is held.
  const shown = usable.filter(([name]) => !pins.get(name)?.held).map(([, tool]) => cleanTool(tool));
  return { shown, changes, drifts, unusable };
}

/** The pin after the tool was seen like this; the same object where nothing is new. */
function compare(pin: ToolPin | undefined, seen: Fingerprint, isNewTrusted: boolean, now: string): ToolPin {
  const held = { hash: seen.hash, seen_at: now, definition: seen.definition };
  if (!pin) {
    return isNewTrusted
      ? { hash: seen.hash, approved_at: now, definition: seen.definition }
      : { hash: null, approved_at: null, definition: null, held };
  }
  if (pin.hash === seen.hash) return pin.held ? without(pin) : pin;
  return pin.held?.hash === seen.hash ? pin : { ...pin, held };
}

/** The server went back to what was approved. */
const without = ({ hash, approved_at, definition }: ToolPin): ToolPin => ({ hash, approved_at, definition });
