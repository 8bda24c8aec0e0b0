import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { relative } from 'node:path';
import Mocha from 'mocha';
import { featuresOf } from '../../requirements/features.ts';
import { projectRoot } from '../cache.ts';
import type { Titled } from './titleFaults.ts';

/** The lines of a reason that are kept: enough for what was compared and the first frames. */
const reasonLines = 12;
/** How long a process may stay after its last test. What holds it then would hold it for ever. */
const afterLastMs = 20_000;

/** How many tests of a feature passed and failed. */
export interface Shown {
  passed: number;
  failed: number;
}

/**
 * Prints as mocha's `spec` does and writes `{passed, failed, skipped, failures, shown, titles, running}` to the file that
 * `SWITCHBOARD_COUNTS` names; a failure is the whole title of the test or hook, and below it the begin of its reason; `shown`
 * has the number of tests that passed and failed by the id of the feature that they show.
 * It is written before each test, so that a process that hangs or dies has said in which; `running` is absent at the end,
 * and `titles`, the titles of all tests, is present only then.
 * A process that is still there 20 s after its last test says what keeps it, and ends with the result of its tests.
 */
export default class CountsReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const told: string[] = [];
    const shown: Record<string, Shown> = {};
    const titles: Titled[] = [];
    const show = (test: Mocha.Runnable, how: keyof Shown) => {
      for (const id of test.titlePath().flatMap(featuresOf)) (shown[id] ??= { passed: 0, failed: 0 })[how] += 1;
    };
    const write = (running?: string) => {
      const file = process.env['SWITCHBOARD_COUNTS'];
      if (!file) return;
      const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {};
      const counts = { passed: passes, failed: failures, skipped: pending, failures: told, shown };
      writeFileSync(file, JSON.stringify({ ...counts, ...(running === undefined ? { titles } : { running }) }));
    };
    runner.on('pass', (test: Mocha.Test) => show(test, 'passed'));
    runner.on('fail', (test: Mocha.Runnable, reason: unknown) => {
      show(test, 'failed');
      const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
      told.push([test.fullTitle(), ...text.split('\n').slice(0, reasonLines)].join('\n    '));
    });
    runner.on('suite', (suite: Mocha.Suite) => write(suite.fullTitle()));
    runner.on('test', (test: Mocha.Test) => write(test.fullTitle()));
    runner.on('test end', (test: Mocha.Test) => {
      const file = relative(projectRoot, test.file ?? '').replaceAll('\\', '/');
      titles.push({ full: test.fullTitle(), own: test.title, file });
    });
    runner.once('end', () => {
      write();
      setTimeout(() => {
        const held = process.getActiveResourcesInfo();
        // Its own output never keeps it alive, and would hide what does.
        for (const it of [process.stdout, process.stderr])
          if (it instanceof Socket && !it.isTTY && held.includes('PipeWrap')) held.splice(held.indexOf('PipeWrap'), 1);
        process.stderr.write(
          `still open ${afterLastMs / 1000} s after the last test: ${held.join(', ') || 'a thread'}\n`,
        );
        process.exit(runner.failures > 0 ? 1 : 0);
      }, afterLastMs).unref();
    });
  }
}
