import * as vscode from 'vscode';

/** A value that `when` clauses of package.json read. Told to the editor only when it changes. */
export class ContextKey<T extends string | boolean> {
  readonly #key: string;
  #value: T | undefined;

  constructor(key: string) {
    this.#key = key;
  }

  set(value: T): void {
    if (value === this.#value) return;
    this.#value = value;
    void vscode.commands.executeCommand('setContext', this.#key, value);
  }
}
