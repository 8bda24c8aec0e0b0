/** Text before a cursor, and where it is typed. `offset` counts UTF-16 units. */
export interface CompletionContext {
  readonly folders: readonly string[];
  readonly text: string;
  readonly offset: number;
}

export interface Completion {
  readonly insertText: string;
  readonly label: string;
  readonly description?: string;
  readonly rangeStart: number;
  readonly rangeEnd: number;
}
