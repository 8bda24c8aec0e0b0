import assert from 'node:assert/strict';
import { join } from 'node:path';
import { projectRoot } from '../support/cache.ts';
import { say } from '../support/say.ts';
import { clientScenarios, conformanceSuite, judgeClient } from './suite.ts';

/** Scenarios that are passed on neither way. */
const failures: Readonly<Record<string, string>> = {
  'auth/2025-03-26-oauth-metadata-backcompat':
    'the metadata names another issuer than the one that was asked, which RFC 8414 3.3 forbids to use',
  'auth/cross-app-access-complete-flow': 'needs an identity token of an enterprise, which neither way is given',
};

describe('the public conformance suite for clients', function () {
  this.timeout(900_000);
  let suite: string;
  let scenarios: readonly string[];

  before(async () => {
    suite = await conformanceSuite();
    scenarios = await clientScenarios(suite);
    assert.ok(scenarios.length >= 26, scenarios.join());
  });

  it('finds the same of a client and of the gateway that calls and signs in for it', async () => {
    const child = join(projectRoot, 'test', 'conformance', 'client.child.ts');
    const judge = (scenario: string, way: string) =>
      judgeClient(suite, scenario, `${process.execPath} ${child} ${way}`);
    for (const scenario of scenarios) {
      const direct = await judge(scenario, 'direct');
      const through = await judge(scenario, 'through');
      for (const [name, verdicts] of [
        ['direct', direct],
        ['through', through],
      ] as const) {
        const bad = verdicts.filter((it) => !/SUCCESS|ended well/.test(it)).map((it) => it.slice(scenario.length + 1));
        const passed = verdicts.filter((it) => it.endsWith('SUCCESS')).length;
        say(`client scenario ${scenario}, ${name}: ${passed} checks passed${bad.map((it) => `; ${it}`).join('')}`);
      }
      assert.deepEqual(through, direct);
      const isPassed = !direct.some((it) => it.endsWith('FAILURE'));
      assert.equal(isPassed, !(scenario in failures), scenario);
    }
  });
});
