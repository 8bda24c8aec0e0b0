import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { LogLevel, LogOutputChannel } from 'vscode';
import { untraced } from '../../../../src/sidecar/untraced.ts';

const trace: LogLevel = 1;
const info: LogLevel = 3;

describe('the channel for traces', () => {
  const lines: string[] = [];
  const listeners: ((level: LogLevel) => unknown)[] = [];
  const log = Object.freeze({
    get logLevel() {
      return trace;
    },
    onDidChangeLogLevel: (listener: (level: LogLevel) => unknown) => listeners.push(listener),
    info: (line: string) => void lines.push(line),
  }) as unknown as LogOutputChannel;

  it('does not ask for traces, whatever level a person chose or will choose', () => {
    const channel = untraced(log, info);
    channel.onDidChangeLogLevel(() => assert.fail('heard of a level'));
    assert.equal(channel.logLevel, info);
    assert.deepEqual(listeners, []);
  });
  it('is the log otherwise', () => {
    untraced(log, info).info('connected');
    assert.deepEqual(lines, ['connected']);
  });
});
