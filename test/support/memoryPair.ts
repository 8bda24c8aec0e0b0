import { type Duplex, duplexPair } from 'node:stream';

/** Two ends of one connection in memory: what one writes, the other reads. */
export function memoryPair(): readonly [Duplex, Duplex] {
  const [left, right] = duplexPair();
  return [left, right];
}
