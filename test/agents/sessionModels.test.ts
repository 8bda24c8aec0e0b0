import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { providersFor } from '../../sidecar/agents/index.ts';
import type { AgentSession } from '../../sidecar/agents/provider.ts';
import { openEmbeddedGateway } from '../../sidecar/gateway/editions/embedded.ts';
import type { EmbeddedGateway, RecordedCall } from '../../sidecar/launch/gateway/gatewayContract.ts';
import { type Children, openChildren } from '../../sidecar/platform/children/children.ts';
import { processTable } from '../../sidecar/platform/children/processTable.ts';
import { systemRuntime } from '../../sidecar/platform/runtime.ts';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import { agentsWithModels, installAgents } from '../support/agents/realAgents.ts';
import { type ModelServer, startModel } from '../support/model/server.ts';
import { contextIn, playTurn } from '../support/playTurn.ts';
import { keepingLog } from '../support/testLog.ts';
import { until } from '../support/until.ts';

/** A provider's key, which the gateway and the window have, but no agent may get. */
const CANARY = 'sk-ant-canary-0123456789-of-the-provider';
const bin = await installAgents();

/** The gateway's model for each agent. */
const models: Readonly<Record<string, { readonly name: string; readonly model: string; readonly base: string }>> = {
  claude: { name: 'claude-*', model: 'anthropic/claude-*', base: '' },
  opencode: { name: 'fake-model', model: 'openai_compatible/fake-model', base: '/v1' },
  qwen: { name: 'fake-model', model: 'openai_compatible/fake-model', base: '/v1' },
  gemini: { name: 'gemini-*', model: 'gemini/gemini-*', base: '' },
  codex: { name: 'gpt-*', model: 'openai/gpt-*', base: '/v1' },
};

/** They declare which calls are those of sub-agents. */
const marking: ReadonlySet<string> = new Set(['claude', 'opencode']);

