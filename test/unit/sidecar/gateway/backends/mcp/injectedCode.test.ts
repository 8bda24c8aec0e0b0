import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { injectedCode } from '../../../../../../sidecar/gateway/backends/mcp/injectedCode.ts';

type Row = readonly [command: string, args: readonly string[], env?: Readonly<Record<string, string>>];

describe('code in a stdio configuration', () => {
  const bad: readonly Row[] = [
    ['sh', ['-c', 'id']],
    ['/bin/bash', ['-lc', 'id']],
    ['/bin/bash', ['--norc', '-c', 'id']],
    ['zsh', ['-ec', 'id']],
    ['bash', ['--rcfile', '/tmp/x']],
    ['node', ['-e', '1']],
    ['node', ['-pe', '1']],
    ['/usr/bin/node', ['--no-warnings', '--eval=1', 'server.js']],
    ['node.exe', ['--require', './x.js', 'server.js']],
    ['node', ['--import=data:text/javascript,1', 'server.js']],
    ['node', ['-r./x.js', 'server.js']],
    ['python3', ['-c', 'import os']],
    ['python3.12', ['-Ic', 'import os']],
    ['perl', ['-e', '1']],
    ['ruby', ['-rsocket', 'x.rb']],
    ['npx', ['-c', 'id']],
    ['npx', ['--call=id']],
    ['deno', ['eval', '1']],
    ['env', ['node', 'server.js']],
    ['/usr/bin/xargs', ['id']],
    ['C:\\Windows\\System32\\cmd.exe', ['/c', 'dir']],
    ['pwsh', ['server.ps1']],
    ['node', ['server.js'], { NODE_OPTIONS: '--require ./x.js' }],
    ['node', ['server.js'], { node_options: '--require ./x.js' }],
    ['server', [], { LD_PRELOAD: '/tmp/x.so' }],
    ['server', [], { LD_LIBRARY_PATH: '/tmp' }],
    ['server', [], { DYLD_INSERT_LIBRARIES: '/tmp/x.dylib' }],
    ['server', [], { PATH: '/tmp' }],
    ['bash', ['server.sh'], { BASH_ENV: '/tmp/x' }],
    ['python3', ['server.py'], { PYTHONPATH: '/tmp' }],
    ['java', ['-jar', 'server.jar'], { JAVA_TOOL_OPTIONS: '-javaagent:/tmp/x.jar' }],
  ];
  for (const [command, args, env = {}] of bad) {
    it(`is found: ${[...Object.keys(env), command, ...args].join(' ')}`, () =>
      assert.notEqual(injectedCode(command, args, env), undefined));
  }

  const good: readonly Row[] = [
    ['node', ['server.js']],
    ['node', ['--max-old-space-size=512', 'server.js', '-e', '--require', '-c']],
    ['node', ['--', 'server.js', '-e']],
    ['bash', ['server.sh', '-c', 'x']],
    ['python3', ['-m', 'server', '-c', 'config.toml']],
    ['python3', ['-u', 'server.py', '-c', 'config.toml']],
    ['npx', ['-y', 'server@1.2.3', '-c', 'config.json']],
    ['uvx', ['server==1.2.3', '-c', 'config.json']],
    ['my-server', ['-c', 'config.toml', '--eval']],
    ['deno', ['run', 'server.ts', 'eval']],
    ['node', ['server.js'], { API_KEY: 'x', HOME: '/tmp', MY_PATH: '/tmp', ENVIRONMENT: 'test', OLD_LD_PATH: 'x' }],
  ];
  for (const [command, args, env = {}] of good) {
    it(`is not found: ${[...Object.keys(env), command, ...args].join(' ')}`, () =>
      assert.equal(injectedCode(command, args, env), undefined));
  }
});
