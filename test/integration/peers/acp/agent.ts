/**
 * A scripted agent that speaks the Agent Client Protocol by hand, line by line, so that it can also speak it badly.
 *
 * Flags: --token=<variable> (session/new needs that variable), --silent (never answers session/new), --auth[=terminal] (session/new needs a sign-in), --login=<program> (that sign-in; it is done when `<program>.done` is there), --garbage (prints to
 * standard output), --early (says in_progress before it asks), --hasty (says it while it asks), --unannounced (asks without a tool_call first),
 * --rejected=end|cancel (what it does after a rejection), --steer, --deaf (ignores a cancel), --load=ok|refused|sign-in (refused until somebody signed in),
 * --offer=modes,models,config,both,urls,form,many, --crash-at-start, --crash-once=path (of a file that it makes), --two-of-a-kind, --mcp (takes MCP servers over HTTP).
 *
 * Prompts: `say …`, `run …` (asks), `runs …` (does not ask), `edit <path>` (asks, then writes through the client),
 * `read <path>`, `limited <end>[ once]` (reaches the usage limit, each time or once), `think`, `plan`, `crash`, `fork` (leaves a child that left the group), `odd` (unknown methods),
 * `stop <reason>`, `blocks` (says what it got), `servers` (says which MCP servers it got, with their headers),
 * `settings` (says what was set), `tool <name> <JSON>` (calls a tool of the first of them, over HTTP or as a program), `sign-in`,
 * `model <text>` (calls the model in its environment variables), `spend` (reports a cost), `terminal <command>` (asks, then has it run by the client),
 * `talk <n> <path>` (until there is a file, then it asks n times), `fetch <url>` (says what is there for the bearer of its token; without a good one it needs a sign-in).
 */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { callModel } from './callModel.ts';
import { inTerminal } from './inTerminal.ts';
import { branchesLike, offer } from './offer.ts';

type Json = Record<string, unknown>;
interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Pair {
  readonly name: string;
  readonly value: string;
}
type McpServer =
  | { readonly type: 'http'; readonly name: string; readonly url: string; readonly headers: readonly Pair[] }
  | { readonly name: string; readonly command: string; readonly args: string[]; readonly env: readonly Pair[] };

const flags = process.argv.slice(2);
const has = (flag: string) => flags.includes(flag);
const optionOf = (flag: string) => flags.find((it) => it.startsWith(`${flag}=`))?.slice(flag.length + 1) ?? '';
const waiting = new Map<number, (message: Message) => void>();
let requests = 0;
let calls = 0;
let [isCancelled, wasLimited] = [false, false];
let running: { readonly pid?: number | undefined } | undefined;
let servers: McpServer[] = [];
const steered: string[] = [];
let promptMeta: Json = {};
let formValues: Json = { branch: 'main', retries: 2, paths: ['src'], limits: { cpu: 1 }, plan: 'team', dry: false };
const sessionId = 'fake-session';

const send = (message: Json): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
};
const update = (body: Json) => send({ method: 'session/update', params: { sessionId, update: body } });
const say = (text: string) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

function ask(method: string, params: Json): Promise<Message> {
  requests += 1;
  const id = requests;
  send({ id, method, params });
  return new Promise((resolve) => void waiting.set(id, resolve));
}

