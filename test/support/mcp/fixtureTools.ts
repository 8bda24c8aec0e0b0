import { acceptedContent, fromJsonSchema, inputRequired, type McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const silence = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
const resource = (uri: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType: 'text/plain', text: words },
});

// Schemas are compiled once, not for each connection.
const echoed = z.object({ text: z.string(), loud: z.boolean().optional() });
const prompted = z.object({ prompt: z.string() });
const asked = z.object({ message: z.string() });
/** With words that a careless relay would drop. */
const person = fromJsonSchema<{ name?: string }>({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
});

/** The tools that the public conformance suite calls by name, and a few that count and wait. */
export function addTools(server: McpServer, calls: string[]): void {
  const simple = (name: string, description: string, content: () => { content: object[] }) =>
    server.registerTool(name, { description }, () => {
      calls.push(name);
      return content() as ReturnType<typeof text>;
    });
  simple('test_simple_text', 'Answers with text', () => text('This is a simple text response for testing.'));
  simple('test_image_content', 'Answers with an image', () => ({
    content: [{ type: 'image', data: pixel, mimeType: 'image/png' }],
  }));
  simple('test_audio_content', 'Answers with audio', () => ({
    content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }],
  }));
  simple('test_embedded_resource', 'Answers with a resource', () => ({
    content: [resource('test://embedded-resource', 'This is an embedded resource content.')],
  }));
  simple('test_multiple_content_types', 'Answers with several', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: pixel, mimeType: 'image/png' },
      resource('test://mixed-content-resource', '{"test":"data","value":123}'),
    ],
  }));
  simple('test_error_handling', 'Always fails', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  const description = 'Answers with what it got';
  server.registerTool('echo', { description, inputSchema: echoed }, ({ text: words, loud }) => {
    calls.push('echo');
    return text(loud === true ? words.toUpperCase() : words);
  });
  addTalking(server);
  addAsking(server);
  addForms(server);
  addSchemaTool(server);
}

function addSchemaTool(server: McpServer): void {
  const description = 'Tool with JSON Schema 2020-12 features';
  server.registerTool('json_schema_2020_12_tool', { description, inputSchema: person }, ({ name }) =>
    text(`Hello ${name}`),
  );
}

/** Tools that say something before they answer. */
function addTalking(server: McpServer): void {
  server.registerTool('test_tool_with_logging', { description: 'Logs three lines' }, async (ctx) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await ctx.mcpReq.log('info', line);
    }
    return text('Logged three lines.');
  });
  server.registerTool('test_tool_with_progress', { description: 'Tells how far it is' }, async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    }
    return text('Progressed.');
  });
  server.registerTool('test_reconnection', { description: 'Hangs up before it answers' }, (ctx) => {
    ctx.http?.closeSSE?.();
    return text('Reconnected.');
  });
  server.registerTool('test_held', { description: 'Answers when it is let go' }, async () => {
    await new Promise<void>((resolve) => void held.add(resolve));
    return text('Let go.');
  });
  server.registerTool('test_hang', { description: 'Never answers' }, async (ctx) => {
    await new Promise((_resolve, reject) => {
      ctx.mcpReq.signal.addEventListener('abort', () => reject(new Error('cancelled')));
    });
    return text('never');
  });
  server.registerTool('test_trigger_tool_change', { description: 'Changes the list of tools' }, () => {
    server.sendToolListChanged();
    return text('Changed.');
  });
}

/** Calls of `test_held` in this process. */
const held = new Set<() => void>();
/** @returns how many there were */
export function letGoOfHeldCalls(): number {
  const { size } = held;
  for (const answer of held) answer();
  held.clear();
  return size;
}

/** Two forms whose schemas have to arrive as they were written. */
function addForms(server: McpServer): void {
  const ask = (name: string, properties: Record<string, object>) =>
    server.registerTool(name, { description: 'Asks the person to fill in a form' }, async (ctx) => {
      const requestedSchema = { type: 'object' as const, properties, required: [] };
      const params = { mode: 'form', message: 'Please fill in', requestedSchema } as never;
      const answer = await ctx.mcpReq.send({ method: 'elicitation/create', params });
      return text(`Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content)}`);
    });
  ask('test_elicitation_sep1034_defaults', {
    name: { type: 'string', description: 'User name', default: 'John Doe' },
    age: { type: 'integer', description: 'User age', default: 30 },
    score: { type: 'number', description: 'User score', default: 95.5 },
    status: { type: 'string', description: 'User status', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', description: 'Verification status', default: true },
  });
  const titled = (titles: readonly string[]) => titles.map((title, at) => ({ const: `value${at + 1}`, title }));
  const options = ['option1', 'option2', 'option3'];
  ask('test_elicitation_sep1330_enums', {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled(['First Option', 'Second Option', 'Third Option']) },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: titled(['First Choice', 'Second Choice', 'Third Choice']) } },
  });
}

/**
 * Tools that ask the client something first: pushed in the older era, on the stream of their call unless they say so, and
 * as an `input_required` result in the newer one.
 */
function addAsking(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: 'Asks the model of the client', inputSchema: prompted },
    async ({ prompt }, ctx) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }];
      const params = { messages, maxTokens: 100 };
      const result = await ctx.mcpReq.send({ method: 'sampling/createMessage', params });
      return text(`LLM response: ${JSON.stringify(result.content)}`);
    },
  );
  const requestedSchema = {
    type: 'object' as const,
    properties: { response: { type: 'string' as const, description: 'Your answer' } },
    required: ['response'],
  };
  const said = (answer: object) => text(`User response: ${JSON.stringify(answer)}`);
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the person at the client', inputSchema: asked },
    async ({ message }, ctx) => {
      const params = { mode: 'form' as const, message, requestedSchema };
      return said(await ctx.mcpReq.send({ method: 'elicitation/create', params }));
    },
  );
  server.registerTool('test_elicitation_aside', { description: "Asks on the session's own stream" }, async (ctx) =>
    said(await ctx.mcpReq.elicitInput({ message: 'Aside', requestedSchema })),
  );
  server.registerTool('test_input_required', { description: 'Asks by its result' }, (ctx) => {
    const given = acceptedContent(ctx.mcpReq.inputResponses, 'name');
    if (given) return text(`${String(ctx.mcpReq.requestState())}: hello ${String(given['name'])}`);
    return inputRequired({
      requestState: 'round-1',
      inputRequests: {
        name: inputRequired.elicit({
          message: 'Who are you?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        }),
      },
    });
  });
  server.registerTool('test_roots', { description: 'Asks for the roots of the client' }, async (ctx) => {
    const { roots } = await ctx.mcpReq.send({ method: 'roots/list' });
    return text(roots.map((it) => it.uri).join(' '));
  });
}
