import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** The lines of a reason that are kept: enough for what was compared and the first frames. */
const reasonLines = 12;

/**
 * Prints as mocha's `spec` does and writes `{passed, failed, skipped, failures}` to the file that `SWITCHBOARD_COUNTS`
 * names; a failure is the whole title of the test or hook, and below it the begin of its reason.
 */
export default class CountsReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const told: string[] = [];
    runner.on('fail', (test: Mocha.Runnable, reason: unknown) => {
      const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
      told.push([test.fullTitle(), ...text.split('\n').slice(0, reasonLines)].join('\n    '));
    });
    runner.once('end', () => {
      const file = process.env['SWITCHBOARD_COUNTS'];
      if (!file) return;
      const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {};
      writeFileSync(file, JSON.stringify({ passed: passes, failed: failures, skipped: pending, failures: told }));
    });
  }
}