async function handle({ id, method, params = {} }: Message): Promise<void> {
  const answer = (result: unknown) => send({ id, result });
  const refuse = (code: number, message: string) => send({ id, error: { code, message } });
  switch (method) {
    case 'initialize':
      return answer({
        protocolVersion: 1,
        agentCapabilities: {
          loadSession: optionOf('--load') !== '',
          ...(has('--mcp') && { mcpCapabilities: { http: true, sse: false } }),
          promptCapabilities: { image: has('--image'), embeddedContext: has('--embedded') },
        },
        authMethods: flags.some((it) => /^--(auth|token)/.test(it)) ? [authMethod()] : [],
        ...(has('--steer') && { _meta: { steering: { supported: true } } }),
      });
    case 'session/new':
      if (has('--silent')) return;
      servers = params['mcpServers'] as McpServer[];
      if (optionOf('--token') && !process.env[optionOf('--token')]) return refuse(-32000, 'Authentication required');
      if (flags.some((it) => it.startsWith('--auth')) && !existsSync(`${optionOf('--login')}.done`))
        return refuse(-32000, 'Authentication required');
      return answer({ sessionId, ...offer(optionOf('--offer').split(','), formValues) });
    case 'session/load':
      if (optionOf('--load') === 'refused') return refuse(-32002, 'no such session');
      if (optionOf('--load') === 'sign-in') return refuse(-32000, 'Authentication required');
      servers = params['mcpServers'] as McpServer[];
      say('words of an earlier turn');
      return answer(offer(optionOf('--offer').split(','), formValues));
    case 'session/set_mode':
    case 'session/set_model':
    case 'session/set_config_option':
      return answer({});
    case 'session/prompt':
      promptMeta = (params['_meta'] as Json | undefined) ?? {};
      return prompt(params['prompt'] as Json[]).then(answer, (thrown: unknown) => {
        if (thrown instanceof Limited)
          return send({ id, error: { code: -32603, message: thrown.message, data: { errorKind: 'rate_limit' } } });
        if (!(thrown instanceof SignInNeeded)) throw thrown;
        refuse(-32000, 'Authentication required');
      });
    case 'session/cancel':
      if (has('--deaf')) return;
      isCancelled = true;
      if (running?.pid) process.kill(-running.pid, 'SIGKILL');
      return;
    case '_switchboard/set_config':
      formValues = { ...formValues, ...(params['values'] as Json) };
      return answer({ values: formValues });
    case '_switchboard/config_completions':
      return answer({ items: branchesLike(String(params['query'])) });
    case '_session/steering':
      steered.push(String((params['prompt'] as Json[])[0]?.['text']));
      return answer({ outcome: 'injected' });
    default:
      if (id !== undefined) refuse(-32601, 'unknown');
  }
}

class SignInNeeded extends Error {}
class Limited extends Error {}
const limitAt = (at: string) => ({ '_claude/rateLimit': { status: 'rejected', resetsAt: Number(at) } });

async function prompt(blocks: Json[]): Promise<Json> {
  isCancelled = false;
  const text = String(blocks[0]?.['text']);
  const [word = '', ...rest] = text.split(' ');
  const more = rest.join(' ');
  const stopReason = await perform(word, more, text, blocks);
  for (const line of steered.splice(0)) say(`you said: ${line}`);
  return {
    stopReason: isCancelled ? 'cancelled' : stopReason,
    ...(!has('--counts-nothing') && { usage: { inputTokens: 3, outputTokens: 5, totalTokens: 8 } }),
  };
}

