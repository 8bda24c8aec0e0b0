/** Deeper than any list: what is written anew counts levels on the stack, and one server must not break the list of all. */
const maxLevels = 128;

/** Whether objects and lists stand inside each other more than 128 levels deep, or more than `levels`. */
export function nestsDeeper(value: unknown, levels = maxLevels): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((it) => nestsDeeper(it, levels - 1));
}
