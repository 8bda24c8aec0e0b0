import { completable, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { addTools, pixel } from './fixtureTools.ts';

export interface FixtureOptions {
  readonly name?: string;
  /** Names of the tools that ran, in order. */
  readonly calls?: string[];
}

// Schemas are compiled once, not for each connection.
const withTwo = z.object({
  arg1: completable(z.string(), (value) => ['paris', 'park', 'party'].filter((it) => it.startsWith(value))),
  arg2: z.string(),
});
const withResource = z.object({ resourceUri: z.string() });

/** A real MCP server with the names of the public conformance suite. One for each connection, as the SDK wants it. */
export function fixtureServer({ name = 'fixture', calls = [] }: FixtureOptions = {}): McpServer {
  const server = new McpServer(
    { name, version: '1.0.0' },
    {
      capabilities: {
        logging: {},
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
      },
      instructions: `How to use ${name}.`,
    },
  );
  addTools(server, calls);
  addResources(server);
  addPrompts(server);
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.server.setRequestHandler('logging/setLevel', () => ({}));
  return server;
}

function addResources(server: McpServer): void {
  const words = (uri: URL, text: string) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text }] });
  const plain = { mimeType: 'text/plain' };
  server.registerResource('static-text', 'test://static-text', plain, (uri) =>
    words(uri, 'This is the content of the static text resource.'),
  );
  server.registerResource('watched', 'test://watched-resource', plain, (uri) => words(uri, 'Watched resource content'));
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'image/png', blob: pixel }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, { mimeType: 'application/json' }, (uri, { id }) => ({
    contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }],
  }));
}

function addPrompts(server: McpServer): void {
  const user = (text: string) => ({ messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] });
  server.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments' }, () =>
    user('This is a simple prompt for testing.'),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'A prompt with two', argsSchema: withTwo },
    ({ arg1, arg2 }) => user(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt with a resource', argsSchema: withResource },
    ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
          },
        },
        ...user('Please process the embedded resource above.').messages,
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image' }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: pixel, mimeType: 'image/png' } },
      ...user('Please analyze the image above.').messages,
    ],
  }));
}
