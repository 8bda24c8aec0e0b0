/**
 * An agent with modes, which writes what happened to a file: where it was started, whether it asked, whether it edited.
 *
 * `modal.ts <record> <first mode> <style> [--stubborn]`. Modes: ask, plan, auto, full-access. Styles: modes, config, form (how they are
 * offered). `--stubborn` goes into no other mode when it is asked to. `--load` goes on with conversations, in the mode they had.
 * Prompts: `edit <path>` (asks first in ask and plan), `become <mode>` (changes its own mode, and says so),
 * `become <mode> and edit <path>`, `write <path>` (through its client, without asking), anything else is only answered.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

type Json = Record<string, unknown>;
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly message: string };
}

const [file = '', first = 'ask', style = 'modes', ...flags] = process.argv.slice(2);
const names = ['full-access', 'auto', 'plan', 'ask'];
let mode = first;
let requests = 0;
let sessionId = `modal-${process.pid}`;
const waiting = new Map<number, (message: Message) => void>();

const record = (event: string, more: Json = {}) =>
  appendFileSync(file, `${JSON.stringify({ event, cwd: process.cwd(), mode, sessionId, ...more })}\n`);
const send = (message: Json) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (body: Json) => send({ method: 'session/update', params: { sessionId, update: body } });

function ask(method: string, params: Json): Promise<Message> {
  requests += 1;
  send({ id: requests, method, params });
  const id = requests;
  return new Promise((resolve) => void waiting.set(id, resolve));
}

const option = () => ({
  type: 'select',
  id: 'mode',
  name: 'Mode',
  category: 'mode',
  currentValue: mode,
  options: names.map((value) => ({ value, name: value })),
});
const form = () => ({
  config: {
    schema: {
      properties: { mode: { type: 'string', title: 'Mode', enum: names, default: first, sessionMutable: true } },
    },
    values: { mode },
  },
});
function offer(): Json {
  if (style === 'config') return { configOptions: [option()] };
  if (style === 'form') return { _meta: { switchboard: form() } };
  return { modes: { currentModeId: mode, availableModes: names.map((id) => ({ id, name: id })) } };
}

function become(next: unknown): void {
  mode = String(next);
  writeFileSync(`${file}.${sessionId}`, mode);
}

async function edit(path: string): Promise<void> {
  const toolCall = { toolCallId: `call-${requests}`, title: `Write ${path}`, kind: 'edit', locations: [{ path }] };
  update({ sessionUpdate: 'tool_call', ...toolCall, status: 'pending' });
  if (mode === 'ask' || mode === 'plan') {
    record('asked');
    const options = [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ];
    const { result } = await ask('session/request_permission', { sessionId, toolCall, options });
    if ((result?.['outcome'] as Json | undefined)?.['optionId'] !== 'yes') return;
  }
  writeFileSync(path, 'edited\n');
  record('edited');
  update({ sessionUpdate: 'tool_call_update', toolCallId: toolCall.toolCallId, status: 'completed' });
}

async function change(next: string): Promise<void> {
  become(next);
  if (style === 'config') update({ sessionUpdate: 'config_option_update', configOptions: [option()] });
  else update({ sessionUpdate: 'current_mode_update', currentModeId: mode });
  await new Promise((resolve) => void setTimeout(resolve, 300)); // what the client wants of it comes in
}

async function prompt(text: string): Promise<void> {
  record('prompted');
  const becomes = /^become (\S+)(?: and )?/.exec(text);
  if (becomes?.[1] !== undefined) await change(becomes[1]);
  const path = /\bedit (.+)$/.exec(text)?.[1];
  if (path !== undefined) await edit(path);
  const written = /^write (.+)$/.exec(text)?.[1];
  if (written !== undefined) await write(written);
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: mode } });
}

async function write(path: string): Promise<void> {
  const { error } = await ask('fs/write_text_file', { sessionId, path, content: 'edited\n' });
  record(error ? 'refused' : 'edited', error && { why: error.message });
}

async function handle({ id, method, params = {} }: Message): Promise<void> {
  const answer = (result: Json) => send({ id, result });
  const refuse = (message: string) => send({ id, error: { code: -32603, message } });
  const goesOn = flags.includes('--load');
  switch (method) {
    case 'initialize':
      return answer({ protocolVersion: 1, agentCapabilities: { loadSession: goesOn }, authMethods: [] });
    case 'session/new':
      record('opened', { given: params['cwd'] });
      become(first);
      return answer({ sessionId, ...offer() });
    case 'session/load':
      sessionId = String(params['sessionId']);
      if (existsSync(`${file}.${sessionId}`)) mode = readFileSync(`${file}.${sessionId}`, 'utf8');
      record('loaded', { given: params['cwd'] });
      return answer(offer());
    case 'session/set_mode':
    case 'session/set_config_option':
    case '_switchboard/set_config': {
      if (flags.includes('--stubborn')) return refuse('no');
      const next = params['modeId'] ?? params['value'] ?? (params['values'] as Json)['mode'];
      become(next);
      record('set');
      return answer(style === 'form' ? { values: { mode } } : style === 'config' ? { configOptions: [option()] } : {});
    }
    case 'session/prompt':
      await prompt(String((params['prompt'] as Json[])[0]?.['text']));
      return answer({ stopReason: 'end_turn' });
    default:
      return id === undefined ? undefined : refuse('unknown');
  }
}

record('started');
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message = JSON.parse(line) as Message;
    if (message.method === undefined) waiting.get(Number(message.id))?.(message);
    else void handle(message);
  })
  .on('close', () => process.exit(0));
