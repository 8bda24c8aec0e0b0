import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, it } from 'mocha';
import { EarlierHeaders } from '../../../../../sidecar/gateway/http/earlierHeaders.ts';
import { IncomingRequest } from '../../../../../sidecar/gateway/http/incomingRequest.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';

describe('a request whose caller disconnects before it is complete', () => {
  const leaving: readonly [string, (incoming: PassThrough) => void][] = [
    ['the connection closes', (it) => it.destroy()],
    ['the connection breaks', (it) => it.destroy(new Error('aborted'))],
    ['the connection closed before the body was read', (it) => it.destroy()],
  ];
  for (const [how, leave] of leaving) {
    it(`is refused without an internal error: ${how}`, async () => {
      const stream = new PassThrough();
      stream.on('error', () => undefined);
      const incoming = Object.assign(stream, { socket: {}, rawHeaders: [], method: 'POST', url: '/mcp' });
      const outgoing = { once: () => undefined } as unknown as ServerResponse;
      const request = new IncomingRequest(incoming as unknown as IncomingMessage, outgoing, new EarlierHeaders());
      if (how.includes('before')) leave(stream);
      const text = request.text();
      if (!stream.destroyed) stream.write('{"half":');
      leave(stream);
      await assert.rejects(text, (thrown: unknown) => thrown instanceof Fault && thrown.code === 'invalid_params');
    });
  }
});
