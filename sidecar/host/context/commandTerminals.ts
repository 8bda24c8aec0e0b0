import type { ShownTerminal, TerminalExit, TerminalOutput } from '../../agents/terminals.ts';

export interface CommandRequest {
  readonly session: string;
  readonly turnId: string;
  readonly toolCallId: string;
  /** For a POSIX shell. */
  readonly command: string;
  /** Real, and a folder. */
  readonly cwd: string;
  /** The environment of the window that the session works for. */
  readonly window: Readonly<Record<string, string>>;
  /** Additional variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly outputBytes: number | undefined;
  /** It makes a worktree ready before any agent works there, so it runs outside the session's sandbox. */
  readonly isSetUp?: true;
}

/** A command that runs, or ran, in a terminal of its own. */
export interface CommandTerminal {
  readonly channel: string;
  /** Settles when it ended. */
  readonly ended: Promise<void>;
  readonly isInBackground: boolean;
  shown(): ShownTerminal;
  output(): TerminalOutput;
  /** Settles when it ended, or when a person moved it to the background. */
  waitForExit(): Promise<TerminalExit>;
  /** @throws {Fault} `forbidden` once a person moved it to the background */
  kill(): Promise<void>;
  /** Ends it and removes its channel, unless it is in the background. Its output can still be read. */
  release(): Promise<void>;
}

/** Terminals for commands that the host has already allowed. */
export interface CommandTerminals {
  /** @throws {Fault} `unavailable`, `command_missing`, `session_not_found` */
  run(request: CommandRequest): Promise<CommandTerminal>;
}
