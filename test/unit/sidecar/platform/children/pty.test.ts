import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'mocha';
import { toPtyChild } from '../../../../../sidecar/platform/children/pty.ts';

describe('a terminal of the system', () => {
  it('is over when it was stopped, also where nobody says that its program ended', async () => {
    const program = spawn(process.execPath, ['-e', 'process.on("SIGHUP", () => {}); setInterval(() => {}, 1_000)']);
    const gone = once(program, 'exit');
    const nothing = () => ({ dispose: () => undefined });
    const ignore = () => undefined;
    const child = toPtyChild(
      {
        pid: program.pid!,
        onExit: nothing,
        onData: nothing,
        write: ignore,
        resize: ignore,
        pause: ignore,
        resume: ignore,
        kill: () => void program.kill('SIGHUP'),
      },
      'no-leash',
    );
    await child.stop();
    assert.equal(await child.exited, 137);
    await gone;
    await child.stop();
  });
});
