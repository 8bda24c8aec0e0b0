import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { readConfig } from '../../../../../sidecar/gateway/configuration/readConfig.ts';
import type { CommandContext } from '../../../../../sidecar/launch/gatewayCommands/command.ts';
import { configText } from '../../../../../sidecar/launch/gatewayCommands/init/configText.ts';
import { init } from '../../../../../sidecar/launch/gatewayCommands/init/init.ts';
import { readCommand } from '../../../../../sidecar/launch/gatewayCommands/readCommand.ts';
import { systemMachine } from '../../../../../sidecar/platform/runtime.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('gateway init', () => {
  let folder: string;
  let asked: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-init-'));
    asked = '';
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function run(flags: string, input = '') {
    const command = readCommand(['init', ...flags.split(' ').filter(Boolean)]);
    assert.ok(!('help' in command));
    const stderr = new PassThrough();
    stderr.on('data', (it) => (asked += it));
    const context = {
      ...systemMachine,
      version: '1.2.3',
      process: { env: {}, stdin: Readable.from([input]), stderr, platform: process.platform, cwd: () => folder },
      loadGateway: () => assert.fail('the gateway is not loaded'),
      dataDir: () => assert.fail('no data directory is made'),
    } as unknown as CommandContext;
    return init(command, context);
  }
  const written = (name: string) => readFileSync(join(folder, name), 'utf8');
  function configured() {
    const read = readConfig(written('switchboard.jsonc'));
    assert.ok('config' in read, JSON.stringify(read));
    assert.deepEqual(read.warnings, []);
    return read.config;
  }

  it('asks five questions and writes what was answered, with a key and a secret for their owner alone', async () => {
    verifies('gateway.command.init');
    const { text, data } = await run('', '0.0.0.0\n4411\nhttps://gateway.example.com\ndatabase\nnpx uvx\n');
    assert.equal(asked.split('\n').length - 1, 5);
    const { listen, public_url, stdio } = configured();
    assert.deepEqual([listen.host, listen.port, listen.allow_insecure], ['0.0.0.0', 4411, true]);
    assert.deepEqual([public_url, stdio.allowed_commands], ['https://gateway.example.com', ['npx', 'uvx']]);
    assert.deepEqual(readdirSync(folder).sort(), ['admin-key', 'secret', 'switchboard.jsonc']);
    assert.match(written('admin-key'), /^sk-[\w-]{43}\n$/);
    assert.equal(Buffer.from(written('secret'), 'base64').byteLength, 32);
    if (process.platform !== 'win32')
      for (const it of readdirSync(folder)) assert.equal(statSync(join(folder, it)).mode & 0o777, 0o600, it);
    assert.match(
      text,
      /switchboard gateway --config \S+ --admin-key-file \S+ --secret-file \S+ --database-file database\n/,
    );
    assert.ok(!text.includes(written('admin-key').trim()) && !JSON.stringify(data).includes(written('secret').trim()));
  });

  it('takes its defaults where the answers are empty or end early, and asks nothing that a flag says', async () => {
    verifies('gateway.command.init');
    await run('--port 4500 --config a.jsonc', '\n');
    assert.ok(!asked.includes('Port'));
    await run('--yes');
    const { listen } = configured();
    assert.deepEqual([listen.host, listen.port, listen.tls], ['127.0.0.1', 4000, undefined]);
    assert.match(written('a.jsonc'), /"port": 4500/);
  });

  it('requires certificates of a gateway for other machines that no proxy is in front of', async () => {
    verifies('gateway.command.init');
    await run('--yes --host 0.0.0.0');
    assert.deepEqual(configured().listen.tls, { cert_file: 'tls/cert.pem', key_file: 'tls/key.pem' });
  });

  it('replaces a configuration only when that is asked for, and says so; key and secret are kept', async () => {
    verifies('gateway.command.init');
    await run('--yes');
    const before = ['admin-key', 'secret', 'switchboard.jsonc'].map(written);
    await assert.rejects(run('--yes --port 1234'), { exitCode: 73, message: /already exists\. Use --force/ });
    assert.deepEqual(['admin-key', 'secret', 'switchboard.jsonc'].map(written), before);
    const { text, data } = await run('--yes --port 1234 --force');
    assert.match(text, /^Replaced \S+switchboard\.jsonc\.\nKept \S+admin-key, which/);
    assert.equal(data['replaced'], true);
    assert.deepEqual(['admin-key', 'secret'].map(written), before.slice(0, 2));
    assert.equal(configured().listen.port, 1234);
  });

  it('refuses answers that cannot be used, and writes nothing', async () => {
    verifies('gateway.command.init');
    for (const [flags, input] of [
      ['--port 0', ''],
      ['', '127.0.0.1\nabc\n'],
      ['--yes --public-url gateway', ''],
      ['--yes --database-file postgres://u:p@host/name', ''],
      ['--yes --allow-command "npx', ''],
    ] as const)
      await assert.rejects(run(flags, input), { exitCode: 2 }, flags);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('writes text that a value cannot leave', () => {
    const answers = { host: 'a"b', port: 1, publicUrl: 'https://a/"}', databaseFile: '', allowedCommands: ['\n//'] };
    const read = readConfig(configText(answers));
    assert.ok('config' in read);
    assert.deepEqual([read.config.listen.host, read.config.stdio.allowed_commands], ['a"b', ['\n//']]);
  });
});