async function perform(word: string, more: string, text: string, blocks: Json[]): Promise<string> {
  switch (word) {
    case 'say':
      for (const piece of more.match(/\S+\s*/g) ?? []) say(piece);
      return 'end_turn';
    case 'run':
      return shell(more, true);
    case 'runs':
      return shell(more, false);
    case 'edit':
      return edit(more);
    case 'settings':
      say(JSON.stringify({ ...formValues, model: promptMeta['switchboard'] }));
      return 'end_turn';
    case 'read': {
      const answer = await ask('fs/read_text_file', { sessionId, path: more });
      say(
        answer.error
          ? `error ${answer.error.code} ${answer.error.message}`
          : `read [${String(answer.result?.['content'])}]`,
      );
      return 'end_turn';
    }
    case 'limited':
      if (more.endsWith(' once') && wasLimited) {
        say('The limit has ended.');
        return 'end_turn';
      }
      wasLimited = true;
      update({ sessionUpdate: 'usage_update', used: 100, size: 1000, _meta: limitAt(more.split(' ')[0] ?? '') });
      throw new Limited("You've hit your limit");
    case 'spend': {
      const used = (used: number, cost?: object) =>
        update({ sessionUpdate: 'usage_update', used, size: 1000, ...cost });
      used(100);
      say('a');
      used(100);
      used(250, { cost: { amount: 0.5, currency: 'USD' } });
      say('b');
      used(300);
      update({ sessionUpdate: 'usage_update', used: 'many', size: 1000 });
      return 'end_turn';
    }
    case 'model':
      say(await callModel(more));
      return 'end_turn';
    case 'think':
      update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } });
      say('done');
      return 'end_turn';
    case 'plan':
      update({
        sessionUpdate: 'plan',
        entries: [
          { content: 'first', priority: 'high', status: 'completed' },
          { content: 'second', priority: 'low', status: 'pending' },
        ],
      });
      return 'end_turn';
    case 'fetch': {
      const token = process.env[optionOf('--token')] ?? '';
      const answer = await fetch(more, { headers: { Authorization: `Bearer ${token}` } });
      if (answer.status === 401) throw new SignInNeeded();
      say(await answer.text());
      return 'end_turn';
    }
    case 'crash':
      say('half a wo');
      process.stderr.write(`fatal: the key is ${process.env['FAKE_API_KEY'] ?? 'none'}\n`);
      await new Promise((resolve) => void setTimeout(resolve, 20));
      return process.exit(7);
    case 'fork': {
      const child = spawn('sh', ['-c', 'sleep 300 & exec sleep 300'], { detached: true, stdio: 'ignore' });
      child.unref();
      say(String(child.pid));
      return 'end_turn';
    }
    case 'odd': {
      send({ method: 'session/unheard_of', params: { a: 1 } });
      update({ sessionUpdate: 'brand_new_kind', anything: true });
      update({ sessionUpdate: 'tool_call', toolCallId: 'odd', kind: 'teleport', status: 'completed', content: [7] });
      const answer = await ask('session/unheard_of', {});
      say(`code ${answer.error?.code}`);
      return 'end_turn';
    }
    case 'stop':
      return more;
    case 'blocks':
      say(JSON.stringify(blocks.slice(1)));
      return 'end_turn';
    case 'servers':
      say(JSON.stringify(servers));
      return 'end_turn';
    case 'tool': {
      const [name = '', ...json] = more.split(' ');
      say(await callTool(name, JSON.parse(json.join(' ') || '{}') as Json));
      return 'end_turn';
    }
    case 'talk': {
      const [questions, ...path] = more.split(' ');
      return talk(Number(questions), path.join(' '));
    }
    case 'terminal':
      calls += 1;
      return inTerminal(more, `call-${calls}`, { ask, update, permitted, sessionId });
    case 'wait':
      await new Promise(() => void undefined);
      return 'end_turn';
    default:
      say(`you said: ${text}`);
      return 'end_turn';
  }
}

/**
 * Says a word every tenth of a second until there is a file at `path`, and writes into it how many. Then it asks for so
 * many commands, and speaks for three seconds after each.
 */
async function talk(questions: number, path: string): Promise<string> {
  const slowly = async (word: string) => {
    say(`${word} `);
    await new Promise((resolve) => void setTimeout(resolve, 100));
  };
  let count = 0;
  while (!existsSync(path)) await slowly(`word${count++}`);
  writeFileSync(path, String(count));
  for (let n = 0; n < questions; n += 1) {
    await shell(`echo question ${n}`, true);
    for (let pause = 0; pause < 30; pause += 1) await slowly(`pause${n}-${pause}`);
  }
  say('All was said.');
  return 'end_turn';
}

async function shell(command: string, mayAsk: boolean): Promise<string> {
  calls += 1;
  const toolCall = { toolCallId: `call-${calls}`, title: 'Run something', kind: 'execute', rawInput: { command } };
  if (!has('--unannounced'))
    update({ sessionUpdate: 'tool_call', ...toolCall, status: has('--early') ? 'in_progress' : 'pending' });
  if (mayAsk && !(await permitted(toolCall))) return rejected(toolCall.toolCallId);
  update({ sessionUpdate: 'tool_call_update', toolCallId: toolCall.toolCallId, status: 'in_progress' });
  let output = '';
  const content = () => [{ type: 'content', content: { type: 'text', text: output } }];
  const child = spawn('sh', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  running = child;
  child.stdout?.on('data', (data: Buffer) => {
    output += data.toString();
    update({ sessionUpdate: 'tool_call_update', toolCallId: toolCall.toolCallId, content: content() });
  });
  const code = await new Promise((resolve) => void child.on('close', resolve));
  running = undefined;
  update({
    sessionUpdate: 'tool_call_update',
    toolCallId: toolCall.toolCallId,
    status: code === 0 ? 'completed' : 'failed',
    content: content(),
  });
  return 'end_turn';
}

/** The handshake and one call, by hand. Answers what the tool said, or what went wrong. */
async function callTool(name: string, args: Json): Promise<string> {
  const [server] = servers;
  if (!server) return 'no server';
  if ('command' in server) return (await import('./callProgram.ts')).callProgram(server, name, args);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...Object.fromEntries(server.headers.map((it) => [it.name, it.value])),
  };
  const post = async (message: Json): Promise<Message> => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const response = await fetch(server.url, { method: 'POST', headers, body });
    const session = response.headers.get('mcp-session-id');
    if (session !== null) headers['mcp-session-id'] = session;
    const text = await response.text();
    if (!response.ok) return { error: { code: response.status, message: response.statusText } };
    const lines = text.split('\n').filter((it) => it.startsWith('data: {'));
    return text === '' ? {} : (JSON.parse(lines.at(-1)?.slice(6) ?? text) as Message);
  };
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fake', version: '1' } };
  const welcome = await post({ id: 1, method: 'initialize', params: hello });
  if (welcome.error) return `refused: ${welcome.error.code}`;
  await post({ method: 'notifications/initialized' });
  const { result, error } = await post({ id: 2, method: 'tools/call', params: { name, arguments: args } });
  return error ? `failed: ${error.code}` : JSON.stringify(result?.['content']);
}

