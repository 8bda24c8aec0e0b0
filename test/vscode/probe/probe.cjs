// Runs the suites' questions inside the editor: POST / {body: source of an async function body, arg} -> {value} or {error}.
// Listens on loopback, for whoever knows the secret that lies in the folder SWITCHBOARD_PROBE names.
const { randomBytes } = require('node:crypto');
const { mkdirSync, renameSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { join } = require('node:path');
const vscode = require('vscode');

exports.activate = (context) => {
  const folder = process.env.SWITCHBOARD_PROBE;
  if (!folder) return;
  const secret = randomBytes(16).toString('hex');
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', async () => {
      if (request.headers['x-secret'] !== secret) return response.writeHead(403).end();
      try {
        const { source, arg } = JSON.parse(body);
        const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
        const value = await new AsyncFunction('vscode', 'arg', source)(vscode, arg);
        response.end(JSON.stringify({ value: value ?? null }));
      } catch (thrown) {
        response.end(JSON.stringify({ error: String(thrown?.stack ?? thrown) }));
      }
    });
  });
  server.listen(0, '127.0.0.1', () => {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${Date.now()}-${process.pid}.json`);
    writeFileSync(`${file}.new`, JSON.stringify({ port: server.address().port, secret, pid: process.pid }));
    renameSync(`${file}.new`, file);
  });
  context.subscriptions.push({ dispose: () => server.close() });
};
