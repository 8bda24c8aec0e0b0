import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, it } from 'mocha';
import ts from 'typescript';
import { projectRoot } from '../support/cache.ts';
import { readSource, sourcePaths } from '../support/sources.ts';
import { verifies } from '../support/verifies.ts';

const bundle = pathToFileURL(join(projectRoot, 'dist', 'protocol.mjs')).href;

/** What `code` answers in a process of its own that knows the built file only, as `protocol`. */
function inPlainNode(code: string): unknown {
  const program = `import * as protocol from ${JSON.stringify(bundle)};
process.stdout.write(JSON.stringify((() => { ${code} })()));`;
  const cwd = mkdtempSync(join(tmpdir(), 'switchboard-protocol-'));
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd, encoding: 'utf8' });
  return JSON.parse(out);
}

/** Names of values, without types, that a module exports where it declares them. */
function exportedValues(path: string): string[] {
  const source = ts.createSourceFile(path, readSource(path), ts.ScriptTarget.Latest, true);
  return source.statements.flatMap((it) => {
    const isExported = ts.canHaveModifiers(it) && ts.getModifiers(it)?.some((one) => one.getText() === 'export');
    if (!isExported) return [];
    if (ts.isVariableStatement(it)) return it.declarationList.declarations.map((one) => one.name.getText());
    return (ts.isFunctionDeclaration(it) || ts.isClassDeclaration(it)) && it.name ? [it.name.text] : [];
  });
}

describe('dist/protocol.mjs in a plain node process', () => {
  it('reduces every kind of channel', () => {
    const states = inPlainNode(`
      const claim = { kind: 'client', clientId: 'c' };
      const chat = { resource: 'host-chat:/a', title: 'a', status: 1, modifiedAt: '2025-12-31T00:00:00Z', turns: [] };
      const session = { provider: 'p', title: 's', status: 1, lifecycle: 'creating', activeClients: [], chats: [] };
      const message = { text: 'hi', origin: { kind: 'user' } };
      const context = { now: '2026-01-01T00:00:00Z' };
      return [
        protocol.reduce('root', { agents: [] }, { type: 'root/activeSessionsChanged', activeSessions: 2 }),
        protocol.reduce('session', session, { type: 'session/ready' }),
        protocol.reduce('chat', chat, { type: 'chat/turnStarted', turnId: 't', message }, context),
        protocol.reduce('terminal', { title: 't', content: [], claim }, { type: 'terminal/data', data: 'x' }),
        protocol.reduce('changeset', { status: 'computing', files: [] }, { type: 'changeset/statusChanged', status: 'ready' }),
        protocol.reduce('annotations', { annotations: [] }, { type: 'annotations/removed', annotationId: 'n' }),
        protocol.reduce('resourceWatch', { root: 'file:///a', recursive: false }, { type: 'resourceWatch/ofTomorrow' }),
      ];`);
    const message = { text: 'hi', origin: { kind: 'user' } };
    const now = '2026-01-01T00:00:00Z';
    const chat = { resource: 'host-chat:/a', title: 'a', status: 8, modifiedAt: now, turns: [] };
    assert.deepEqual(states, [
      { agents: [], activeSessions: 2 },
      { provider: 'p', title: 's', status: 1, lifecycle: 'ready', activeClients: [], chats: [] },
      { ...chat, activeTurn: { id: 't', startedAt: now, message, responseParts: [] } },
      { title: 't', content: [{ type: 'unclassified', value: 'x' }], claim: { kind: 'client', clientId: 'c' } },
      { status: 'ready', files: [] },
      { annotations: [] },
      { root: 'file:///a', recursive: false },
    ]);
  });

  it('takes the time of the call where none is given', () => {
    const before = Date.now();
    const { modifiedAt } = inPlainNode(`
      const chat = { resource: 'host-chat:/a', title: 'a', status: 1, modifiedAt: '2025-12-31T00:00:00Z', turns: [] };
      return protocol.reduce('chat', chat, { type: 'chat/truncated' });`) as { modifiedAt: string };
    assert.match(modifiedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Date.parse(modifiedAt) >= before && Date.parse(modifiedAt) <= Date.now(), modifiedAt);
  });

  it('knows the kind of a channel by its URI', () => {
    verifies('host.service.channels', 'host.service.uri-annotations');
    const uris = [
      'host-root://',
      'host-session:/1',
      'host-session:/1/annotations',
      'host-chat:/1',
      'host-terminal:/1',
      'host-changeset:/1/session',
      'host-resource-watch:/1',
    ];
    assert.deepEqual(inPlainNode(`return ${JSON.stringify(uris)}.map((it) => protocol.channelKind(it));`), [
      'root',
      'session',
      'annotations',
      'chat',
      'terminal',
      'changeset',
      'resourceWatch',
    ]);
    assert.equal(inPlainNode(`return String(protocol.channelKind('host-otlp:/logs'));`), 'undefined');
  });

  it('refuses a kind that there is not, and says which there are', () => {
    const refused = inPlainNode(`
      try { return protocol.reduce('sessions', {}, { type: 'session/ready' }); } catch (thrown) { return String(thrown); }`);
    assert.equal(
      refused,
      'RangeError: kind: expected one of root, annotations, session, chat, terminal, changeset, resourceWatch',
    );
  });

  it('has every schema, type table and function of the host protocol by its name', () => {
    const paths = sourcePaths(['sidecar/protocol']).filter((it) => !it.startsWith('sidecar/protocol/gateway/'));
    const names = paths.flatMap(exportedValues);
    assert.ok(names.length > 150, `found ${names.length} names`);
    const exported = new Set(inPlainNode('return Object.keys(protocol);') as string[]);
    assert.deepEqual(
      names.filter((it) => !exported.has(it)),
      [],
    );
    assert.equal(exported.has('reduce'), true);
  });
});
