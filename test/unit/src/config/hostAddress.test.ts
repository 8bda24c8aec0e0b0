import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { addressProblem, hostAddress, tokenProblem } from '../../../../src/config/hostAddress.ts';
import { parseSettings } from '../../../../src/config/settings.ts';

const l10n = { t: (message: string) => message };
const read = (remoteHosts: unknown) => {
  const rest = ['agents', 'userRules', 'workspaceRules', 'idleExitMinutes', 'durability', 'publicPort', 'chatLocation'];
  const others = ['inputNeeded', 'gatewayEnabled', 'sessionTools', 'allowedCommands'];
  const unset = Object.fromEntries([...rest, ...others].map((it) => [it, undefined]));
  return parseSettings({ ...(unset as unknown as Parameters<typeof parseSettings>[0]), remoteHosts });
};

describe('the address of a host elsewhere', () => {
  for (const [typed, kept] of [
    ['wss://build.example', 'wss://build.example'],
    [' wss://Build.example:8443/agents/ ', 'wss://build.example:8443/agents'],
    ['wss://build.example:443/', 'wss://build.example'],
    ['ws://127.0.0.1:7000', 'ws://127.0.0.1:7000'],
    ['ws://127.8.9.1:7000/', 'ws://127.8.9.1:7000'],
    ['ws://localhost:7000', 'ws://localhost:7000'],
    ['ws://[::1]:7000', 'ws://[::1]:7000'],
  ] as const) {
    it(`is taken as ${typed.trim()}, in one spelling, by the box and by the setting`, () => {
      assert.equal(addressProblem(l10n, typed), undefined);
      assert.equal(hostAddress(typed), kept);
      assert.deepEqual(read([{ address: typed }]).settings.remoteHosts, [{ address: kept }]);
    });
  }

  for (const { says, address, problem } of [
    { says: 'plain text over a network', address: 'ws://build.example', problem: /only on this machine/ },
    { says: 'plain text to a private network', address: 'ws://192.168.0.7:7000', problem: /only on this machine/ },
    {
      says: 'a name that only begins like loopback',
      address: 'ws://127.0.0.1.evil.example',
      problem: /only on this machine/,
    },
    { says: 'a name that ends like localhost', address: 'ws://not-localhost:1', problem: /only on this machine/ },
    { says: 'a web address', address: 'https://build.example', problem: /must begin with wss/ },
    {
      says: 'a token in the query',
      address: 'wss://build.example/?tkn=secret-secret-secret',
      problem: /must not contain a username/,
    },
    { says: 'a token as a name', address: 'wss://secret@build.example', problem: /must not contain a username/ },
    { says: 'a token as a password', address: 'wss://:secret@build.example', problem: /must not contain a username/ },
    { says: 'a fragment', address: 'wss://build.example/#secret', problem: /must not contain a username/ },
    { says: 'a name alone', address: 'build.example', problem: /not a valid address/ },
    { says: 'nothing', address: '', problem: /not a valid address/ },
  ]) {
    it(`is not ${says}: the box and the setting say why`, () => {
      assert.match(addressProblem(l10n, address) ?? '', problem);
      assert.equal(hostAddress(address), undefined);
      const { settings, problems } = read([{ name: 'good', address: 'wss://good.example' }, { address }]);
      assert.deepEqual(settings.remoteHosts, []);
      assert.match(problems.join('\n'), /^switchboard\.host\.remote\[1\]\.address: /);
      assert.match(problems.join('\n'), problem);
      assert.doesNotMatch(problems.join('\n'), /secret/);
    });
  }

  it('stands once in the list, whatever its spelling', () => {
    const { settings, problems } = read([{ address: 'wss://a.example' }, { address: 'wss://A.example/' }]);
    assert.deepEqual(settings.remoteHosts, []);
    assert.deepEqual(problems, ['switchboard.host.remote[1].address: is used twice']);
  });

  it('has no token beside it in the settings', () => {
    const { settings, problems } = read([{ address: 'wss://a.example', token: 'secret-secret-secret' }]);
    assert.deepEqual(settings.remoteHosts, []);
    assert.deepEqual(problems, ['switchboard.host.remote[0].token: is not a known key']);
  });
});

describe('the token of a host elsewhere', () => {
  for (const { says, token, problem } of [
    { says: 'one as serve makes it', token: 'a'.repeat(43), problem: undefined },
    { says: 'one that serve would not take', token: 'short', problem: /at least 16/ },
    { says: 'one with a space', token: `${'a'.repeat(16)} b`, problem: /no spaces/ },
    { says: 'one that would add a header', token: `${'a'.repeat(16)}\r\nX: y`, problem: /no spaces/ },
    { says: 'one with letters that no header holds', token: 'ä'.repeat(20), problem: /only ASCII characters/ },
  ]) {
    it(`${problem ? 'is not' : 'may be'} ${says}`, () => {
      const found = tokenProblem(l10n, token);
      if (problem) assert.match(found ?? '', problem);
      else assert.equal(found, undefined);
    });
  }
});
