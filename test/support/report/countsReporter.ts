import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** Prints as mocha's `spec` does and writes `{passed, failed, skipped}` to the file that `SWITCHBOARD_COUNTS` names. */
export default class CountsReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.once('end', () => {
      const file = process.env['SWITCHBOARD_COUNTS'];
      if (!file) return;
      const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {};
      writeFileSync(file, JSON.stringify({ passed: passes, failed: failures, skipped: pending }));
    });
  }
}
