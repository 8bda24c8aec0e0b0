import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { confinedEnvironment, makeState, needlessHosts } from '../../../../../sidecar/agents/acp/confined.ts';
import { type AcpAgent, wellKnown } from '../../../../../sidecar/agents/acp/wellKnown.ts';
import { verifies } from '../../../../support/verifies.ts';

const agent = (id: string): AcpAgent => wellKnown.find((it) => it.id === id) ?? assert.fail(id);

describe('an agent that starts in a sandbox', () => {
  const { HOME } = process.env;
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'switchboard-home-'));
    process.env['HOME'] = home;
  });
  afterEach(() => {
    process.env['HOME'] = HOME;
    rmSync(home, { recursive: true });
  });

  it('finds the files that it could not create there, and those of the user unchanged', () => {
    verifies('host.sandbox.works');
    const ignored = join(home, '.config/opencode/.gitignore');
    makeState(agent('opencode'));
    assert.match(readFileSync(ignored, 'utf8'), /^node_modules$/m);
    assert.equal(statSync(join(home, '.local/share/opencode')).isDirectory(), true);
    writeFileSync(ignored, 'mine');
    makeState(agent('opencode'));
    assert.equal(readFileSync(ignored, 'utf8'), 'mine');
  });

  it('does not require its own service if its models come from the gateway, and never telemetry', () => {
    verifies('host.sandbox.needless');
    assert.deepEqual(needlessHosts(agent('codex'), 'own'), ['ab.chatgpt.com']);
    assert.deepEqual(needlessHosts(agent('codex'), 'gateway'), ['chatgpt.com', 'ab.chatgpt.com']);
    assert.deepEqual(needlessHosts(agent('cline'), 'gateway'), []);
  });

  it('is Codex, which is told that its own sandbox cannot start, after what it was told before', () => {
    verifies('host.sandbox.works');
    const told = (env: Record<string, string>) =>
      JSON.parse(confinedEnvironment(agent('codex'), env)['CODEX_CONFIG'] ?? '') as Record<string, string>;
    assert.match(told({})['developer_instructions'] ?? '', /^You run in a sandbox .*"require_escalated"/);
    const both = told({ CODEX_CONFIG: JSON.stringify({ model: 'm', developer_instructions: 'Be brief.' }) });
    assert.equal(both['model'], 'm');
    assert.match(both['developer_instructions'] ?? '', /^Be brief\.\n\nYou run in a sandbox /);
    const broken = { CODEX_CONFIG: '{' };
    assert.deepEqual(confinedEnvironment(agent('codex'), broken), broken);
    assert.deepEqual(confinedEnvironment(agent('gemini'), { A: 'b' }), { A: 'b' });
  });
});
