import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  resolveCommand,
  type StdioPolicy,
  stdioEnvironment,
} from '../../../../../../sidecar/gateway/backends/mcp/commands.ts';
import { EventQueue } from '../../../../../../sidecar/gateway/backends/mcp/eventQueue.ts';
import { toFailure } from '../../../../../../sidecar/gateway/backends/mcp/failure.ts';
import { renameIds } from '../../../../../../sidecar/gateway/backends/mcp/renameIds.ts';
import {
  decodeHeaderText,
  encodeHeaderText,
  standardHeaders,
} from '../../../../../../sidecar/gateway/backends/mcp/standardHeaders.ts';
import { MessageText } from '../../../../../../sidecar/gateway/backends/mcp/streamEvent.ts';
import type { McpTarget } from '../../../../../../sidecar/gateway/backends/mcp/types.ts';
import { type RpcRequest, readRpc } from '../../../../../../sidecar/protocol/gateway/mcpWire.ts';

describe('text in a header', () => {
  it('comes back as it was, and is plain ASCII on the way', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const encoded = encodeHeaderText(text);
        assert.match(encoded, /^[\t\x20-\x7e]+$/);
        assert.equal(decodeHeaderText(encoded), text);
      }),
    );
  });

  it('that claims to be base64 and is not is refused', () => {
    for (const bad of ['=?base64?*?=', '=?base64?YQ?=', '=?base64?/w==?='])
      assert.equal(decodeHeaderText(bad), undefined);
  });

  it('repeats the method and the name of a request of the newer era', () => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const request: RpcRequest = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'a:ü', _meta } };
    assert.deepEqual(standardHeaders(request), {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'resources/read',
      'mcp-name': '=?base64?YTrDvA==?=',
    });
  });
});

describe('a renamed request', () => {
  const request: RpcRequest = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 't', _meta: { progressToken: 1, x: 2 } },
  };

  it('carries ids that nobody else has, and everything else as it was', () => {
    const sent = JSON.parse(renameIds(request, 'u').text) as object;
    assert.deepEqual(sent, { ...request, id: 'sb-u', params: { name: 't', _meta: { progressToken: 'sp-u', x: 2 } } });
  });

  it('gets the ids of its caller back, of the same kind', () => {
    const { restore } = renameIds(request, 'u');
    assert.equal(restore('{"id":"sb-u","result":{}}'), '{"id":1,"result":{}}');
    assert.equal(restore('{"params":{"progressToken":"sp-u"}}'), '{"params":{"progressToken":1}}');
    assert.equal(renameIds({ ...request, id: 'a"b' }, 'u').restore('{"id":"sb-u"}'), '{"id":"a\\"b"}');
  });

  it('gets them back in what was read of a message as in its text, however deep', () => {
    const { restore, restoreIn } = renameIds(request, 'u');
    const deep = `${'['.repeat(20_000)}"sb-u"${']'.repeat(20_000)}`;
    for (const text of [
      '{"jsonrpc":"2.0","id":"sb-u","result":{}}',
      '{"jsonrpc":"2.0","id":"sb-u","result":{"_meta":{"io.modelcontextprotocol/subscriptionId":"sb-u"},"a":["sb-u x",null]}}',
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"sp-u","progress":1}}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"sb-u","__proto__":"sb-u"}}',
    ]) {
      const read = readRpc(JSON.parse(text));
      assert.deepEqual(read && restoreIn(read).message, JSON.parse(restore(text)), text);
    }
    const read = readRpc(JSON.parse(`{"jsonrpc":"2.0","id":"sb-u","result":{"deep":${deep}}}`));
    let found: unknown = read?.kind === 'response' && 'result' in read.message && restoreIn(read).message;
    found = (found as { readonly result: { readonly deep: unknown } }).result.deep;
    while (Array.isArray(found)) found = found[0];
    assert.equal(found, request.id);
  });
});

