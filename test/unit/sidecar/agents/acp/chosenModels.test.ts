import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { chooseModels, modelRouteOf } from '../../../../../sidecar/agents/acp/chosenModels.ts';
import { modelRoutes } from '../../../../../sidecar/agents/acp/modelRoutes.ts';
import { acpProvider } from '../../../../../sidecar/agents/acp/provider.ts';
import { type AcpAgent, wellKnown } from '../../../../../sidecar/agents/acp/wellKnown.ts';
import type { ModelChoice, SessionModels } from '../../../../../sidecar/agents/models.ts';
import type { Children } from '../../../../../sidecar/platform/children/children.ts';
import { MemoryAgent } from '../../../../support/agents/memoryAgent.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { contextIn } from '../../../../support/playTurn.ts';

/** The key of a provider. No agent that uses the gateway's models may see it. */
const CANARY = 'sk-ant-canary-of-the-provider';
const url = 'http://127.0.0.1:4000';
const key = 'sk-of-the-session';
const claudeSignIn = ['.claude', '.credentials.json'] as const;
const modelsOf = (...dialects: SessionModels['models'][number]['dialects']): SessionModels => ({
  url,
  key,
  models: [{ name: 'fast', dialects }],
});
const claude = wellKnown.find((it) => it.id === 'claude')!;
const gemini = wellKnown.find((it) => it.id === 'gemini')!;
const copilot = wellKnown.find((it) => it.id === 'copilot')!;

