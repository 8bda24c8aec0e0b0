import * as z from 'zod';
import { actionTable, openUnion } from '../../building.ts';
import { Uri } from '../../shared.ts';

/** With both ids: in use by a call; without them: owned by the session, in the background. */
export const TerminalClaim = openUnion('kind', {
  client: z.object({ kind: z.literal('client'), clientId: z.string() }),
  session: z.object({
    kind: z.literal('session'),
    session: Uri,
    turnId: z.string().exactOptional(),
    toolCallId: z.string().exactOptional(),
  }),
});
export type TerminalClaim = z.infer<typeof TerminalClaim>;

/** What the root says of a terminal; the rest comes with a subscription to `resource`. */
export const TerminalInfo = z.object({
  resource: Uri,
  title: z.string(),
  claim: TerminalClaim,
  exitCode: z.number().exactOptional(),
});
export type TerminalInfo = z.infer<typeof TerminalInfo>;

/** The raw stream is `value` and `output` of all parts in order, without the shell integration's escapes. */
export const TerminalPart = openUnion('type', {
  unclassified: z.object({ type: z.literal('unclassified'), value: z.string() }),
  command: z.object({
    type: z.literal('command'),
    commandId: z.string(),
    commandLine: z.string(),
    output: z.string(),
    /** Milliseconds since 1970. */
    timestamp: z.number(),
    isComplete: z.boolean(),
    exitCode: z.number().exactOptional(),
    durationMs: z.number().exactOptional(),
  }),
});
export type TerminalPart = z.infer<typeof TerminalPart>;

/** The state of a terminal. Either side may drop the oldest part of `content`. */
export const TerminalState = z.object({
  title: z.string(),
  content: z.array(TerminalPart),
  claim: TerminalClaim,
  cwd: Uri.exactOptional(),
  cols: z.number().exactOptional(),
  rows: z.number().exactOptional(),
  exitCode: z.number().exactOptional(),
  supportsCommandDetection: z.boolean().exactOptional(),
  isPty: z.boolean().exactOptional(),
});
export type TerminalState = z.infer<typeof TerminalState>;

const command = { commandId: z.string() };
/** The actions of a terminal channel (`host.action.terminal/…`). */
export const terminalActions = actionTable({
  'terminal/data': { data: z.string() },
  'terminal/input': { data: z.string() },
  'terminal/resized': { cols: z.number(), rows: z.number() },
  'terminal/claimed': { claim: TerminalClaim },
  'terminal/titleChanged': { title: z.string() },
  'terminal/cwdChanged': { cwd: Uri },
  'terminal/exited': { exitCode: z.number().exactOptional() },
  'terminal/cleared': {},
  'terminal/commandDetectionAvailable': {},
  'terminal/commandExecuted': { ...command, commandLine: z.string(), timestamp: z.number() },
  'terminal/commandFinished': {
    ...command,
    exitCode: z.number().exactOptional(),
    durationMs: z.number().exactOptional(),
  },
});
export type TerminalAction = z.output<(typeof terminalActions)[keyof typeof terminalActions]>;
export type TerminalActionOf<T extends TerminalAction['type']> = Extract<TerminalAction, { type: T }>;
