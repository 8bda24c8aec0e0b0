import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'mocha';
import type { ExitStatus, LeashedChild } from '../../../../../sidecar/platform/children/children.ts';
import { startOwner } from '../../../../../sidecar/platform/sandbox/ownerProcess.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('the process that owns a sandbox', () => {
  /** Starts an owner that writes `lines`. */
  const open = (...lines: readonly string[]) => {
    const stopped: string[] = [];
    let exit: (status: ExitStatus) => void = () => undefined;
    const exited = new Promise<ExitStatus>((resolve) => {
      exit = resolve;
    });
    const stdout = new PassThrough();
    const child: LeashedChild = {
      pid: 1,
      stdin: new PassThrough(),
      stdout,
      exited,
      stderrTail: () => '',
      async stop() {
        stopped.push('stopped');
        exit({ code: 0, signal: null });
      },
    };
    for (const it of lines) stdout.write(`${it}\n`);
    const children = { spawn: async () => child };
    const connects = async () => ({ allow: false });
    const owner = startOwner({ children, session: 's', folder: '/own', env: {}, connects });
    return { owner, stdout, stopped };
  };
  const failed = { kind: 'failed', obstacle: 'programs', detail: 'bwrap' };

  if (process.platform === 'win32')
    it('does not start on Windows', async () => {
      verifies('host.sandbox.never-off');
      await assert.rejects(open().owner, { code: 'unavailable', message: /Windows/ });
    });
  else {
    it('is stopped if the sandbox cannot start', async () => {
      verifies('host.sandbox.never-off');
      const { owner, stopped } = open(JSON.stringify(failed));
      await assert.rejects(owner, { code: 'unavailable', message: /were not found: bwrap\./ });
      assert.deepEqual(stopped, ['stopped']);
    });

    it('is stopped if it writes something that is not a message', async () => {
      for (const line of ['not JSON', '{"kind":"other"}', '{"kind":"wrapped","id":1,"command":[]}']) {
        const { owner, stdout, stopped } = open('{"kind":"ready"}');
        const wrapped = (await owner).wrap('x', '/bin/sh', { writes: [], protects: [], hidden: [], shown: [] });
        stdout.write(`${line}\n`);
        await assert.rejects(wrapped, { code: 'unavailable', message: /stopped/ });
        assert.deepEqual(stopped, ['stopped'], line);
      }
    });
  }
});