describe('an error of the socket', () => {
  const rows: readonly [unknown, string, boolean][] = [
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'unreachable', false],
    [new Error('x', { cause: Object.assign(new Error('y'), { code: 'ENOTFOUND' }) }), 'unreachable', false],
    [Object.assign(new Error('x'), { code: 'UND_ERR_SOCKET' }), 'ended', true],
    [new Error('x'), 'ended', true],
    ['x', 'ended', true],
  ];
  for (const [thrown, kind, mayHaveRun] of rows) {
    it(`${JSON.stringify(thrown)} is '${kind}', and the call ${mayHaveRun ? 'may have run' : 'was not run'}`, () => {
      const failure = toFailure(thrown, 'a');
      assert.deepEqual([failure.kind, failure.mayHaveRun], [kind, mayHaveRun]);
    });
  }
});

describe('a queue of events', () => {
  const event = (text: string) => ({ message: undefined, data: new MessageText(text) });
  const queueOf = (maxBytes: number) => new EventQueue(maxBytes, () => new Error('too much'));

  it('gives what was pushed before its end, then ends', async () => {
    const queue = queueOf(100);
    queue.push(event('a'));
    queue.end();
    queue.push(event('late'));
    const seen: string[] = [];
    for await (const { data } of queue) seen.push(data.toString());
    assert.deepEqual(seen, ['a']);
  });

  it('wakes a reader that waits', async () => {
    const queue = queueOf(100);
    const reading = queue[Symbol.asyncIterator]().next();
    const pushed = event('a');
    queue.push(pushed);
    assert.equal((await reading).value, pushed);
  });

  it('fails a reader that is too slow, and keeps no more than its limit', async () => {
    const queue = queueOf(3);
    for (const data of ['ab', 'cd', 'ef']) queue.push(event(data));
    const seen: string[] = [];
    await assert.rejects(async () => {
      for await (const { data } of queue) seen.push(data.toString());
    }, /too much/);
    assert.deepEqual(seen, ['ab']);
  });

  it('goes on however much goes through it where its reader keeps up', async () => {
    const queue = queueOf(3);
    const reading = queue[Symbol.asyncIterator]();
    for (const data of ['abc', 'def', 'ghi']) {
      const pushed = event(data);
      queue.push(pushed);
      assert.equal((await reading.next()).value, pushed);
    }
  });

  it('says when its reader left early, and only then', async () => {
    const left: string[] = [];
    for (const name of ['early', 'late']) {
      const queue = queueOf(100);
      queue.onLeft = () => left.push(name);
      queue.push(event('a'));
      queue.end();
      for await (const _ of queue) if (name === 'early') break;
    }
    assert.deepEqual(left, ['early']);
  });
});

describe('the command of a stdio server', () => {
  let folder: string;
  let policy: StdioPolicy;
  const target = (command: string | undefined): McpTarget => ({
    server_id: '1',
    name: 'local',
    transport: 'stdio',
    timeoutMs: 1,
    maxResponseBytes: 1,
    env: { OWN: 'yes' },
    ...(command !== undefined && { command }),
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-commands-'));
    for (const name of ['good', 'bad']) {
      writeFileSync(join(folder, name), '#!/bin/sh\n');
      chmodSync(join(folder, name), 0o755);
    }
    symlinkSync(join(folder, 'good'), join(folder, 'link'));
    policy = { isTrusted: true, allowedCommands: [join(folder, 'good')], env: { PATH: folder, GATEWAY_KEY: 'secret' } };
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('runs when it is on the list, by name, by path and through a link', () => {
    for (const command of ['good', join(folder, 'good'), 'link'])
      assert.ok(resolveCommand(target(command), policy), command);
  });

  it('does not run when it is not, whatever it is called', () => {
    const other = mkdtempSync(join(tmpdir(), 'switchboard-other-'));
    writeFileSync(join(other, 'good'), '#!/bin/sh\n');
    chmodSync(join(other, 'good'), 0o755);
    for (const command of ['bad', join(other, 'good'), 'no-such', './good', undefined]) {
      assert.throws(() => resolveCommand(target(command), policy), { kind: 'not_allowed' }, command);
    }
    rmSync(other, { recursive: true });
  });

  it('does not run where nobody trusts the workspace', () => {
    assert.throws(() => resolveCommand(target('good'), { ...policy, isTrusted: false }), { kind: 'not_allowed' });
  });

  it('sees the plain variables and its own, and none of ours', () => {
    assert.deepEqual(stdioEnvironment(target('good'), policy), { PATH: folder, OWN: 'yes' });
  });
});
