import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** MCP servers that run as programs, each in a few lines of its own. */
export interface Programs {
  /**
   * Writes one. It shakes hands as it should.
   *
   * @param source JavaScript that may set `onCall`, called with each other request; `reply(message, result)` answers it
   * @returns what runs it
   */
  write(source: string): { readonly command: string; readonly args: readonly string[] };
  remove(): void;
}

export function programs(): Programs {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-programs-'));
  let count = 0;
  return {
    write(source) {
      count += 1;
      const file = join(folder, `program${count}.cjs`);
      writeFileSync(file, `${shakesHands}\n${source}`);
      return { command: process.execPath, args: [file] };
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

const shakesHands = `
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const reply = ({ id }, result) => say({ id, result });
let onCall = (message) => reply(message, { content: [] });
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === 'initialize')
    reply(message, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'program', version: '1' } });
  else if (message.id !== undefined) onCall(message);
});`;
