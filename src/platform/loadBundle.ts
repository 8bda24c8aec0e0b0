import { createRequire } from 'node:module';

/**
 * Loads a part of the extension that most windows never need. @param bundle its absolute path
 * @param member something that it gives
 * @throws {Error} with a sentence for the person
 */
export function loadBundle<T extends object>(bundle: string, member: keyof T & string): T {
  const loaded: unknown = createRequire(bundle)(bundle);
  if (typeof loaded === 'object' && loaded !== null && member in loaded) return loaded as T;
  throw new Error(`The installation of Switchboard is damaged: it has no ${member}. Install it again.`);
}
