import { isAbsolute, resolve } from 'node:path';
import { shellWord } from '../../platform/children/shellWord.ts';
import { isRecord } from '../../platform/isRecord.ts';
import type { FilePreview, OutputContent, ToolContent, ToolFacts, ToolKind, TurnEvent } from '../provider.ts';
import type { AgentTerminal } from '../terminals.ts';
import { toolNames } from '../toolNames.ts';
import type { ToolCallUpdate } from './wire.ts';

interface Call {
  readonly id: string;
  title: string;
  kind: ToolKind;
  rawInput: unknown;
  rawOutput: unknown;
  paths: readonly string[];
  content: readonly (OutputContent | AgentTerminal)[];
  preview: readonly FilePreview[];
  /** While it is asked about, words that it runs are the agent's haste: one says so together with the question. */
  state: 'started' | 'asking' | 'running' | 'ended';
}

const maxInputLength = 64 * 1024;
/** By the agent's word, which may be any. */
const kinds: ReadonlyMap<string, ToolKind> = new Map([
  ['execute', 'shell'],
  ['edit', 'edit'],
  ['read', 'read'],
  ['delete', 'delete'],
  ['move', 'move'],
  ['search', 'search'],
  ['fetch', 'fetch'],
  ['think', 'think'],
]);
const kindOf = (word: string | null | undefined): ToolKind => kinds.get(word ?? '') ?? 'other';