async function edit(path: string): Promise<string> {
  calls += 1;
  const diff = { type: 'diff', path, oldText: null, newText: 'new text\n' };
  const toolCall = {
    toolCallId: `call-${calls}`,
    title: `Write ${path}`,
    kind: 'edit',
    locations: [{ path }],
    content: [diff],
  };
  update({ sessionUpdate: 'tool_call', ...toolCall, status: 'pending' });
  if (!(await permitted(toolCall))) return rejected(toolCall.toolCallId);
  const answer = await ask('fs/write_text_file', { sessionId, path, content: 'new text\n' });
  update({
    sessionUpdate: 'tool_call_update',
    toolCallId: toolCall.toolCallId,
    status: answer.error ? 'failed' : 'completed',
  });
  return 'end_turn';
}

async function permitted(toolCall: Json): Promise<boolean> {
  const options = [
    { optionId: 'forever', name: 'Always', kind: 'allow_always' },
    { optionId: 'go', name: 'Yes', kind: 'allow_once' },
    ...(has('--two-of-a-kind') ? [{ optionId: 'go-and-more', name: 'Yes, and more', kind: 'allow_once' }] : []),
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const asked = ask('session/request_permission', { sessionId, toolCall, options });
  if (has('--hasty'))
    update({ sessionUpdate: 'tool_call_update', toolCallId: toolCall['toolCallId'], status: 'in_progress' });
  const { result } = await asked;
  const outcome = result?.['outcome'] as Json | undefined;
  if (outcome?.['outcome'] === 'cancelled') isCancelled = true;
  return outcome?.['optionId'] === 'go';
}

async function rejected(toolCallId: string): Promise<string> {
  update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' });
  await new Promise((resolve) => void setTimeout(resolve, 20)); // a steered message is on its way
  if (optionOf('--rejected') === 'cancel') return 'cancelled';
  if (optionOf('--rejected') !== 'end') say('Then not. ');
  return 'end_turn';
}

function authMethod(): Json {
  const variable = optionOf('--token');
  if (variable) return { id: 'variable', name: 'A token', type: 'env_var', vars: [{ name: variable }] };
  const login = { command: optionOf('--login') || '/opt/fake', args: ['login'], label: 'Fake Login' };
  return {
    id: 'fake-login',
    name: 'Fake Login',
    ...(optionOf('--auth') === 'terminal' && { _meta: { 'terminal-auth': login } }),
  };
}

const started = optionOf('--crash-once');
if (has('--crash-at-start') || (started && !existsSync(started))) {
  if (started) writeFileSync(started, '');
  process.stderr.write('\u001b[91mcannot start:\u001b[0m a library is missing\n\n');
  process.exit(3);
}
if (has('--garbage')) process.stdout.write('Welcome to Fake 1.0!\n\nnpm notice something\n[1,2]\n');
createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (has('--garbage')) process.stdout.write('debug: a line came in\n');
    const message = JSON.parse(line) as Message;
    if (message.method === undefined) waiting.get(Number(message.id))?.(message);
    else void handle(message);
  })
  .on('close', () => process.exit(0));
