import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { isSignedIn, ownSignIns } from '../../../../../sidecar/agents/acp/ownSignIns.ts';

type Id = keyof typeof ownSignIns;
type Case = readonly [id: Id, says: string, file: string, text: string];

const signedIn: readonly Case[] = [
  ['claude', 'its credentials are there', '.claude/.credentials.json', '{"claudeAiOauth":{}}'],
  ['claude', 'its account is named', '.claude.json', '{"oauthAccount":{"emailAddress":"x"}}'],
  ['claude', 'its file of accounts cannot be read', '.claude.json', '{'],
  ['opencode', 'a subscription is stored', '.local/share/opencode/auth.json', '{"anthropic":{"type":"oauth"}}'],
  ['opencode', 'a sign-in of another kind is stored', '.local/share/opencode/auth.json', '{"x":{"type":"wellknown"}}'],
  ['opencode', 'its file holds no object', '.local/share/opencode/auth.json', '[]'],
  ['gemini', 'its credentials are there', '.gemini/oauth_creds.json', '{}'],
  [
    'gemini',
    'it is set to an account',
    '.gemini/settings.json',
    '{"security":{"auth":{"selectedType":"oauth-personal"}}}',
  ],
  ['gemini', 'its settings have comments', '.gemini/settings.json', '{ // mine\n}'],
  ['codex', 'tokens are stored', '.codex/auth.json', '{"OPENAI_API_KEY":null,"tokens":{"id_token":"x"}}'],
  ['codex', 'its sign-in is stored elsewhere', '.codex/config.toml', 'cli_auth_credentials_store = "keyring"\n'],
  ['qwen', 'its credentials are there', '.qwen/oauth_creds.json', '{}'],
  ['qwen', 'it is set to an account', '.qwen/settings.json', '{"security":{"auth":{"selectedType":"qwen-oauth"}}}'],
  ['qwen', 'its settings name an address', '.qwen/settings.json', '{"security":{"auth":{"baseUrl":"https://x"}}}'],
  ['goose', 'it is set to a subscription', '.config/goose/config.yaml', 'GOOSE_PROVIDER: github_copilot\n'],
  ['goose', 'its provider cannot be read', '.config/goose/config.yaml', 'GOOSE_PROVIDER: # none\n'],
];
const notSignedIn: readonly Case[] = [
  ['claude', 'it was only started', '.claude.json', '{"numStartups":3}'],
  ['opencode', 'only keys are stored', '.local/share/opencode/auth.json', '{"openai":{"type":"api","key":"x"}}'],
  ['gemini', 'it is set to a key', '.gemini/settings.json', '{"security":{"auth":{"selectedType":"gemini-api-key"}}}'],
  ['gemini', 'its settings are about something else', '.gemini/settings.json', '{"ui":{}}'],
  ['codex', 'only a key is stored', '.codex/auth.json', '{"OPENAI_API_KEY":"x","tokens":null}'],
  ['codex', 'its settings are about something else', '.codex/config.toml', 'model = "x"\n'],
  ['qwen', 'it is set to a key', '.qwen/settings.json', '{"security":{"auth":{"selectedType":"openai"}}}'],
  ['goose', 'it is set to a provider with a key', '.config/goose/config.yaml', 'GOOSE_PROVIDER: openai\n'],
];

describe("an agent's own sign-in", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'switchboard-signed-in-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
  };

  for (const [expected, cases] of [
    [true, signedIn],
    [false, notSignedIn],
  ] as const)
    for (const [id, says, file, text] of cases)
      it(`${expected ? 'counts' : 'does not count'} for ${id} where ${says}`, async () => {
        write(file, text);
        assert.equal(await isSignedIn(ownSignIns[id], { HOME: home }), expected);
      });

  for (const id of Object.keys(ownSignIns) as Id[]) {
    it(`does not count for ${id} in an empty home folder, and counts without one`, async () => {
      assert.equal(await isSignedIn(ownSignIns[id], { HOME: home }), false);
      assert.equal(await isSignedIn(ownSignIns[id], { USERPROFILE: home }), false);
      assert.equal(await isSignedIn(ownSignIns[id], {}), true);
    });
    it(`counts for ${id} where its file cannot be read because it is a folder`, async () => {
      const { path } = ownSignIns[id].files(home, {})[0]!;
      mkdirSync(path, { recursive: true });
      assert.equal(await isSignedIn(ownSignIns[id], { HOME: home }), true);
    });
  }

  for (const [id, variable] of [
    ['claude', 'CLAUDE_CODE_OAUTH_TOKEN'],
    ['opencode', 'OPENCODE_AUTH_CONTENT'],
    ['gemini', 'GOOGLE_GENAI_USE_GCA'],
    ['qwen', 'QWEN_OAUTH'],
  ] as const)
    it(`counts for ${id} where ${variable} holds it`, async () =>
      assert.equal(await isSignedIn(ownSignIns[id], { HOME: home, [variable]: 'x' }), true));

  for (const [id, variable, file, text] of [
    ['claude', 'CLAUDE_CONFIG_DIR', 'elsewhere/.credentials.json', '{}'],
    ['opencode', 'XDG_DATA_HOME', 'elsewhere/opencode/auth.json', '{"x":{"type":"oauth"}}'],
    ['gemini', 'GEMINI_CLI_HOME', 'elsewhere/.gemini/oauth_creds.json', '{}'],
    ['codex', 'CODEX_HOME', 'elsewhere/auth.json', '{"tokens":{}}'],
    ['qwen', 'QWEN_HOME', 'elsewhere/oauth_creds.json', '{}'],
    ['goose', 'XDG_CONFIG_HOME', 'elsewhere/goose/config.yaml', 'GOOSE_PROVIDER: claude-code'],
  ] as const)
    it(`is looked for where ${variable} says, for ${id}`, async () => {
      write(file, text);
      assert.equal(await isSignedIn(ownSignIns[id], { HOME: home, [variable]: join(home, 'elsewhere') }), true);
    });
});
