import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import {
  type DocumentSession,
  openDocuments,
} from '../../../../../../sidecar/gateway/configuration/language/documents.ts';
import { type GatewayFacts, noFacts } from '../../../../../../sidecar/gateway/configuration/language/facts.ts';
import { Lines } from '../../../../../../sidecar/gateway/configuration/language/lines.ts';
import { later } from '../../../../../support/later.ts';

const uri = 'file:///w/switchboard.jsonc';
const wrong = '// é\n{\n  "listen": { "port": "x", "host": "0.0.0.0" },\n  "public_url": "?"\n}';

describe('the language server of switchboard.jsonc', () => {
  let published: { uri: string; version?: number; diagnostics: { code: string; message: string; range: unknown }[] }[];
  let session: DocumentSession;
  let knowsSchema: boolean;
  beforeEach(() => {
    published = [];
    knowsSchema = false;
    session = openDocuments(async () => undefined, {
      publish: (params) => void published.push(params as (typeof published)[number]),
      knowsSchema: () => knowsSchema,
    });
  });
  const open = (text: string) =>
    session.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'jsonc', version: 1, text } });
  const ask = (method: string, line: number, character: number) =>
    session.ask(`textDocument/${method}`, { textDocument: { uri }, position: { line, character } });

  it('publishes what is wrong by line and character, when it is opened, changed and closed', async () => {
    await open(wrong);
    await session.notify('textDocument/didChange', {
      textDocument: { uri, version: 2 },
      contentChanges: [{ text: '{}' }],
    });
    await session.notify('textDocument/didClose', { textDocument: { uri } });
    const [first, second, third] = published;
    assert.deepEqual([first?.version, second?.version, third?.version], [1, 2, undefined]);
    assert.deepEqual(first?.diagnostics[0], {
      range: { start: { line: 2, character: 22 }, end: { line: 2, character: 25 } },
      severity: 1,
      code: 'shape',
      source: 'switchboard',
      message: 'must be a number',
    });
    assert.deepEqual([second?.diagnostics, third?.diagnostics], [[], []]);
    assert.equal(await ask('hover', 0, 0), null);
  });

  it('publishes nothing of a text that was changed or closed while it was looked at', async () => {
    const asked: ReturnType<typeof later<GatewayFacts>>[] = [];
    session = openDocuments(
      () => {
        const facts = later<GatewayFacts>();
        asked.push(facts);
        return facts.promise;
      },
      { publish: (params) => void published.push(params as (typeof published)[number]), knowsSchema: () => false },
    );
    const change = (version: number, text: string) =>
      session.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
    const judged = [open(wrong), change(2, '{}')];
    asked[1]?.resolve(noFacts);
    await judged[1];
    asked[0]?.resolve(noFacts);
    await judged[0];
    assert.deepEqual(
      published.map((it) => [it.version, it.diagnostics.length]),
      [[2, 0]],
    );
    judged.push(change(3, wrong));
    await session.notify('textDocument/didClose', { textDocument: { uri } });
    asked[2]?.resolve(noFacts);
    await Promise.all(judged);
    assert.deepEqual(
      published.map((it) => [it.version, it.diagnostics.length]),
      [
        [2, 0],
        [undefined, 0],
      ],
    );
  });

  it('leaves to an editor that has the schema what the schema says', async () => {
    knowsSchema = true;
    await open('{ "listen": { "port": "x" }, "mcp_servers": { "a": { "url": "https://a.b", "transport": "x" } } }');
    await session.notify('textDocument/didChange', {
      textDocument: { uri, version: 2 },
      contentChanges: [{ text: '{ "mcp_servers": { "a": {} }, "teams": { "t": { "organization_id": "" } } }' }],
    });
    assert.deepEqual(
      published.map((it) => it.diagnostics.map((found) => found.message)),
      [[], []],
    );
    await session.notify('textDocument/didChange', {
      textDocument: { uri, version: 3 },
      contentChanges: [{ text: '{ "mcp_servers": { "a": {} } }' }],
    });
    assert.deepEqual(
      published.at(-1)?.diagnostics.map((it) => it.message),
      ['is required for the http transport'],
    );
    assert.deepEqual(await ask('completion', 0, 2), []);
    assert.equal(await ask('hover', 0, 5), null);
  });

  it('answers completions as edits, and hovers with their range', async () => {
    await open('{\n  "always_prefix": \n}');
    assert.deepEqual(
      await ask('completion', 1, 19),
      ['true', 'false'].map((label) => ({
        label,
        kind: 12,
        filterText: label,
        textEdit: { range: { start: { line: 1, character: 19 }, end: { line: 1, character: 19 } }, newText: label },
      })),
    );
    const hover = (await ask('hover', 1, 5)) as { contents: { kind: string }; range: unknown };
    assert.equal(hover.contents.kind, 'plaintext');
    assert.deepEqual(hover.range, { start: { line: 1, character: 2 }, end: { line: 1, character: 17 } });
  });

  it('ignores what is malformed and what was never opened', async () => {
    await session.notify('textDocument/didOpen', { textDocument: { uri, text: 1 } });
    await session.notify('textDocument/didChange', { textDocument: { uri }, contentChanges: [{ text: '{' }] });
    await session.notify('textDocument/didChange', undefined);
    await session.notify('textDocument/didClose', { textDocument: { uri } });
    assert.deepEqual(published, []);
    assert.equal(await ask('completion', 0, 0), null);
    assert.equal(await session.ask('textDocument/hover', { textDocument: { uri }, position: { line: -1 } }), null);
  });

  it('counts lines by every kind of line end, and stays inside of the text', () => {
    const lines = new Lines('a\r\nb\rc\nd');
    const places = [
      [0, 0],
      [1, 0],
      [2, 0],
      [3, 1],
      [9, 9],
      [0, 99],
    ] as const;
    assert.deepEqual(
      places.map(([line, character]) => lines.offsetAt({ line, character })),
      [0, 3, 5, 8, 8, 3],
    );
    assert.deepEqual(lines.range({ offset: 5, length: 99 }), {
      start: { line: 2, character: 0 },
      end: { line: 3, character: 1 },
    });
  });
});
