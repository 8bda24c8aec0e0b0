import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { PublicMessage, PublicPeer } from './publicPeer.ts';

/**
 * What a client says, and what it needs to hear. A text that begins with `$` is a name: in what is sent its value, in what
 * comes the value that it has, or takes on there. `since` and `before` say which versions something comes to.
 */
const Expected = z.looseObject({ since: z.string().optional(), before: z.string().optional() });
const Step = z.strictObject({
  send: z.array(z.looseObject({ method: z.string() })),
  /** Lists of messages. Each comes in its order after what is sent, with anything in between; members may be more. */
  comes: z.array(z.array(Expected)),
});
const Exchange = z.strictObject({ about: z.string(), steps: z.array(Step) });
type Expected = z.infer<typeof Expected>;

/** By name, without the `$`. */
export type Names = Map<string, unknown>;

/** Plays what a client was heard to say, and waits for all that it needs. A message that never comes is named. */
export async function play(fixture: string, peer: PublicPeer, names: Names): Promise<void> {
  const text = readFileSync(new URL(`../../fixtures/public/${fixture}.json`, import.meta.url), 'utf8');
  for (const { send, comes } of Exchange.parse(JSON.parse(text)).steps) {
    const start = peer.heard.length;
    names.set('seq', Math.max(0, ...peer.heard.map((it) => it.params?.serverSeq ?? 0)));
    for (const message of send) peer.send({ jsonrpc: '2.0', ...(fill(message, names) as object) });
    for (const list of comes)
      await follow(
        peer,
        list.filter((it) => isFor(it, names)),
        start,
        names,
      );
  }
}

function isFor({ since, before }: Expected, names: Names): boolean {
  const version = String(names.get('version'));
  return (since === undefined || version >= since) && (before === undefined || version < before);
}

async function follow(peer: PublicPeer, list: readonly Expected[], start: number, names: Names): Promise<void> {
  let from = start;
  for (const { since: _since, before: _before, ...expected } of list) {
    const find = () => peer.heard.findIndex((it, at) => at >= from && matches(expected, it, new Map(names)));
    await peer.until(() => find() >= 0, `this came: ${JSON.stringify(expected)}`);
    const at = find();
    matches(expected, peer.heard[at], names);
    from = at + 1;
  }
}

/** Whether `actual` has all of `expected`; gives values to the names that had none. */
function matches(expected: unknown, actual: unknown, names: Names): boolean {
  if (typeof expected === 'string' && expected.startsWith('$')) {
    const name = expected.slice(1);
    if (name === 'absent') return actual === undefined;
    if (actual !== undefined && !names.has(name)) names.set(name, actual);
    return actual !== undefined && names.get(name) === actual;
  }
  if (typeof expected !== 'object' || expected === null) return expected === actual;
  if (typeof actual !== 'object' || actual === null) return false;
  if (Array.isArray(expected) && (!Array.isArray(actual) || actual.length !== expected.length)) return false;
  return Object.entries(expected).every(([key, it]) => matches(it, Reflect.get(actual, key), names));
}

function fill(value: unknown, names: Names): unknown {
  if (typeof value === 'string' && value.startsWith('$')) {
    assert.ok(names.has(value.slice(1)), `${value} has no value yet`);
    return names.get(value.slice(1));
  }
  if (Array.isArray(value)) return value.map((it: unknown) => fill(it, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, fill(it, names)]));
}

/** What holds of all that a client hears: numbers rise in each channel, and after the state that it was given of it. */
export function checkOrder(heard: readonly PublicMessage[]): void {
  const last = new Map<string, number>();
  for (const { params, result } of heard) {
    const { snapshot } = (result ?? {}) as { snapshot?: { resource: string; fromSeq: number } };
    if (snapshot) last.set(snapshot.resource, snapshot.fromSeq);
    if (!params?.action || params.rejectionReason !== undefined || params.action.type === 'root/configChanged')
      continue;
    const [channel, seq] = [params.channel ?? '', params.serverSeq ?? 0];
    assert.ok(seq > (last.get(channel) ?? 0), `${params.action.type} of ${channel} came out of order`);
    last.set(channel, seq);
  }
}
