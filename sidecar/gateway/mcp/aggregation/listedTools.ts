import type { Item } from '../../backends/mcp/listAll.ts';

/** The tools that servers listed last, by their own names: for people who look, not for decisions. */
export class ListedTools {
  readonly #names = new Map<string, readonly string[]>();

  note(serverId: string, tools: readonly Item[]): void {
    const names = tools.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
    this.#names.set(serverId, names);
  }
  /** `undefined` where nobody has asked the server since this process started. */
  of(serverId: string): readonly string[] | undefined {
    return this.#names.get(serverId);
  }
  /** A registration changed. */
  forget(serverId: string): void {
    this.#names.delete(serverId);
  }
}
