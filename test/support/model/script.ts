/** A conversation as every API says it, brought to one shape. */
export interface Said {
  readonly role: 'user' | 'assistant';
  readonly texts: readonly string[];
  /** Results of tools, in order; empty for an assistant. */
  readonly results: readonly string[];
}
export interface OfferedTool {
  readonly name: string;
  /** The names of its parameters. */
  readonly parameters: readonly string[];
}
export interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}
export interface Answer {
  readonly text: string;
  readonly calls?: readonly Call[];
  /** The tokens that the answer reports. Absent: 10 and 5. */
  readonly usage?: { readonly input: number; readonly output: number };
  /** Never ends: the stream stays open until the client goes. */
  readonly hangs?: boolean;
}

const toolNames: Readonly<Record<string, readonly string[]>> = {
  shell: ['Bash', 'bash', 'shell', 'exec', 'run_shell_command', 'developer__shell'],
  write: ['Write', 'write', 'write_file'],
  edit: ['Edit', 'edit', 'replace', 'exec'],
  read: ['Read', 'read', 'read_file'],
  delegate: ['Task', 'Agent', 'task', 'agent', 'delegate'],
};
const parameterNames: Readonly<Record<string, readonly string[]>> = {
  command: ['command', 'cmd'],
  path: ['file_path', 'filePath', 'path'],
  content: ['content', 'file_text'],
  before: ['old_string', 'oldString'],
  after: ['new_string', 'newString'],
  patch: ['patch'],
  asks: ['sandbox_permissions'],
};

/**
 * What the model answers. It does what the last prompt says line by line, one tool call for each line, then closes with
 * a sentence. It has no opinion: what is not a line of its own is echoed.
 *
 * - `say <text>`
 * - `shell <command>`, `read <path>`
 * - `write <path> <JSON text>`
 * - `edit <path> <JSON text before> <JSON text after>`
 * - `delegate <line>`, which a sub-agent does
 * - `hang`
 */
export function answerTo(conversation: readonly Said[], tools: readonly OfferedTool[]): Answer {
  const from = conversation.findLastIndex((it) => it.role === 'user' && linesOf(it).length > 0);
  if (from === -1) return { text: echo(conversation) };
  const lines = linesOf(conversation[from]!);
  // What stands between a prompt and the first answer to it are an agent's own words about the place it runs in.
  const answered = conversation.findIndex((it, index) => index > from && it.role === 'assistant');
  const since = answered === -1 ? [] : conversation.slice(answered);
  const results = since.flatMap((it) => it.results);
  const added = since
    .filter((it) => it.role === 'user')
    .flatMap((it) => it.texts.map(plain))
    .filter((it) => it !== '');
  if (added.length > 0) return { text: `You said: ${added.join(' ')}` };
  const line = lines[results.length];
  if (line === undefined) {
    const told = results.at(-1);
    return { text: told === undefined ? 'Done.' : `Done. It said: ${told.slice(0, 400)}` };
  }
  if (line.word === 'hang') return { text: 'Wait', hangs: true };
  if (line.word === 'say') return { text: line.rest };
  const tool = tools.find((it) => toolNames[line.word]?.includes(it.name));
  if (!tool) return { text: `There is no tool to ${line.word} with.` };
  return { text: `I ${line.word}. `, calls: [{ name: tool.name, input: inputFor(line, tool) }] };
}

interface Line {
  readonly word: string;
  readonly rest: string;
}

function linesOf(said: Said): readonly Line[] {
  return said.texts
    .map(plain)
    .flatMap((it) => it.split('\n'))
    .flatMap((line) => {
      const found = /^(say|shell|write|edit|read|delegate|hang)(?: (.*))?$/.exec(line.trim());
      return found ? [{ word: found[1]!, rest: found[2] ?? '' }] : [];
    });
}

function inputFor({ word, rest }: Line, tool: OfferedTool): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  const put = (meaning: string, value: unknown) => {
    const name = parameterNames[meaning]?.find((it) => tool.parameters.includes(it));
    if (name) input[name] = value;
  };
  if (word === 'shell') {
    put('command', rest);
    if (tool.parameters.includes('description')) input['description'] = 'A command of the test';
    put('asks', 'require_escalated');
    if (tool.parameters.includes('justification')) input['justification'] = 'A command of the test';
    return input;
  }
  if (word === 'delegate') {
    return tool.parameters.includes('task')
      ? { title: 'A task of the test', task: rest }
      : { description: 'A task of the test', prompt: rest, subagent_type: subAgentOf(tool) };
  }
  const space = rest.indexOf(' ');
  const path = space === -1 ? rest : rest.slice(0, space);
  put('path', path);
  const values = space === -1 ? [] : (JSON.parse(`[${rest.slice(space + 1)}]`) as unknown[]);
  if (word === 'write') put('content', values[0]);
  if (word === 'edit') {
    put('before', values[0]);
    put('after', values[1]);
    put('patch', patchOf(path, values));
    if (tool.parameters.includes('instruction')) input['instruction'] = 'A change of the test';
  }
  return input;
}

/** One hunk, in the format of Codex. */
function patchOf(path: string, [before, after]: readonly unknown[]): string {
  const marked = (mark: string, text: unknown) => String(text).replace(/^/gm, mark);
  const hunk = [`*** Update File: ${path}`, '@@', marked('-', before), marked('+', after)];
  return ['*** Begin Patch', ...hunk, '*** End Patch'].join('\n');
}

/** The type of an agent's general-purpose sub-agent, by the name of the agent's tool. */
const subAgentOf = ({ name }: OfferedTool): string => (name === 'task' ? 'general' : 'general-purpose');

/** Agents put reminders of their own into what a person said. */
function plain(text: string): string {
  return text.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '').trim();
}

function echo(conversation: readonly Said[]): string {
  const last = conversation.findLast((it) => it.role === 'user');
  return `You said: ${(last?.texts ?? []).map(plain).join(' ').slice(0, 400)}`;
}
