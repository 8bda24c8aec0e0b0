/** Takes the lines of the log. It never waits and never throws: what it cannot keep is counted. */
export interface LogSink {
  /** As in `/metrics`. */
  readonly name: string;
  /** Lines that were not written and never will be. */
  readonly dropped: number;
  /** @param line JSON, with its line end */
  write(line: string): void;
  /** Writes what waits, before the process ends without {@link LogSink.close}. */
  writeNow?(): void;
  /** Writes what waits. */
  close(): Promise<void>;
}

/** What a sink says of itself once, until it works again. */
export interface SinkTrouble {
  readonly failed: (sink: string, thrown: unknown) => void;
  readonly recovered: (sink: string, dropped: number) => void;
}
