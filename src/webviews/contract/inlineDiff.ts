/** The beginning of what changes in one file, as a card shows it. */
export interface InlineDiff {
  readonly lines: readonly DiffLine[];
  /** How many lines the whole has beyond these. */
  readonly more: number;
  /** Why there are no lines. */
  readonly problem?: 'gone' | 'binary' | 'large';
}
export interface DiffLine {
  /** `gap`: lines that did not change are left out before the next one. */
  readonly kind: 'same' | 'added' | 'removed' | 'gap';
  readonly text: string;
  /** Where the words differ from the line that it replaced, or that replaced it: from and to, in UTF-16 units. */
  readonly marks?: readonly (readonly [number, number])[];
}
