import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { guardCall } from '../../../../../../sidecar/gateway/backends/mcp/callGuard.ts';
import type { McpTarget } from '../../../../../../sidecar/gateway/backends/mcp/types.ts';
import { systemTimers } from '../../../../../../sidecar/platform/timers.ts';

const minute = 60_000;

describe('a request to a backend', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  const target: McpTarget = {
    server_id: '1',
    name: 'slow',
    transport: 'http',
    url: 'http://slow.test/mcp',
    timeoutMs: 60 * minute,
    maxResponseBytes: 1,
  };

  it('ends half an hour after the first progress, however much more the backend reports', () => {
    const guard = guardCall(systemTimers, target, new AbortController().signal);
    const ended: boolean[] = [];
    for (let n = 0; n < 3; n += 1) {
      guard.received();
      mock.timers.tick(10 * minute - 1);
      ended.push(guard.signal.aborted);
    }
    mock.timers.tick(3);
    assert.deepEqual([...ended, guard.signal.aborted], [false, false, false, true]);
    assert.equal(guard.failure(undefined).kind, 'timeout');
    guard.end();
  });
});
