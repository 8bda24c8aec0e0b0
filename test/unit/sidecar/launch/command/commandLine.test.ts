import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readCommandLine } from '../../../../../sidecar/launch/command/commandLine.ts';
import { complaint } from '../../../../support/launch/complaint.ts';
import { verifies } from '../../../../support/verifies.ts';

const read = (line: string) => readCommandLine(line.split(' ').filter(Boolean));

describe('the command line', () => {
  const wrong: readonly (readonly [line: string, expected: string])[] = [
    ['', '2: A role is missing.'],
    ['gatway', '2: Unknown role "gatway". Did you mean gateway?'],
    ['xyzzy', '2: Unknown role "xyzzy".'],
    ['--nonsense', '2: Unknown flag --nonsense.'],
    ['gateway --prot 3000', '2: Unknown flag --prot. Did you mean --port?'],
    ['gateway --conf a', '2: Unknown flag --conf. Did you mean --config?'],
    ['gateway --conf=a', '2: Unknown flag --conf. Did you mean --config?'],
    ['gateway -p 3000', '2: Unknown flag -p. Did you mean --port?'],
    ['gateway --constructor x', '2: Unknown flag --constructor.'],
    ['gateway --token-file a', '2: "gateway" does not accept --token-file.'],
    ['gateway --force', '2: "gateway" does not accept --force.'],
    ['status --host x', '2: "status" does not accept --host.'],
    ['gateway --config', '2: --config requires a value: --config FILE.'],
    ['gateway --config=', '2: --config requires a value: --config FILE.'],
    ['gateway --config --port 3', '2: --config requires a value: --config FILE.'],
    ['gateway --port abc', '2: --port must be a number from 0 (any free port) to 65535, not "abc".'],
    ['gateway --port 65536', '2: --port must be a number from 0 (any free port) to 65535, not "65536".'],
    ['gateway --workers 0', '2: --workers must be a number from 1 to 64, not "0".'],
    ['gateway --workers 65', '2: --workers must be a number from 1 to 64, not "65".'],
    ['gateway --workers two', '2: --workers must be a number from 1 to 64, not "two".'],
    ['host --workers 2', '2: "host" does not accept --workers.'],
    ['--stdio --workers 2', '2: "--stdio" does not accept --workers.'],
    ['gateway --port 1 --port 2', '2: --port appears more than once.'],
    ['stop --force=yes', '2: --force does not accept a value.'],
    ['gateway --port 1 serve', '2: Unexpected argument "serve".'],
    ['import', '2: "import" requires FILE.'],
    ['import a b', '2: Unexpected argument "b".'],
    ['--stdio host', '2: "host" does not accept --stdio.'],
    ['--stdio --port 1', '2: "--stdio" does not accept --port.'],
  ];
  for (const [line, expected] of wrong) {
    it(`"${line}" is refused with what is wrong`, () => {
      verifies('gateway.command.flags-judged');
      assert.equal(
        complaint(() => read(line)),
        expected,
      );
    });
  }

  it('of the gateway says where to listen', () => {
    verifies('gateway.command.listen');
    const { role, listen, files } = read('gateway --port 3000 --host=::1 --config c');
    assert.deepEqual([role, listen, files.config], ['gateway', { host: '::1', port: 3000 }, 'c']);
    assert.deepEqual(read('gateway').listen, { host: undefined, port: undefined });
  });

  it('of the gateway says how many workers it has', () => {
    verifies('gateway.workers.flag');
    assert.deepEqual([read('gateway').workers, read('gateway --workers 64').workers], [undefined, 64]);
  });

  it('of serve may name a host several times, and the input as a file', () => {
    const { serve } = read('serve --port 1 --token-file t --window-file - --allow-host a --allow-host b');
    assert.deepEqual([serve.windowFile, serve.allowedHosts], ['-', ['a', 'b']]);
  });

  it('of serve token says what becomes of which token', () => {
    const commands = ['create a.b@c', 'list', 'revoke 7'].map((it) => read(`serve token ${it} --data-dir d`).token);
    const [create, list, revoke] = commands;
    assert.deepEqual(create, { does: 'create', name: 'a.b@c' });
    assert.deepEqual([list, revoke], [{ does: 'list' }, { does: 'revoke', name: '7' }]);
    assert.equal(read('serve --port 1').token, undefined);
  });

  it('takes what the language client adds, and its own of every role', () => {
    assert.equal(read('--stdio --data-dir d --limits {} --clientProcessId=1').role, 'relay');
    for (const role of ['launch', 'host', 'status', 'stop'])
      assert.deepEqual([read(`${role} --data-dir d --socket s`).role, read(`${role} --socket s`).socket], [role, 's']);
    assert.deepEqual([read('bridge').role, read('import f --data-dir d').file], ['bridge', 'f']);
  });

  it('that asks for help gets the flags of its role, and nothing else is played', () => {
    verifies('gateway.command.help');
    const all = read('--help');
    assert.equal(all.role, 'help');
    for (const role of ['gateway', 'serve', 'import FILE', 'status', 'stop', '--stdio', '--version'])
      assert.match(all.help, new RegExp(`^  ${role}\\s`, 'm'));
    assert.doesNotMatch(all.help, /launch|bridge|--socket|clientProcessId|--worker /);
    for (const flag of ['config', 'database-file', 'secret-file', 'admin-key-file', 'host', 'port', 'data-dir'])
      assert.match(read('gateway -h').help, new RegExp(`^  --${flag} [A-Z]+ +\\S`, 'm'));
    assert.match(read('serve --help --port 1').help, /--allow-origin ORIGIN/);
    for (const line of ['gateway --help', 'import --help', 'stop -h']) assert.equal(read(line).role, 'help');
  });
});