describe("real agents with the gateway's models", () => {
  for (const agent of agentsWithModels(bin)) {
    const { id } = agent.setting;
    const registered = models[id];
    describe(id, () => {
      let root: string;
      let folder: string;
      let home: string;
      let model: ModelServer;
      let children: Children;
      let gateway: EmbeddedGateway;
      let session: AgentSession;
      let key: string;
      const calls: RecordedCall[] = [];
      before(async () => {
        assert.ok(registered);
        root = await realpath(await mkdtemp(join(tmpdir(), `switchboard-models-${id}-`)));
        [folder, home] = [join(root, 'work'), join(root, 'home')];
        await mkdir(folder);
        model = await startModel();
        const build = { version: '0.1.0', builtAtMs: 1 };
        const data = join(root, 'data');
        await mkdir(data);
        const runtime = systemRuntime(keepingLog().log);
        gateway = openEmbeddedGateway({ dataDir: data, pagesFolder: data, build, runtime });
        gateway.onCall((it) => calls.push(it));
        const adminKey = `sk-${randomBytes(32).toString('base64url')}`;
        const secret = randomBytes(32).toString('base64');
        const { baseUrl } = await gateway.start({ secret, adminKey, isTrusted: true });
        const params = { api_base: `${model.url}${registered.base}`, api_key: CANARY, allow_private_network: true };
        const added = await fetch(`${baseUrl}/model/new`, {
          method: 'POST',
          headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            model_name: registered.name,
            gateway_params: { model: registered.model, ...params },
          }),
        });
        assert.equal(added.status, 200, await added.text());
        key = (await gateway.sessionModels('session-under-test', 'chat'))?.key ?? assert.fail('no models');
        children = openChildren(join(data, 'children.json'), () => new Date().toISOString());
        // With these variables, the agent could call a provider directly.
        const env = {
          ...agent.env(home, 'http://127.0.0.1:9'),
          ANTHROPIC_API_KEY: CANARY,
          OPENAI_API_KEY: CANARY,
          OPENCODE_API_KEY: CANARY,
        };
        const setting = { ...agent.setting, env: [...agent.setting.env, 'ANTHROPIC_*', 'OPENAI_*', 'OPENCODE_*'] };
        const provider = providersFor({
          timers: systemTimers,
          newId: () => 'unused',
          agents: [setting],
          env,
          wellKnown: false,
          children,
        }).find((it) => it.id === id);
        const access = { choice: 'auto' as const, offered: () => gateway.sessionModels('session-under-test', 'chat') };
        session = await provider!.open(contextIn(folder, { env, models: access }), new AbortController().signal);
      });
      after(async () => {
        await session?.close();
        await children?.stopAll();
        await gateway?.close();
        await model?.close();
        await rm(root, { recursive: true, force: true, maxRetries: 5 });
      });

      it('answers with text that came through the gateway', async () => {
        assert.equal(session.modelsThrough?.(undefined), 'gateway');
        const turn = await playTurn(session, { text: 'say Hello from the model.' });
        assert.equal(turn.failure, undefined);
        assert.match(turn.text, /Hello from the model\./);
        assert.ok([...model.served.values()].some((count) => count > 0));
      });

      it("leaves the provider's key in no process, no argument and no file, also where a tool runs", async () => {
        const seen = join(folder, 'environment.txt');
        const turn = await playTurn(session, { text: `shell env > ${seen}` });
        assert.equal(turn.failure, undefined);
        assert.match(await readFile(seen, 'utf8'), /^PATH=/m, 'the environment of the tool was written');
        const all = processTable();
        const [entry] = children.list();
        const pids = new Set(all.filter((it) => it.pgid === entry?.pid).map((it) => it.pid));
        // A child may be in its own process group, and the list is in no particular order.
        for (let size = 0; size < pids.size; ) {
          size = pids.size;
          for (const it of all) if (it.ppid !== undefined && pids.has(it.ppid)) pids.add(it.pid);
        }
        assert.ok(entry !== undefined && pids.has(entry.pid));
        for (const pid of process.platform === 'linux' ? pids : []) {
          const of = (name: string) => {
            try {
              return readFileSync(`/proc/${pid}/${name}`, 'utf8');
            } catch (thrown) {
              // A process of the tool may have ended since the list was made.
              if (pid !== entry.pid && !existsSync(`/proc/${pid}`)) return '';
              throw thrown;
            }
          };
          assert.equal(of('environ').includes(CANARY), false, 'environment');
          const words = of('cmdline');
          assert.equal(words.includes(CANARY), false, 'arguments');
          assert.equal(words.includes(key), false, "the session's key in arguments");
        }
        const files = [home, folder].flatMap((it) => readdirSync(it, { recursive: true, withFileTypes: true }));
        assert.ok(files.some((it) => it.name === 'environment.txt'));
        for (const it of files)
          if (it.isFile()) {
            const path = join(it.parentPath, it.name);
            assert.equal((await bytesOf(path)).includes(CANARY), false, path);
          }
      });
      it('makes calls that the gateway records for its chat, none of them for a sub-agent', () => {
        assert.ok(calls.length >= 2, `${calls.length} calls`);
        for (const it of calls) {
          assert.deepEqual([it.session, it.chat, it.subAgent], ['session-under-test', 'chat', undefined]);
          assert.ok(it.outputTokens > 0, JSON.stringify(it));
        }
      });
      if (marking.has(id))
        it('makes calls that the gateway records apart from those of its sub-agent', async () => {
          const before = calls.length;
          const turn = await playTurn(session, { text: 'delegate say A sub-agent did it.' });
          assert.equal(turn.failure, undefined);
          // Some agents do not wait for their sub-agents.
          const made = () => calls.slice(before).map((it) => it.subAgent === true);
          await until('a sub-agent called the model', async () => made().includes(true));
          assert.ok(made().filter((it) => !it).length >= 2, 'the task, and what is said of it');
        });
    });
  }
});

/** An agent that is still at work removes temporary files of its own: one that is gone holds nothing. */
async function bytesOf(path: string): Promise<Buffer> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
}
