import assert from 'node:assert/strict';
import { LaunchFailure } from '../../../sidecar/launch/failure.ts';

/** What is wrong with a command line that `read` refuses: the exit code, and the first line on standard error. */
export function complaint(read: () => unknown): string {
  try {
    read();
  } catch (thrown) {
    assert.ok(thrown instanceof LaunchFailure);
    return `${thrown.exitCode}: ${thrown.message.split('\n')[0]}`;
  }
  return 'nothing';
}
