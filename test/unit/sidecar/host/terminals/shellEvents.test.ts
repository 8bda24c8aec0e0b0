import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { trimScrollback } from '../../../../../sidecar/host/terminals/scrollback.ts';
import { type ShellEvent, ShellEvents } from '../../../../../sidecar/host/terminals/shellEvents.ts';
import { shellOf } from '../../../../../sidecar/platform/children/pty.ts';

const stream =
  'a\u001b[1mb\u001b]633;n;E;echo \\x3b\\x0a;x\u0007out\u001b]633;n;D;2\u001b\\c\u001b]633;n;P;/a;b\u0007\u001b]633;other;E;evil\u0007d';
const expected: ShellEvent[] = [
  { kind: 'data', data: 'a\u001b[1mb' },
  { kind: 'started', commandLine: 'echo ;\n;x' },
  { kind: 'data', data: 'out' },
  { kind: 'ended', exitCode: 2 },
  { kind: 'data', data: 'c' },
  { kind: 'cwd', path: '/a;b' },
  { kind: 'data', data: 'd' },
];
function joined(events: readonly ShellEvent[]): ShellEvent[] {
  const all: ShellEvent[] = [];
  for (const it of events) {
    const last = all.at(-1);
    if (it.kind === 'data' && last?.kind === 'data') all[all.length - 1] = { kind: 'data', data: last.data + it.data };
    else all.push(it);
  }
  return all;
}

describe('output of a shell', () => {
  it('is split into what it shows and what it says, wherever it is cut', () => {
    for (let size = 1; size <= stream.length; size += 1) {
      const events = new ShellEvents('n');
      const all: ShellEvent[] = [];
      for (let at = 0; at < stream.length; at += size) all.push(...events.read(stream.slice(at, at + size)));
      assert.deepEqual(joined(all), expected, `in pieces of ${size}`);
      assert.equal(events.end(), '');
    }
  });
  it('is shown as it is where an escape never ends', () => {
    const events = new ShellEvents('n');
    const long = `\u001b]633;${'x'.repeat(70_000)}`;
    assert.deepEqual(events.read(long), [{ kind: 'data', data: long }]);
    assert.deepEqual(events.read('x\u001b]63'), [{ kind: 'data', data: 'x' }]);
    assert.equal(events.end(), '\u001b]63');
  });
});

describe('the scrollback of a terminal', () => {
  const claim = { kind: 'client', clientId: 'c' } as const;
  const command = { type: 'command', commandId: 'k', commandLine: 'x', timestamp: 0, isComplete: true } as const;
  const state = {
    title: 't',
    claim,
    content: [{ type: 'unclassified', value: 'one\n' } as const, { ...command, output: 'two\nthree\nfour\n' }],
  };
  it('is left alone while it is short', () => assert.equal(trimScrollback(state, 100, 50), state));
  it('loses what is oldest first, at the end of a line, and keeps what is left of a command', () => {
    assert.deepEqual(trimScrollback(state, 18, 12).content, [{ ...command, output: 'three\nfour\n' }]);
  });
});

describe('the shell of a terminal', () => {
  it('is the own one where it is there, else one that the system has', () => {
    assert.equal(shellOf({ SHELL: '/bin/sh' }, 'linux'), '/bin/sh');
    assert.match(shellOf({ SHELL: '/none/such' }, 'linux'), /^\/bin\/(?:ba)?sh$/);
    assert.match(shellOf({ SHELL: 'relative' }, 'linux'), /^\/bin\//);
    assert.equal(shellOf({ COMSPEC: 'C:\\Windows\\System32\\cmd.exe' }, 'win32'), 'C:\\Windows\\System32\\cmd.exe');
  });
});
