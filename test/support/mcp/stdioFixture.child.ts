import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { fixtureServer } from './fixtureServer.ts';

/**
 * The fixture as a program: `node stdioFixture.child.ts [name]`. Answers the tool `env` with its environment; the variable
 * `TITLE` is the title of that tool. It serves once the file exists that `WAITS_FOR` names, and only
 * the newer era with `MODERN_ONLY`. With `TELLS_META`, the tool `meta` answers with what `_meta` of its call has.
 */
const file = process.env['WAITS_FOR'];
while (file !== undefined && !existsSync(file)) await setTimeout(10);
const build = () => {
  const server = fixtureServer({ name: process.argv[2] ?? 'fixture' });
  const title = process.env['TITLE'];
  const about = { description: 'Names of the environment', ...(title !== undefined && { title }) };
  server.registerTool('env', about, () => ({
    content: [{ type: 'text', text: Object.keys(process.env).sort().join(' ') }],
  }));
  if (process.env['TELLS_META'] !== undefined)
    server.registerTool('meta', { description: 'Answers with the _meta of its call' }, (ctx) => ({
      content: [{ type: 'text', text: JSON.stringify(ctx.mcpReq._meta ?? {}) }],
    }));
  server.registerTool('exit', { description: 'Ends the server' }, () => process.exit(3));
  return server;
};
serveStdio(build, process.env['MODERN_ONLY'] === undefined ? {} : { legacy: 'reject' });
