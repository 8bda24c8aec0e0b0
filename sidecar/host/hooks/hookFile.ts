import { resolve } from 'node:path';
import { getNodeValue, type ParseError, parseTree } from 'jsonc-parser';
import * as z from 'zod';
import { type NamedEvent, namedEvents } from './hookEvents.ts';

/** One program that a file wants to be run at an event. */
export interface Hook extends NamedEvent {
  /** For a person: `PreToolUse in .claude/settings.json`. */
  readonly label: string;
  /** The event as the file names it. */
  readonly eventName: string;
  /** Which tools it is about: names with `|` between them, or a regular expression. Absent: all. */
  readonly matcher?: string;
  readonly run: HookCommand;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}
/** Text for a shell is run as its file has it: nothing is put into it. With arguments there is no shell. */
export type HookCommand =
  | { readonly kind: 'shell' | 'powershell'; readonly text: string }
  | { readonly kind: 'program'; readonly command: string; readonly args: readonly string[] };

export interface HookLocation {
  /** The path of the file below `folder`, with slashes. */
  readonly path: string;
  /** The working directory to which it belongs. */
  readonly folder: string;
  /** Of a plugin's hook: the plugin's own folder. */
  readonly plugin?: string;
}
export interface ParsedHooks {
  readonly hooks: readonly Hook[];
  /** What cannot be run. */
  readonly problems: readonly HookProblem[];
}
export interface HookProblem {
  /** As the path of a {@link HookLocation}, with the line where that is known. */
  readonly file: string;
  readonly why: string;
}

const DEFAULT_TIMEOUT_MS = 60_000;
/** Whatever a file asks for. */
const MAX_TIMEOUT_MS = 600_000;

/** The members of both formats. Times are in seconds. */
const Entry = z.looseObject({
  type: z.string().default('command'),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  bash: z.string().optional(),
  powershell: z.string().optional(),
  windows: z.string().optional(),
  linux: z.string().optional(),
  osx: z.string().optional(),
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  timeout: z.number().positive().optional(),
  timeoutSec: z.number().positive().optional(),
  matcher: z.string().optional(),
});
type Entry = z.infer<typeof Entry>;
const Group = z.looseObject({ matcher: z.string().optional(), hooks: z.array(Entry) });
const File = z.looseObject({
  disableAllHooks: z.boolean().optional(),
  hooks: z.record(z.string(), z.unknown()).optional(),
});

/** @param isOn whether the person left the hooks of an event turned on */
export function parseHooks(
  source: string,
  location: HookLocation,
  isOn: (eventName: string) => boolean,
  platform: NodeJS.Platform = process.platform,
): ParsedHooks {
  const errors: ParseError[] = [];
  const tree = parseTree(source, errors, { allowTrailingComma: true });
  const file = File.safeParse(tree && errors.length === 0 ? getNodeValue(tree) : undefined);
  if (!file.success) return { hooks: [], problems: [{ file: location.path, why: 'it is not a valid hooks file' }] };
  const hooks: Hook[] = [];
  const problems: HookProblem[] = [];
  for (const [eventName, value] of Object.entries(file.data.disableAllHooks ? {} : (file.data.hooks ?? {}))) {
    const named = namedEvents.get(eventName);
    if (!named || !isOn(eventName)) continue;
    const label = `${eventName} in ${location.path}`;
    const refuse = (why: string) => problems.push({ file: location.path, why: `${eventName}: ${why}` });
    const entries = entriesOf(value);
    if (typeof entries === 'string') refuse(entries);
    else {
      for (const entry of entries) {
        const run = commandOf(entry, platform);
        if (entry.type !== 'command') refuse(`hooks of type "${entry.type}" are not supported`);
        else if (run) hooks.push(toHook(named, { label, eventName }, entry, run, location));
      }
    }
  }
  return { hooks, problems };
}

/** Groups under a matcher (Claude Code), or entries one after the other (VS Code, GitHub). */
function entriesOf(value: unknown): Entry[] | string {
  if (!Array.isArray(value)) return 'must be a list';
  const found: Entry[] = [];
  for (const [index, it] of value.entries()) {
    const isGroup = typeof it === 'object' && it !== null && 'hooks' in it;
    const parsed = isGroup ? Group.safeParse(it) : Entry.safeParse(it);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return `${[index, ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'cannot be read'}`;
    }
    const { matcher } = parsed.data;
    const own = 'hooks' in parsed.data ? Group.parse(it).hooks : [Entry.parse(it)];
    found.push(...own.map((entry) => ({ ...(matcher !== undefined && { matcher }), ...entry })));
  }
  return found;
}

/** `undefined` where the file has nothing for this system. */
function commandOf(entry: Entry, platform: NodeJS.Platform): HookCommand | undefined {
  const { command, args, bash, powershell, windows, linux, osx } = entry;
  if (command !== undefined && args) return { kind: 'program', command, args };
  if (platform === 'win32') {
    const own = windows ?? powershell;
    if (own !== undefined) return { kind: 'powershell', text: own };
  }
  const text = platform === 'win32' ? command : ((platform === 'darwin' ? osx : linux) ?? bash ?? command);
  return text === undefined ? undefined : { kind: 'shell', text };
}

function toHook(
  named: NamedEvent,
  names: Pick<Hook, 'label' | 'eventName'>,
  { matcher, timeout, timeoutSec, cwd, env }: Entry,
  run: HookCommand,
  { folder, plugin }: HookLocation,
): Hook {
  const seconds = timeout ?? timeoutSec;
  return {
    ...named,
    ...names,
    ...(matcher !== undefined && { matcher }),
    run,
    cwd: resolve(folder, cwd ?? '.'),
    env: { CLAUDE_PROJECT_DIR: folder, ...(plugin !== undefined && { CLAUDE_PLUGIN_ROOT: plugin }), ...env },
    timeoutMs: seconds === undefined ? DEFAULT_TIMEOUT_MS : Math.min(seconds * 1000, MAX_TIMEOUT_MS),
  };
}
