import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { RootState } from '../../../sidecar/protocol/channels/root/schema.ts';
import type { AnyAction } from '../../../sidecar/protocol/envelope.ts';
import { ROOT } from '../../../sidecar/protocol/uris.ts';
import type { WindowInfo } from '../../../sidecar/protocol/window.ts';
import type { HostPeer } from '../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../../support/host/hostPlace.ts';
import { agentProgram } from '../../support/registry/agentProgram.ts';
import { type AgentServer, openAgentServer } from '../../support/registry/agentServer.ts';
import { tarFile } from '../../support/registry/tarFile.ts';
import { until } from '../../support/until.ts';
import { verifies } from '../../support/verifies.ts';

/** A host in this process; npm, uv and the agents are real processes, and what they install is served on this machine. */
describe('an agent of a registry', () => {
  let server: AgentServer;
  let place: HostPlace;
  let peer: HostPeer;
  let root: string;
  beforeEach(async () => {
    server = await openAgentServer();
    place = await openHostPlace(undefined);
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-add-')));
    mkdirSync(join(root, 'home'));
    peer = await place.connect('w', window());
  });
  afterEach(async () => {
    await place.close();
    await server.close();
    rmSync(root, { recursive: true, force: true });
  });

  function window(more: Partial<WindowInfo> = {}, path = process.env['PATH'] ?? ''): Partial<WindowInfo> {
    const env = {
      PATH: path,
      HOME: join(root, 'home'),
      npm_config_registry: server.npm,
      SECRET_VALUE: 'not for agents',
    };
    return { env, agentRegistry: server.address, ...more };
  }
  const entry = (distribution: object, more: object = {}) => ({
    ...{ id: 'scripted', name: 'Scripted', version: '1.0.0', license: 'MIT', authors: ['Somebody'] },
    distribution,
    ...more,
  });
  const npx = (version = '1.0.0', more: object = {}) =>
    entry(
      { npx: { package: `@test/scripted@${version}`, args: ['--early'], env: { SHOWN: 'a value' } } },
      { version, ...more },
    );
  const publish = (version = '1.0.0', more: object = {}, files: Record<string, string> = {}) =>
    server.publish(
      '@test/scripted',
      version,
      { 'agent.sh': agentProgram(), ...files },
      { bin: { scripted: 'agent.sh' }, ...more },
    );
  const platform = `${process.platform === 'darwin' ? 'darwin' : 'linux'}-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}`;
  const binary = (archive: string, more: object = {}) =>
    entry({ binary: { [platform]: { archive, cmd: './bin/agent', ...more } } });
  const archiveOf = (program = agentProgram()) =>
    gzipSync(
      tarFile([
        { name: 'bin/agent', body: program, mode: 0o755 },
        { name: 'README', body: 'words' },
      ]),
    );

  const offer = (who = peer, id = 'scripted') => who.request('x-switchboard/agentOffer', { id });
  const install = async (who = peer, id = 'scripted') =>
    who.request('x-switchboard/agentInstall', { token: (await offer(who, id)).token });
  const offered = () => (peer.states.get(ROOT) as RootState).agents.map((it) => it.provider);
  const agentsFolder = () => join(place.dataDir, 'agents');
  /** Names in the folder of agents, and what is in the agent's own. */
  const left = () => {
    const names = existsSync(agentsFolder()) ? readdirSync(agentsFolder()) : [];
    return names.filter((it) => !it.endsWith('.json')).flatMap((it) => [it, ...readdirSync(join(agentsFolder(), it))]);
  };
  const say = async (text: string, who = peer) => {
    const folder = join(root, 'work');
    mkdirSync(folder, { recursive: true });
    const { chat } = await who.newSession({ provider: 'scripted', workingDirectories: [pathToFileURL(folder).href] });
    return { chat, turn: await who.ended(chat, await who.prompt(chat, text)) };
  };
  const words = (turn: { readonly responseParts: readonly object[] }) => JSON.stringify(turn.responseParts);

  it('is listed with its publisher, licence, command and kind; an entry that does not fit is named', async () => {
    verifies('host.agents.left-out');
    server.list([npx(), { id: 'odd' }]);
    const { items, leftOut, origin, address } = await peer.request('x-switchboard/agentRegistry', {});
    assert.deepEqual([origin, address, leftOut.map((it) => it.name)], ['fetched', server.address, ['odd']]);
    assert.deepEqual(items, [
      {
        ...{
          id: 'scripted',
          name: 'Scripted',
          version: '1.0.0',
          description: '',
          authors: ['Somebody'],
          license: 'MIT',
        },
        command: "SHOWN='a value' npx @test/scripted@1.0.0 --early",
        kind: 'npm',
        canUpdate: false,
        isShadowed: false,
      },
    ]);
  });

  it('comes from npm as it was offered, into a folder of its own, before the runbooks, and answers a prompt', async () => {
    verifies('host.agents.own-folder', 'host.agents.confirmed');
    publish();
    server.list([npx()]);
    const shown = await offer();
    assert.deepEqual(shown.steps, ['npm install --ignore-scripts @test/scripted@1.0.0']);
    assert.equal(shown.command, `SHOWN='a value' ${shown.folder}/node_modules/.bin/scripted --early`);
    assert.equal(shown.source, `${server.origin}/npm/-/@test-scripted-1.0.0.tgz`);
    assert.match(shown.hash ?? '', /^sha512-/);
    assert.ok((shown.sizeBytes ?? 0) > 0);
    const info = await peer.request('x-switchboard/agentInstall', { token: shown.token, progressToken: 'p' });
    assert.deepEqual([info.version, info.folder, info.scripts], ['1.0.0', shown.folder, []]);
    assert.ok(info.folder.startsWith(join(agentsFolder(), 'scripted')));
    await peer.until(() => offered().includes('scripted'), 'the agent is in the list');
    assert.ok(offered().indexOf('scripted') < offered().indexOf('runbook'));
    const phases = peer.notified.filter((it) => it.params['progressToken'] === 'p').map((it) => it.params['message']);
    assert.deepEqual([...new Set(phases)], ['install', 'verify']);
    assert.match(words((await say('say hello')).turn), /hello/);
    assert.deepEqual(readdirSync(join(root, 'home')), [], "nothing in the home folder, npm's cache included");
    assert.deepEqual(left(), ['scripted', info.folder.split('/').at(-1)], 'no folder of the work is left');
  });

  it('is there in the next host, and is not started once its files are others', async () => {
    verifies('host.agents.unchanged');
    publish();
    server.list([npx()]);
    const { folder } = await install();
    await place.restart();
    peer = await place.connect('w2', window());
    assert.match(words((await say('say hello')).turn), /hello/);
    await place.restart();
    peer = await place.connect('w3', window());
    appendFileSync(join(folder, 'node_modules/@test/scripted/agent.sh'), '# more\n');
    const session = peer.newSession({
      provider: 'scripted',
      workingDirectories: [pathToFileURL(join(root, 'work')).href],
    });
    const { session: uri } = await session;
    assert.match(JSON.stringify(peer.session(uri)), /was not started because its files changed after it was installed/);
  });

  it('is an archive with the hash that the registry says, or is not installed', async () => {
    verifies('host.agents.confirmed', 'host.agents.nothing-left');
    const bytes = archiveOf();
    const address = server.put('/agent.tar.gz', bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    server.list([binary(address, { sha256: '0'.repeat(64) })]);
    const shown = await offer();
    assert.deepEqual([shown.kind, shown.steps, shown.sizeBytes], ['binary', [address], bytes.length]);
    await assert.rejects(install(), { message: /^The SHA-256 of the download does not match/ });
    assert.deepEqual(left(), []);
    await place.restart(); // the list is kept for an hour, so another address stands for a later one
    server.put('/later.json', JSON.stringify({ agents: [binary(address, { sha256 })] }));
    peer = await place.connect('w2', window({ agentRegistry: `${server.origin}/later.json` }));
    const info = await install();
    assert.equal(readFileSync(join(info.folder, 'README'), 'utf8'), 'words');
    assert.match(words((await say('say hello')).turn), /hello/);
  });

  for (const [what, serve, message] of [
    [
      'leads outside its folder',
      () => gzipSync(tarFile([{ name: '../../evil', body: 'x' }])),
      /The archive was rejected/,
    ],
    ['is damaged', () => Buffer.from('<html>'), /The archive is damaged/],
    ['has no such program', () => gzipSync(tarFile([{ name: 'other', body: 'x' }])), /it does not contain bin\/agent/],
  ] as const)
    it(`leaves nothing behind where its archive ${what}`, async () => {
      verifies('host.agents.nothing-left', 'host.agents.inside');
      server.list([binary(server.put('/agent.tgz', serve()))]);
      await assert.rejects(install(), { message });
      assert.deepEqual([left(), existsSync(join(agentsFolder(), 'evil')), offered()], [[], false, offered()]);
      assert.ok(!offered().includes('scripted'));
    });

  it('leaves nothing behind where it is cancelled while it is downloaded', async () => {
    verifies('host.agents.nothing-left');
    let isAsked = false;
    const address = server.put('/agent.tgz', (request, response) => {
      response.writeHead(200);
      if (request.method === 'HEAD') return void response.end();
      response.write('the first bytes');
      isAsked = true;
    });
    server.list([binary(address)]);
    const { token } = await offer();
    const cancel = new AbortController();
    const installing = peer.peer.sendRequest(
      'x-switchboard/agentInstall',
      { channel: ROOT, token },
      { signal: cancel.signal },
    );
    await until('the download began', () => isAsked && left().length > 0);
    cancel.abort();
    await assert.rejects(installing);
    await until('nothing is left', () => left().length === 0);
  });

  it('leaves nothing behind where it is cancelled while npm runs, and npm ends', async () => {
    verifies('host.agents.nothing-left');
    publish();
    let hangs = false;
    server.list([npx()]);
    const { token, source } = await offer();
    server.put(new URL(source).pathname, () => {
      hangs = true;
    });
    const cancel = new AbortController();
    const installing = peer.peer.sendRequest(
      'x-switchboard/agentInstall',
      { channel: ROOT, token },
      { signal: cancel.signal },
    );
    await until('npm asks for the package', () => hangs);
    cancel.abort();
    await assert.rejects(installing);
    await until('nothing is left', () => left().length === 0);
    const { items } = await peer.request('x-switchboard/processes', {});
    assert.deepEqual(
      items.map((it) => it.role),
      ['host'],
    );
    server.put(new URL(source).pathname, (_request, response) => void response.writeHead(404).end());
    await assert.rejects(install(), { message: /^npm install @test\/scripted@1\.0\.0 failed: / });
    assert.deepEqual(left(), []);
  });

  it('runs no install script, until a person allows that of one package, and then no other', async () => {
    verifies('host.agents.scripts');
    const trace = join(root, 'trace');
    const touch = (name: string) => ({ scripts: { postinstall: `echo ${name} >> ${trace}` } });
    server.publish('helper', '2.0.0', {}, touch('helper'));
    publish('1.0.0', { ...touch('own'), dependencies: { helper: '2.0.0' } });
    server.list([npx()]);
    assert.deepEqual((await install()).scripts, ['@test/scripted@1.0.0', 'helper@2.0.0']);
    assert.equal(existsSync(trace), false);
    const allow = (packages: string[]) => peer.request('x-switchboard/agentScripts', { id: 'scripted', packages });
    await assert.rejects(allow(['other@1.0.0']), { message: /^packages: / });
    assert.deepEqual((await allow(['helper@2.0.0'])).scripts, ['@test/scripted@1.0.0']);
    assert.equal(readFileSync(trace, 'utf8'), 'helper\n');
    assert.match(words((await say('say hello')).turn), /hello/);
  });

  it('is updated in place of the old version, whose folder goes', async () => {
    publish();
    server.list([npx()]);
    const before = await install();
    publish('1.1.0', {}, { 'new.txt': 'new' });
    server.put('/later.json', JSON.stringify({ agents: [npx('1.1.0')] }));
    peer = await place.connect('w2', window({ agentRegistry: `${server.origin}/later.json` }));
    const { items } = await peer.request('x-switchboard/agentRegistry', {});
    assert.deepEqual([items[0]?.installed?.version, items[0]?.canUpdate], ['1.0.0', true]);
    const after = await install();
    assert.equal(after.version, '1.1.0');
    assert.deepEqual([existsSync(before.folder), existsSync(after.folder)], [false, true]);
    assert.match(words((await say('say hello')).turn), /hello/);
  });

  it('goes with its folder when it is removed, and a session of it says so and what to do', async () => {
    verifies('host.agents.own-folder', 'host.agents.removed');
    publish();
    server.list([npx()]);
    await install();
    const { chat } = await say('say hello');
    const runs = await peer.prompt(chat, 'run sleep 60');
    await peer.until(
      () => JSON.stringify(peer.chat(chat).activeTurn ?? {}).includes('pending-confirmation'),
      'it asks',
    );
    const remove = () => peer.request('x-switchboard/agentRemove', { id: 'scripted' });
    await assert.rejects(remove(), {
      message: 'Scripted is working in 1 session. Stop it there before you remove it.',
    });
    peer.dispatch(chat, { type: 'chat/turnCancelled', turnId: runs } as AnyAction);
    await peer.ended(chat, runs);
    await until('it works no more', () => !place.host.isBusy());
    await remove();
    assert.deepEqual(left(), []);
    await peer.until(() => !offered().includes('scripted'), 'the agent is not in the list');
    const turn = await peer.ended(chat, await peer.prompt(chat, 'say hello'));
    assert.match(
      JSON.stringify(turn),
      /Scripted was removed on \d{4}-\d\d-\d\d\. To continue this session, install it again/,
    );
    await assert.rejects(remove(), { message: 'This agent is not installed.' });
  });

  it('is installed with uv where that is there, and otherwise says what to install', async () => {
    const uvx = entry({ uvx: { package: 'scripted==1.0.0', args: [] } });
    server.list([uvx]);
    const without = await place.connect('without', window({}, '/usr/bin:/bin'));
    const row = (await without.request('x-switchboard/agentRegistry', {})).items[0];
    assert.deepEqual([row?.blocked, row?.kind], ['uvMissing', undefined]);
    await assert.rejects(offer(without), { message: /installed with uv, which was not found\. Install uv/ });
    const tools = join(root, 'tools');
    mkdirSync(tools);
    // What uv does with these variables: it makes an environment in one folder, and a program in another.
    const uv = [
      '#!/bin/sh',
      'echo "$@" > "$UV_TOOL_DIR.args"',
      'mkdir -p "$UV_TOOL_DIR/scripted" "$UV_TOOL_BIN_DIR"',
      `cat > "$UV_TOOL_DIR/scripted/run" <<'END'`,
      `${agentProgram()}END`,
      'chmod +x "$UV_TOOL_DIR/scripted/run"',
      'ln -s "$UV_TOOL_DIR/scripted/run" "$UV_TOOL_BIN_DIR/scripted"',
    ];
    writeFileSync(join(tools, 'uv'), uv.join('\n'), { mode: 0o755 });
    peer = await place.connect('w2', window({}, `${tools}:/usr/bin:/bin`));
    assert.deepEqual((await offer()).steps, ['uv tool install --no-build scripted==1.0.0']);
    const { folder, kind } = await install();
    assert.equal(kind, 'uv');
    assert.match(readFileSync(join(folder, 'tools.args'), 'utf8'), /^tool install --no-build .*scripted==1\.0\.0\n$/);
    assert.match(words((await say('say hello')).turn), /hello/);
  });

  it('says what to do where npm is missing', async () => {
    server.list([npx()]);
    const without = await place.connect('without', window({}, join(root, 'home')));
    await assert.rejects(offer(without), { message: /installed with npm, which was not found\. Install Node\.js/ });
  });

  it('is for trusted windows of this machine alone', async () => {
    verifies('host.agents.trusted-window');
    server.list([npx()]);
    const untrusted = await place.connect('untrusted', window({ trusted: false }));
    const unattended = await place.connect('unattended', window({ answersQuestions: false }));
    const far = place.connectSilently('credential');
    await far.initialize('far', { ...testWindow, ...window() } as WindowInfo);
    for (const [who, code] of [
      [untrusted, /Trust this folder/],
      [unattended, /Only a VS Code window on this machine/],
      [far, /Only a VS Code window on this machine/],
    ] as const)
      for (const ask of [
        () => who.request('x-switchboard/agentRegistry', {}),
        () => offer(who),
        () => who.request('x-switchboard/agentInstall', { token: 't' }),
        () => who.request('x-switchboard/agentScripts', { id: 'scripted', packages: ['a@1.0.0'] }),
        () => who.request('x-switchboard/agentRemove', { id: 'scripted' }),
      ])
        await assert.rejects(ask(), { message: code });
    assert.deepEqual(server.asked, []);
  });

  it('that was being installed when a host was killed is swept away by the next one', async () => {
    verifies('host.agents.nothing-left');
    mkdirSync(join(agentsFolder(), 'scripted', '1.0.0-half', 'node_modules'), { recursive: true });
    mkdirSync(join(agentsFolder(), '.work-1'));
    server.list([npx()]);
    await peer.request('x-switchboard/agentRegistry', {});
    assert.deepEqual(left(), []);
  });
});
