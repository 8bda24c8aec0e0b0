/** A command that an agent wants to have run in a terminal of the host. */
export interface TerminalCommand {
  /** The whole command line, for a POSIX shell. */
  readonly command: string;
  /** Variables for it. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. Absent: the first folder of the session. */
  readonly cwd?: string;
  /** Of the output that {@link AgentTerminal.output} answers. Absent, or larger than the host keeps: as much as it keeps. */
  readonly outputBytes?: number;
  /** The call of the agent that it belongs to, where that is known. Absent: the host shows a call of its own. */
  readonly toolCallId?: string;
}

/** Both are `null` for a command that a person moved to the background: it still runs. */
export interface TerminalExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface TerminalOutput {
  /** Without what moves a cursor or colors text. */
  readonly text: string;
  /** The beginning is gone. */
  readonly truncated: boolean;
  readonly exit?: TerminalExit;
}

/** Where a person finds a terminal, and how its command ended. */
export interface ShownTerminal {
  readonly resource: string;
  readonly title: string;
  readonly isPty: boolean;
  readonly result?: { readonly exitCode?: number; readonly preview: string; readonly truncated: boolean };
}

/** One command in a terminal of the host. */
export interface AgentTerminal {
  readonly id: string;
  /** The call under which it is shown. */
  readonly toolCallId: string;
  /** For a person: "Run npm test". */
  readonly title: string;
  /** The host made the call, because no call of the agent was known. */
  readonly isOwnCall: boolean;
  /** A person moved it to the background, so it keeps running whatever happens to its call. */
  readonly isInBackground: boolean;
  shown(): ShownTerminal;
  output(): TerminalOutput;
  /** Settles when the command ended, or when a person moved it to the background. */
  waitForExit(): Promise<TerminalExit>;
  /** Settles when the command ended. */
  readonly ended: Promise<void>;
  /** Ends the command; its terminal stays. @throws {Fault} `forbidden` once a person moved it to the background */
  kill(): Promise<void>;
  /** Ends the command and takes the terminal away, unless a person moved it to the background. */
  release(): Promise<void>;
}

export interface SessionTerminals {
  /**
   * Runs a command after the host allowed it. Possible only during a turn. Commands end with the turn, except those that a
   * person moved to the background.
   * @throws {Fault} `forbidden` where it is denied, `not_found` for a folder that is not there, `unavailable`
   */
  run(command: TerminalCommand): Promise<AgentTerminal>;
}