/** The tool calls of one turn: merges what the agent sends in pieces, and says each thing once. */
export class ToolCalls {
  /** By the agent's ID. A call that the host made for a terminal gets the agent's ID once the agent reports it. */
  readonly #calls = new Map<string, Call>();
  readonly #terminals = new Map<string, AgentTerminal>();
  readonly #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** The events that follow from one `tool_call` or `tool_call_update`. */
  update(update: ToolCallUpdate): readonly TurnEvent[] {
    const events: TurnEvent[] = [];
    const isKnown = this.#calls.has(update.toolCallId);
    const call = this.#merge(update, events);
    if (call.state === 'ended') return events;
    const { status } = update;
    const isOver = status === 'completed' || status === 'failed';
    if (call.state === 'started' && (status === 'in_progress' || isOver)) {
      call.state = 'running';
      events.push({ kind: 'toolRunning', facts: this.#facts(call), ...(status === 'failed' && { hasFailed: true }) });
    }
    if (isKnown && call.state === 'started' && update.rawInput != null) events.push(this.#input(call));
    if (isOver) events.push(this.#end(call, status === 'completed'));
    else if (call.state === 'running' && update.content) {
      events.push(this.#content(call));
    }
    return events;
  }

  /** The call that a command belongs to: one with the same command, or else the only one that does not specify its command. */
  callFor(command: string): string | undefined {
    const open = [...this.#calls.values()].filter(
      (it) => it.kind === 'shell' && it.state !== 'ended' && terminalsIn(it).length === 0,
    );
    const same = open.find((it) => commandOf(it).trim() === command.trim());
    const [unsaid, ...others] = open.filter((it) => commandIn(it.rawInput) === undefined);
    return (same ?? (others.length === 0 ? unsaid : undefined))?.id;
  }

  /** A command was allowed and now runs in a terminal, so its call counts as running. */
  opened(terminal: AgentTerminal): readonly TurnEvent[] {
    const { id, toolCallId, title, isOwnCall } = terminal;
    this.#terminals.set(id, terminal);
    const call =
      this.#calls.get(toolCallId) ??
      [...this.#calls.values()].find((it) => it.id === toolCallId) ??
      newCall(toolCallId);
    if (call.state === 'ended') return [];
    if (isOwnCall) Object.assign(call, { title, kind: 'shell' } satisfies Partial<Call>);
    this.#calls.set(toolCallId, call);
    call.state = 'running';
    call.content = [...call.content, terminal];
    return [this.#content(call)];
  }

  /** Its command ended. */
  terminalEnded(terminal: AgentTerminal): readonly TurnEvent[] {
    return this.#showing(terminal).map((it) => this.#content(it));
  }

  /** The agent released it. If the host made a call for it that the agent never reported, that call ends. */
  released(terminal: AgentTerminal): readonly TurnEvent[] {
    const own = terminal.isOwnCall ? this.#calls.get(terminal.toolCallId) : undefined;
    return own && own.state !== 'ended' ? [this.#end(own, hasSucceeded(own))] : [];
  }

  #showing(terminal: AgentTerminal): Call[] {
    return [...this.#calls.values()].filter((it) => it.state === 'running' && terminalsIn(it).includes(terminal));
  }

  /** What a permission is asked for; the events are those that must reach the host before the question. */
  ask(update: ToolCallUpdate): { readonly events: readonly TurnEvent[]; readonly facts: ToolFacts } {
    const events: TurnEvent[] = [];
    const call = this.#merge(update, events);
    if (call.state !== 'ended') call.state = 'asking';
    return { events, facts: this.#facts(call) };
  }

  /** The person or a rule allowed it: the host shows it as running already. */
  allowed(id: string): void {
    const call = this.#calls.get(id);
    if (call?.state === 'asking') call.state = 'running';
  }

  /** Ends what the agent left open when its turn ended. */
  endAll(): readonly TurnEvent[] {
    return [...this.#calls.values()].filter((it) => it.state !== 'ended').map((it) => this.#end(it, hasSucceeded(it)));
  }

  #merge(update: ToolCallUpdate, events: TurnEvent[]): Call {
    let call = this.#calls.get(update.toolCallId) ?? this.#adopt(update);
    if (!call) {
      call = newCall(update.toolCallId, update.title?.trim() || update.name || undefined);
      const parent = update._meta?.claudeCode?.parentToolUseId;
      this.#calls.set(call.id, call);
      events.push({
        kind: 'toolStarted',
        toolCallId: call.id,
        toolName: update.name ?? update.kind ?? 'tool',
        displayName: toolNames[kindOf(update.kind)],
        ...(parent && parent !== call.id && this.#calls.has(parent) && { parentToolCallId: parent }),
      });
    }
    if (update.title?.trim()) call.title = update.title.trim();
    if (update.kind) call.kind = kindOf(update.kind);
    if (update.rawInput !== undefined && update.rawInput !== null) call.rawInput = update.rawInput;
    if (update.rawOutput !== undefined && update.rawOutput !== null) call.rawOutput = update.rawOutput;
    if (update.content) this.#mergeContent(call, update.content);
    const named = [...(update.locations ?? []).map((it) => it.path), ...pathsIn(update.rawInput)];
    call.paths = [
      ...new Set([...call.paths, ...call.preview.map((it) => it.path), ...named.map((it) => this.#absolute(it))]),
    ];
    return call;
  }

  /** Matches the agent's first report of a call to the call that the host made for its terminal. */
  #adopt({ toolCallId, content = [] }: ToolCallUpdate): Call | undefined {
    const shown = (content ?? []).flatMap((it) => this.#terminals.get(it.terminalId ?? '') ?? []);
    const own = shown.find((it) => it.isOwnCall && this.#calls.has(it.toolCallId));
    const call = own && this.#calls.get(own.toolCallId);
    if (!own || !call) return undefined;
    this.#calls.delete(own.toolCallId);
    this.#calls.set(toolCallId, call);
    return call;
  }

  #mergeContent(call: Call, items: NonNullable<ToolCallUpdate['content']>): void {
    const content: Call['content'][number][] = [];
    const preview: FilePreview[] = [];
    for (const { type, content: block, path, oldText, newText, terminalId } of items) {
      const terminal = this.#terminals.get(terminalId ?? '');
      if (type === 'diff' && path) {
        const before = oldText ?? undefined; // a creation comes with null, an empty text, or nothing
        preview.push({
          path: this.#absolute(path),
          ...(before && { before }),
          ...(newText != null && { after: newText }),
        });
      } else if (type === 'terminal' && terminal) content.push(terminal);
      else if (block?.type === 'text' && block.text) content.push({ kind: 'text', text: unfenced(block.text) });
      else if (block?.data && block.mimeType)
        content.push({ kind: 'data', base64: block.data, contentType: block.mimeType });
    }
    if (content.length > 0) call.content = content;
    if (preview.length > 0) call.preview = preview;
  }

  #facts(call: Call): ToolFacts {
    const command = call.kind === 'shell' ? commandOf(call) : undefined;
    const toolInput = command ?? inputText(call.rawInput);
    return {
      toolCallId: call.id,
      kind: call.kind,
      invocationMessage: oneLine(command && !call.title.includes(command) ? `${call.title}: ${command}` : call.title),
      ...(toolInput !== undefined && { toolInput }),
      ...(command !== undefined && { command, cwd: cwdIn(call.rawInput) ?? this.#cwd }),
      paths: call.paths,
      ...(call.preview.length > 0 && { preview: call.preview }),
      ...(startsSubAgent(call.rawInput) && { startsSubAgent: true }),
    };
  }

  #end(call: Call, success: boolean): TurnEvent {
    call.state = 'ended';
    const output = call.content.length > 0 ? undefined : outputText(call.rawOutput);
    const content = output ? [{ kind: 'text', text: output } as const] : contentOf(call);
    const why = whyFailed(content[0]);
    return {
      kind: 'toolEnded',
      toolCallId: call.id,
      success,
      pastTenseMessage: oneLine(call.title),
      content,
      paths: call.paths,
      ...(!success && { error: why }),
    };
  }

  /** What the call is known to get so far. Most calls come with their whole input, and have no such event. */
  #input({ id, title, rawInput }: Call): TurnEvent {
    const input = typeof rawInput === 'string' ? rawInput : growing(rawInput);
    return { kind: 'toolInput', toolCallId: id, input: input.slice(0, maxInputLength), title: oneLine(title) };
  }

  #content(call: Call): TurnEvent {
    return { kind: 'toolContent', toolCallId: call.id, content: contentOf(call) };
  }

  #absolute(path: string): string {
    return isAbsolute(path) ? path : resolve(this.#cwd, path);
  }
}

function newCall(id: string, title = 'Tool'): Call {
  return {
    id,
    title,
    kind: 'other',
    rawInput: undefined,
    rawOutput: undefined,
    paths: [],
    content: [],
    preview: [],
    state: 'started',
  };
}

function terminalsIn({ content }: Call): AgentTerminal[] {
  return content.flatMap((it) => ('shown' in it ? [it] : []));
}

function contentOf({ content }: Call): ToolContent[] {
  return content.map((it) => ('shown' in it ? { kind: 'terminal', terminal: it.shown() } : it));
}

/** For a call that ends with its turn or its terminal. */
function hasSucceeded(call: Call): boolean {
  const terminals = terminalsIn(call);
  return terminals.length > 0 && terminals.every((it) => it.isInBackground || it.shown().result?.exitCode === 0);
}

function whyFailed(first: ToolContent | undefined): string {
  if (first?.kind === 'text') return oneLine(first.text);
  const code = first?.kind === 'terminal' ? first.terminal.result?.exitCode : undefined;
  if (code !== undefined) return `The command exited with code ${code}.`;
  return first?.kind === 'terminal' ? 'The command was ended.' : 'The tool call ended without a result.';
}

/** The exact command: from the input where it is, since a title may be free text. */
function commandOf(call: Call): string {
  return commandIn(call.rawInput) ?? call.title.replace(/^`([^`]*)`$/, '$1');
}

function commandIn(rawInput: unknown): string | undefined {
  const raw = recordOf(rawInput);
  const given = raw['command'] ?? raw['cmd'];
  if (typeof given === 'string' && given !== '') return given;
  if (Array.isArray(given) && given.every((it) => typeof it === 'string')) {
    const [shell = '', flag = '', script] = given;
    if (script !== undefined && given.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag))
      return script;
    return given.map(shellWord).join(' ');
  }
  return undefined;
}

/** The tools of Claude Code, OpenCode, and Qwen Code that start a sub-agent have these arguments in common. */
function startsSubAgent(rawInput: unknown): boolean {
  const { subagent_type: kind, prompt } = recordOf(rawInput);
  return typeof kind === 'string' && typeof prompt === 'string';
}

function pathsIn(rawInput: unknown): readonly string[] {
  const raw = recordOf(rawInput);
  const found = ['file_path', 'filePath', 'path', 'notebook_path'].map((it) => raw[it]);
  return found.filter((it) => typeof it === 'string' && it !== '') as string[];
}

function cwdIn(rawInput: unknown): string | undefined {
  const raw = recordOf(rawInput);
  const found = raw['cwd'] ?? raw['workdir'] ?? raw['working_directory'];
  return typeof found === 'string' && isAbsolute(found) ? found : undefined;
}

function inputText(rawInput: unknown): string | undefined {
  if (rawInput === undefined || rawInput === null) return undefined;
  const text = typeof rawInput === 'string' ? rawInput : JSON.stringify(rawInput, null, 2);
  return text === '{}' ? undefined : cut(text);
}

/** JSON without what closes it: it only gets longer while the last of its texts does, or more members come. */
function growing(rawInput: unknown): string {
  return JSON.stringify(rawInput).replace(/^(?:\{\}|\[\])$|(?:"?[\]}]+|")$/, '');
}

function outputText(rawOutput: unknown): string | undefined {
  if (typeof rawOutput === 'string') return cut(rawOutput);
  const { output, error, stdout } = recordOf(rawOutput);
  const text = [output, stdout, error].find((it) => typeof it === 'string' && it !== '');
  return typeof text === 'string' ? cut(text) : undefined;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function cut(text: string): string {
  return text.length > maxInputLength
    ? `${text.slice(0, maxInputLength)}\n… ${text.length - maxInputLength} characters omitted …`
    : text;
}

/** A text that is one block of code as a whole, without the fence that some agents put around what a tool put out. */
function unfenced(text: string): string {
  const [, mark, inner] = /^(`{3,})[^`\n]*\n([\s\S]*?)\n?\1\s*$/.exec(text) ?? [];
  return mark === undefined || inner === undefined || inner.includes(`\n${mark}`) ? text : inner;
}

function oneLine(text: string): string {
  const line = text.split('\n').find((it) => it.trim() !== '' && !it.startsWith('```')) ?? text;
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
