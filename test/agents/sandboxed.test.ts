import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, describe, it } from 'mocha';
import { SANDBOX } from '../../sidecar/protocol/channels/session/sandboxChoice.ts';
import { promptAllowing } from '../support/agents/allowAll.ts';
import { agentsWithModels, installAgents } from '../support/agents/realAgents.ts';
import { newGatewaySecrets, noticesOf } from '../support/host/cloudPeer.ts';
import { HostPeer } from '../support/host/hostPeer.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import { registeredAt } from '../support/model/registered.ts';
import { type ModelServer, startModel } from '../support/model/server.ts';
import { pathWithSandbox } from '../support/sandbox/programs.ts';
import { say } from '../support/say.ts';
import { openSidecarPlace, type SidecarPlace } from '../support/sidecar.ts';

const agents = agentsWithModels(await installAgents());
/** Hosts to which an agent connects by itself, as the cards of tool calls write them. */
const needless: Readonly<Record<string, readonly string[]>> = {
  claude: ['anthropic'],
  opencode: ['models'],
  qwen: ['aliyuncs'],
  gemini: ['googleapis'],
  codex: ['chatgpt'],
};

describe('real agents in a sandbox', () => {
  let root: string;
  let model: ModelServer;
  let place: SidecarPlace;
  let peer: HostPeer;
  /** Why no sandbox can start on this machine. */
  let refusal: string | undefined;
  let worked = 0;

  before(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-boxed-agents-')));
    const home = join(root, 'home');
    model = await startModel();
    place = openSidecarPlace();
    mkdirSync(place.dataDir, { recursive: true });
    const gatewayModel = registeredAt(place.dataDir, model.url);
    const model_list = [
      gatewayModel('claude-*', 'anthropic', ''),
      gatewayModel('fake-model', 'openai_compatible', '/v1'),
      gatewayModel('gemini-*', 'gemini', ''),
      gatewayModel('gpt-*', 'openai', '/v1'),
    ];
    writeFileSync(join(place.dataDir, 'switchboard.jsonc'), JSON.stringify({ model_list }));
    const env = Object.assign({}, ...agents.map((it) => it.env(home, 'http://127.0.0.1:9'))) as Record<string, string>;
    // As after an installation: no settings, no state, and no variables that turn something off.
    rmSync(home, { recursive: true });
    mkdirSync(home);
    for (const it of Object.keys(env).filter((name) => /DISABLE|INITIAL_AGENT_MODE/.test(name))) delete env[it];
    env['PATH'] = await pathWithSandbox(env);
    peer = new HostPeer(place.start({ env: { HOME: home } }).peer);
    const settings = agents.map(({ setting: { id, displayName, command, args, env: names } }) => ({
      ...{ id, displayName, command },
      args: [...args],
      env: [...names],
    }));
    await peer.initialize(randomUUID(), {
      ...testWindow,
      env,
      agents: settings,
      agentModels: Object.fromEntries(settings.map((it) => [it.id, 'gateway' as const])),
    });
    await peer.request('x-switchboard/gatewayStart', newGatewaySecrets());
    refusal = await whyNoSandbox();
  });
  after(async () => {
    peer?.close();
    await place?.close();
    await model?.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    say(
      `sandbox: ${refusal === undefined ? `${worked} of ${agents.length} agents worked` : `refusal proved: ${refusal}`}`,
    );
  });

  async function boxed(provider: string): Promise<{ readonly folder: string; readonly chat: string }> {
    const folder = join(root, 'work', provider);
    mkdirSync(folder, { recursive: true });
    const workingDirectories = [pathToFileURL(folder).href];
    const { chat } = await peer.newSession({ provider, workingDirectories, config: { [SANDBOX]: 'on' } });
    return { folder, chat };
  }

  /** The host asks about the command once the sandbox has started, or about going on without a sandbox. */
  async function whyNoSandbox(): Promise<string | undefined> {
    const { chat } = await boxed('runbook');
    await peer.prompt(chat, '```sh\ntrue\n```');
    const first = () => peer.chat(chat).activeTurn?.responseParts[0];
    await peer.until(() => first() !== undefined, 'a question');
    const asked = first();
    return asked?.kind === 'inputRequest' ? (asked.request.message ?? '') : undefined;
  }

  for (const { setting } of agents) {
    const { id, displayName } = setting;
    it(`${displayName} changes a file and runs a command, and its programs use the proxy of the sandbox`, async () => {
      if (refusal !== undefined) return assert.match(refusal, /^A sandbox cannot start because /);
      const { folder, chat } = await boxed(id);
      const path = join(folder, 'edited.txt');
      writeFileSync(path, 'one\ntwo\nthree\n');
      // The Node.js of the system can be too old to use a proxy.
      const fetching = `"${process.execPath}" -e 'fetch("http://${id}.test/").catch(() => 0)'`;
      const turn = await promptAllowing(
        peer,
        chat,
        // Codex reads files only with commands.
        `${id === 'codex' ? '' : `read ${path}\n`}edit ${path} "two", "TWO"\nshell echo made > made.txt; echo x > ../${id}-out; ${fetching}`,
      );
      const told = JSON.stringify(turn.responseParts, null, 1);
      assert.equal(turn.state, 'complete', JSON.stringify(turn));
      assert.equal(readFileSync(path, 'utf8'), 'one\nTWO\nthree\n', told);
      assert.equal(readFileSync(join(folder, 'made.txt'), 'utf8'), 'made\n', told);
      assert.equal(existsSync(join(folder, '..', `${id}-out`)), false, 'the command wrote outside the folder');
      const connections = turn.responseParts.flatMap((it) =>
        it.kind === 'toolCall' && it.toolCall.toolName === 'network'
          ? [JSON.stringify(it.toolCall.invocationMessage)]
          : [],
      );
      assert.ok(
        connections.some((it) => it.includes(`${id}\\\\.test`)),
        told,
      );
      for (const host of needless[id] ?? [])
        assert.equal(connections.join().includes(host), false, `asked about ${host}`);
      assert.match(noticesOf(turn), /uses the gateway's models/);
      worked += 1;
    });
  }
});
