import { Buffer } from 'node:buffer';
import { toFrame } from '../support/host/toFrame.ts';
import type { Random } from './random.ts';

const junk: readonly (() => unknown)[] = [
  () => null,
  () => -1,
  () => 1e308,
  () => 0.5,
  () => '',
  () => 'x'.repeat(2_000),
  () => [],
  () => ({}),
  () => true,
  () => [[[[{ a: [] }]]]],
  () => JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}'),
  () => '\u0000\ud800',
  () => 'host-session:/none/annotations',
  () => '../../../../etc/passwd',
];

/** A copy in which some member somewhere is missing, of another type, or new. */
export function mutate(random: Random, message: object): object {
  const copy = structuredClone(message) as Record<string, unknown>;
  const places: [Record<string, unknown>, string][] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      places.push([value as Record<string, unknown>, key]);
      walk((value as Record<string, unknown>)[key]);
    }
  };
  walk(copy['params']);
  const [holder, key] = places.length > 0 ? random.pick(places) : ([copy, 'params'] as const);
  if (random.chance(0.3)) delete holder[key];
  else if (random.chance(0.2))
    holder[random.pick(['extra', 'channel', 'type', 'id', 'toString'])] = random.pick(junk)();
  else holder[key] = random.pick(junk)();
  return copy;
}

/** Good frames around text that was damaged somewhere. */
export function damage(random: Random, message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  for (let n = 0; n <= random.below(4); n += 1) body[random.below(body.length)] = random.below(256);
  const cut = random.chance(0.3) ? body.subarray(0, random.below(body.length)) : body;
  return Buffer.concat([Buffer.from(`Content-Length: ${cut.length}\r\n\r\n`), cut]);
}

/** Bytes after which nobody knows where the next message begins. */
export function brokenFrame(random: Random): string {
  return random.pick([
    'GET / HTTP/1.1\r\n\r\n',
    '{"jsonrpc":"2.0"}\n',
    'Content-Length: -1\r\n\r\n',
    'Content-Length: 99999999999\r\n\r\n',
    'Content-Length: 2\n\n{}',
    `X: ${'a'.repeat(5_000)}`,
  ]);
}

/** Much of something, in a good frame. */
export function monster(random: Random): string {
  return toFrame(
    random.pick([
      () => '['.repeat(10_000),
      () => `{"a":${'{"a":'.repeat(500)}1${'}'.repeat(500)}}`,
      () => JSON.stringify({ jsonrpc: '2.0', method: 'x'.repeat(100_000) }),
      () => `[${Array.from({ length: 1_000 }, () => '{}').join()}]`,
    ])(),
  );
}
