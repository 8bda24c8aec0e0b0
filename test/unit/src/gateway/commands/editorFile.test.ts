import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'jsonc-parser';
import { describe, it } from 'mocha';
import { filledIn, readEditorFile } from '../../../../../src/gateway/commands/editorFile.ts';

const FILE = `{
  // as VS Code writes it
  "inputs": [{ "id": "token", "type": "promptString", "description": "The token", "password": true }],
  "servers": {
    "web": { "type": "http", "url": "https://x.example/mcp", "headers": { "Authorization": "Bearer \${input:token}" } },
    "local": { "command": "npx", "args": ["-y", "server", "\${workspaceFolder}/data"], "env": { "K": "\${input:other}" } },
  },
}`;

describe("an editor's file of MCP servers", () => {
  it('is read with comments, and says what has to be asked and run', () => {
    const read = readEditorFile(FILE, parse);
    assert.deepEqual(Object.keys(read?.servers ?? {}), ['web', 'local']);
    assert.deepEqual(read?.inputs, [
      { id: 'token', description: 'The token', isSecret: true },
      { id: 'other', description: 'other', isSecret: true },
    ]);
    assert.deepEqual(read?.commands, ['npx']);
  });

  it('is filled in everywhere, and keeps what nobody answered', () => {
    const { servers } = readEditorFile(FILE, parse)!;
    assert.deepEqual(filledIn(servers, { token: 't' }, '/work'), {
      web: { type: 'http', url: 'https://x.example/mcp', headers: { Authorization: 'Bearer t' } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the file
      local: { command: 'npx', args: ['-y', 'server', '/work/data'], env: { K: '${input:other}' } },
    });
  });

  it('of another editor has mcpServers', () => {
    const read = readEditorFile('{"mcpServers": {"a": {"url": "https://x.example"}}}', parse);
    assert.deepEqual([read?.servers, read?.inputs], [{ a: { url: 'https://x.example' } }, []]);
  });

  it('of the fixtures is read', () => {
    assert.ok(readEditorFile(readFileSync('test/fixtures/config/mcp.json', 'utf8'), parse));
  });

  for (const text of ['', '[]', '{"servers": 7}', '{"servers": {"a": ', '{"other": {}}']) {
    it(`is not ${text || 'an empty text'}`, () => assert.equal(readEditorFile(text, parse), undefined));
  }
});
