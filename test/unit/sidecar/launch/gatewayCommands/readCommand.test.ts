import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isGatewayCommand } from '../../../../../sidecar/launch/command/commandLine.ts';
import { readCommand } from '../../../../../sidecar/launch/gatewayCommands/readCommand.ts';
import { commandFlags, commandNames } from '../../../../../sidecar/launch/gatewayCommands/table.ts';
import { complaint } from '../../../../support/launch/complaint.ts';
import { verifies } from '../../../../support/verifies.ts';

const read = (line: string) => readCommand(line.split(' '));

describe('a command of the gateway', () => {
  const wrong: readonly (readonly [line: string, expected: string])[] = [
    ['chek', '2: Unknown command "gateway chek". Did you mean check?'],
    ['xyzzy', '2: Unknown command "gateway xyzzy".'],
    ['key', '2: Unknown command "gateway key". Did you mean key create?'],
    ['key delete', '2: Unknown command "gateway key delete". Did you mean key create?'],
    ['check --confg a', '2: Unknown flag --confg. Did you mean --config?'],
    ['check --force', '2: "gateway check" does not accept --force.'],
    ['check --config', '2: --config requires a value: --config FILE.'],
    ['check --json=yes', '2: --json does not accept a value.'],
    ['check a', '2: Unexpected argument "a".'],
    ['backup', '2: "gateway backup" requires FILE.'],
    ['backup a b', '2: Unexpected argument "b".'],
    ['server add a --address x --address y', '2: --address appears more than once.'],
  ];
  for (const [line, expected] of wrong)
    it(`"gateway ${line}" is refused with what is wrong`, () => {
      verifies('gateway.command.flags-judged');
      assert.equal(
        complaint(() => read(line)),
        expected,
      );
    });

  it('follows the word gateway, before any flag', () => {
    assert.deepEqual(
      [['gateway', 'check'], ['gateway'], ['gateway', '--help'], ['serve', 'token']].map((it) => isGatewayCommand(it)),
      [true, false, false, false],
    );
  });

  it('has its argument and the values of its flags, some of which can be repeated', () => {
    const asked = read('server add github --command npx --arg -y --json'.replace('--arg -y', '--arg=-y --arg=x'));
    assert.ok(!('help' in asked));
    assert.deepEqual(
      [asked.name, asked.argument, asked.one('command'), asked.all('arg'), asked.has('json'), asked.one('url')],
      ['server add', 'github', 'npx', ['-y', 'x'], true, undefined],
    );
  });

  it('is listed in the help, and has help of its own with all of its flags', () => {
    verifies('gateway.command.commands');
    const all = read('help');
    assert.ok('help' in all);
    for (const name of commandNames) {
      assert.match(all.help, new RegExp(`^  ${name}\\s`, 'm'));
      const own = read(`${name} --help`);
      assert.ok('help' in own);
      assert.match(own.help, /^ {2}--json +\S/m);
    }
  });

  it('takes no secret as the value of a flag', () => {
    verifies('gateway.command.no-secrets');
    const secret = /secret|password|token|credential|key(?!-file)/;
    const named = Object.keys(commandFlags).filter((it) => secret.test(it) && !it.endsWith('-file'));
    assert.deepEqual(named, []);
  });
});
