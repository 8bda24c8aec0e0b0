import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { TerminalInfo, TerminalState } from '../../../../../sidecar/protocol/channels/terminal/schema.ts';
import type { HostPort } from '../../../../../src/client/port.ts';
import { ChatTerminals } from '../../../../../src/webviews/chat/chatTerminals.ts';
import type { Row, ToolRow } from '../../../../../src/webviews/contract/chatModel.ts';

const RESOURCE = 'host-terminal:/one';
const session = 'host-session:/s';
const row: ToolRow = {
  kind: 'tool',
  id: 't/0',
  turnId: 't',
  toolCallId: 'c',
  state: 'running',
  toolKind: 'shell',
  title: 'npm test',
  files: [],
  paths: [],
  terminal: { resource: RESOURCE, place: 'gone' },
};
const inCall = { kind: 'session', session, turnId: 't', toolCallId: 'c' } as const;
const info = (more: Partial<TerminalInfo> = {}): TerminalInfo => ({
  resource: RESOURCE,
  title: 'npm test',
  claim: inCall,
  ...more,
});

describe('the terminals of the tool calls of a chat', () => {
  let shown: TerminalState | undefined;
  let opened: string[];
  let terminals: ChatTerminals;
  beforeEach(() => {
    [shown, opened] = [undefined, []];
    const open = (uri: string) => {
      opened.push(uri);
      return {
        get shown() {
          return shown;
        },
        onDidChange: () => ({ dispose: () => undefined }),
        dispose: () => void opened.splice(opened.indexOf(uri), 1),
      };
    };
    terminals = new ChatTerminals({ open } as unknown as HostPort, () => undefined);
  });
  const prints = (value: string) => {
    shown = { title: 'npm test', claim: inCall, content: [{ type: 'unclassified', value }] };
  };
  const one = (rows: readonly Row[]) => rows[0] as ToolRow;

  it('are subscribed only while a row shows them', () => {
    terminals.rows([row], []);
    assert.deepEqual(opened, []);
    terminals.rows([row], [info()]);
    terminals.rows([row], [info()]);
    assert.deepEqual(opened, [RESOURCE]);
    assert.equal(one(terminals.rows([row], [])).terminal?.place, 'gone');
    assert.deepEqual(opened, []);
    terminals.rows([row], [info()]);
    terminals.dispose();
    assert.deepEqual(opened, []);
  });

  it('show what was printed as text, in the same row until something changes', () => {
    prints('\u001b[32mpass\u001b[0m\r\n');
    const first = one(terminals.rows([row], [info()]));
    assert.equal(first.output?.text, 'pass');
    assert.equal(one(terminals.rows([row], [info()])), first);
    prints('pass\r\nfail\r\n');
    assert.equal(one(terminals.rows([row], [info()])).output?.text, 'pass\nfail');
    const ended: ToolRow = { ...row, output: { text: 'kept', lines: 1, isCut: false } };
    assert.equal(one(terminals.rows([ended], [info()])).output?.text, 'kept');
  });

  for (const { place, more } of [
    { place: 'call', more: {} },
    { place: 'background', more: { claim: { kind: 'session', session } } },
    { place: 'background', more: { claim: { kind: 'client', clientId: 'c1' } } },
    { place: 'ended', more: { exitCode: 0 } },
  ] as const)
    it(`are in the place "${place}" with ${JSON.stringify(more)}`, () => {
      assert.equal(one(terminals.rows([row], [info(more)])).terminal?.place, place);
    });
});
