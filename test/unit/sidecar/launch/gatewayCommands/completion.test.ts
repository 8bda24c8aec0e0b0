import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'mocha';
import { completionOf } from '../../../../../sidecar/launch/gatewayCommands/completion.ts';
import { verifies } from '../../../../support/verifies.ts';

/** What bash offers for a line whose last word is not finished. */
function offered(line: string): readonly string[] {
  const words = line.split(' ');
  const ask = `COMP_WORDS=(${words.map((it) => `'${it}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _switchboard; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', `${completionOf('bash')}\n${ask}`], {
    cwd: import.meta.dirname,
  });
  assert.equal(status, 0, stderr.toString());
  return stdout.toString().split('\n').filter(Boolean);
}

describe('completion of the command', () => {
  it('offers in bash the roles, the commands of the gateway, their flags, and files', function bash() {
    verifies('gateway.command.completion');
    assert.deepEqual(offered('switchboard ga'), ['gateway']);
    assert.ok(!offered('switchboard ').includes('bridge'));
    assert.deepEqual(offered('switchboard gateway rot'), ['rotate-secret']);
    assert.deepEqual(offered('switchboard gateway key '), ['create']);
    assert.deepEqual(offered('switchboard gateway key create --mo'), ['--model']);
    assert.deepEqual(offered('switchboard gateway check --offline --j'), ['--json']);
    assert.deepEqual(offered('switchboard gateway --database-file compl'), ['completion.test.ts']);
    assert.deepEqual(offered('switchboard gateway backup compl'), ['completion.test.ts']);
    assert.deepEqual(offered('switchboard completion f'), ['fish']);
  });

  it('has a script for each shell, and names the shells where there is none', () => {
    verifies('gateway.command.completion');
    assert.match(completionOf('zsh'), /^#compdef switchboard\n.*bashcompinit/);
    assert.match(completionOf('fish'), /= "switchboard gateway rotate-secret"' -f -a '--data-dir/);
    assert.throws(() => completionOf('bsh'), { exitCode: 2, message: /Did you mean bash\? Use bash, zsh, or fish/ });
  });
});
