/** One single change to the code that a test must find. */
export interface Mutant {
  readonly id: string;
  /** From the root of the project. */
  readonly file: string;
  /** As it stands in the file, exactly once. */
  readonly old: string;
  readonly new: string;
  /** The test files that are run against the change; one of their tests has to fail. */
  readonly tests: readonly string[];
  /** What the change breaks, for people. */
  readonly breaks: string;
  /** The change may keep a test waiting for ever: then a run that does not end has found it. */
  readonly mayHang?: boolean;
}
