import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { fixtureServer } from './fixtureServer.ts';

/** The fixture as a program: `node stdioFixture.child.ts [name]`. Answers the tool `env` with its environment. */
serveStdio(() => {
  const server = fixtureServer({ name: process.argv[2] ?? 'fixture' });
  server.registerTool('env', { description: 'Names of the environment' }, () => ({
    content: [{ type: 'text', text: Object.keys(process.env).sort().join(' ') }],
  }));
  server.registerTool('exit', { description: 'Ends the server' }, () => process.exit(3));
  return server;
});
