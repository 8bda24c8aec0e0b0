/** Names in use, whatever their case. A document can give thousands of things the same name, so no number is tried twice. */
export class TakenNames {
  readonly #taken = new Set<string>();
  /** By what stands before the number. */
  readonly #counts = new Map<string, number>();

  /** @returns the name, or the stem with the first number from 2 that is free */
  take(wanted: string, stem: string): string {
    let name = wanted;
    let count = this.#counts.get(stem.toLowerCase()) ?? 1;
    while (this.#taken.has(name.toLowerCase())) {
      count += 1;
      name = `${stem}_${count}`;
    }
    this.#counts.set(stem.toLowerCase(), count);
    this.#taken.add(name.toLowerCase());
    return name;
  }
}

const maxToolName = 64;

/** Characters that all clients take in the name of a tool, and a number where another operation has the name already. */
export function toolName(wanted: string, taken: TakenNames): string {
  const plain =
    wanted
      .replace(/[^A-Za-z0-9_-]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .replace(/_{2,}/g, '_') || 'operation';
  return taken.take(plain.slice(0, maxToolName), plain.slice(0, maxToolName - 5));
}

/** Model providers take only these characters in the name of an argument. */
export function argumentName(name: string, prefix: string, taken: TakenNames): string {
  const plain = (prefix + name.replace(/[^A-Za-z0-9_.-]/g, '_')).slice(0, 60);
  return taken.take(plain, plain);
}