describe('the models of an agent', () => {
  let home: string;
  let asked: number;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'switchboard-models-'));
    asked = 0;
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const signIn = (folder: string, file: string) => {
    mkdirSync(join(home, folder));
    writeFileSync(join(home, folder, file), '{}');
  };
  const access = (choice: ModelChoice, models: SessionModels | undefined) => ({
    choice,
    async offered() {
      asked += 1;
      return models;
    },
  });
  const choose = (agent: AcpAgent, choice: ModelChoice, models: SessionModels | undefined) =>
    chooseModels(agent, { HOME: home }, access(choice, models));

  /** `expected` is a pattern if the agent does not start. `asked` counts the requests for a key. */
  const cases: readonly {
    readonly says: string;
    readonly choice: ModelChoice;
    readonly agent?: AcpAgent;
    readonly models?: SessionModels;
    readonly signedIn?: readonly [folder: string, file: string];
    readonly expected: 'gateway' | 'own' | RegExp;
    readonly asked: number;
  }[] = [
    { says: '', choice: 'auto', models: modelsOf('messages'), expected: 'gateway', asked: 1 },
    {
      says: ' and a subscription',
      choice: 'auto',
      models: modelsOf('messages'),
      signedIn: claudeSignIn,
      expected: 'own',
      asked: 0,
    },
    { says: ' and no model', choice: 'auto', expected: 'own', asked: 1 },
    { says: ' and models with other dialects', choice: 'auto', models: modelsOf('chat'), expected: 'own', asked: 1 },
    {
      says: ' and an agent that cannot use the gateway',
      choice: 'auto',
      agent: copilot,
      models: modelsOf('chat'),
      expected: 'own',
      asked: 0,
    },
    { says: '', choice: 'own', models: modelsOf('messages'), expected: 'own', asked: 0 },
    {
      says: ' and a subscription that the environment overrides',
      choice: 'gateway',
      models: modelsOf('messages'),
      signedIn: claudeSignIn,
      expected: 'gateway',
      asked: 1,
    },
    {
      says: ' and a subscription that overrides the environment',
      choice: 'gateway',
      agent: gemini,
      models: modelsOf('gemini'),
      signedIn: ['.gemini', 'oauth_creds.json'],
      expected:
        /^Gemini uses its own sign-in before the gateway's models\. Sign out in the agent, or choose "own" for gemini/,
      asked: 0,
    },
    {
      says: ' and no model',
      choice: 'gateway',
      expected: /^The gateway has no model that Claude can use \(format: messages\)\..*"own" for claude/,
      asked: 1,
    },
    {
      says: ' and models with other dialects',
      choice: 'gateway',
      models: modelsOf('chat', 'gemini'),
      expected: /^The gateway has no model that Claude can use/,
      asked: 1,
    },
    {
      says: ' and an agent that cannot use the gateway',
      choice: 'gateway',
      agent: copilot,
      models: modelsOf('chat'),
      expected: /^Copilot cannot use the gateway's models\./,
      asked: 0,
    },
  ];
  for (const { says, choice, agent = claude, models, signedIn, expected, asked: times } of cases) {
    const what = expected instanceof RegExp ? 'refused' : expected === 'own' ? "the agent's own" : "the gateway's";
    it(`are ${what} for "${choice}"${says}`, async () => {
      if (signedIn) signIn(...signedIn);
      const chosen = choose(agent, choice, models);
      if (expected instanceof RegExp) await assert.rejects(chosen, { code: 'unavailable', message: expected });
      else assert.equal((await chosen) ? 'gateway' : 'own', expected);
      assert.equal(asked, times, 'a key is made only for an agent that can use it');
    });
  }
  it("are the agent's own where none are offered", async () =>
    assert.equal(await chooseModels(claude, { HOME: home }, undefined), undefined));
  it("are not replaced by the agent's own when the gateway fails", async () => {
    const broken = { choice: 'auto' as const, offered: () => Promise.reject(new Error('away')) };
    await assert.rejects(chooseModels(claude, { HOME: home }, broken), /away/);
  });

  it("are the agent's own if only its ID is that of a well-known agent", () =>
    assert.equal(modelRouteOf({ ...claude, registryId: '', command: 'other' }), undefined));
  const known: readonly (readonly [says: string, agent: Partial<AcpAgent>])[] = [
    ['its program', { command: '/opt/bin/claude-agent-acp', id: 'mine' }],
    ['its program on Windows', { command: 'C:\\npm\\claude-agent-acp.cmd', id: 'mine' }],
    ['its registry ID', { command: '/usr/bin/node', id: 'mine', registryId: 'claude-acp' }],
  ];
  for (const [says, agent] of known)
    it(`may be the gateway's for an agent that is recognized by ${says}`, () =>
      assert.equal(modelRouteOf({ ...claude, registryId: '', ...agent }), modelRoutes['claude']));

  describe('through the gateway', () => {
    let agent: MemoryAgent;
    let spawned: { env: Record<string, string>; args: readonly string[] };
    const env = () => ({
      HOME: home,
      PATH: process.env['PATH'] ?? '',
      ANTHROPIC_API_KEY: CANARY,
      ANTHROPIC_BASE_URL: 'https://api.anthropic.com',
      CLAUDE_CODE_USE_BEDROCK: '1',
      CLAUDE_SAME: CANARY,
      CLAUDE_OTHER: 'kept',
      ANTHROPIC_MODEL: 'mine',
    });
    const open = (choice: ModelChoice, resumeId?: string, more: Readonly<Record<string, string>> = {}) => {
      agent = new MemoryAgent();
      agent.answers['initialize'] = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
      agent.answers['session/load'] = {};
      const children = {
        async spawn(it: typeof spawned) {
          spawned = it;
          return agent.child;
        },
      } as unknown as Children;
      const own = { ...claude, command: join(home, 'claude-agent-acp') };
      writeFileSync(own.command, '#!/bin/sh\n', { mode: 0o755 });
      const provider = acpProvider(own, { timers: new ManualTimers(), children });
      const models = access(choice, { url, key, models: [{ name: 'claude-*', dialects: ['messages'] }] });
      const context = contextIn(home, {
        env: { ...env(), ...more },
        models,
        ...(resumeId !== undefined && { resumeId }),
      });
      return provider.open(context, new AbortController().signal);
    };
    const opening = (method: string) => agent.received.find((it) => it.method === method)?.params['_meta'];

    it('replace all provider keys and addresses in the environment, whatever their names', async () => {
      const session = await open('auto');
      assert.equal(session.modelsThrough?.(undefined), 'gateway');
      const { HOME, PATH, ...rest } = spawned.env;
      assert.deepEqual(rest, {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_AUTH_TOKEN: key,
        ANTHROPIC_MODEL: 'mine',
        CLAUDE_OTHER: 'kept',
        ...claude.defaults,
      });
      assert.ok(HOME && PATH);
      assert.doesNotMatch(JSON.stringify([spawned, agent.received]), new RegExp(CANARY));
      assert.doesNotMatch(JSON.stringify([spawned.args, agent.received]), new RegExp(key), 'no argument holds the key');
    });
    for (const [method, resumeId] of [
      ['session/new', undefined],
      ['session/load', 'earlier'],
    ] as const)
      it(`come with settings in ${method}`, async () => {
        await open('auto', resumeId);
        assert.deepEqual(Object.keys((opening(method) ?? {}) as object), ['claudeCode']);
      });
    type Variables = Readonly<Record<string, string>>;
    const proxies: readonly (readonly [says: string, more: Variables, expected: object])[] = [
      ['a proxy', { HTTP_PROXY: 'http://proxy' }, { NO_PROXY: '127.0.0.1,localhost', no_proxy: '127.0.0.1,localhost' }],
      [
        'a proxy for all but some',
        { https_proxy: 'http://proxy', no_proxy: '.corp' },
        { NO_PROXY: '.corp,127.0.0.1,localhost', no_proxy: '.corp,127.0.0.1,localhost' },
      ],
      ['no proxy', { NO_PROXY: '.corp' }, { NO_PROXY: '.corp', no_proxy: undefined }],
    ];
    for (const [says, more, expected] of proxies)
      it(`are reached directly where the window has ${says}`, async () => {
        await open('auto', undefined, more);
        const { NO_PROXY, no_proxy } = spawned.env;
        assert.deepEqual({ NO_PROXY, no_proxy }, expected);
      });
    it('change nothing for an agent that uses its own', async () => {
      const session = await open('own');
      assert.equal(session.modelsThrough?.(undefined), 'own');
      assert.deepEqual(spawned.env, { ...env(), ...claude.defaults });
      assert.equal(opening('session/new'), undefined);
    });
  });
});
