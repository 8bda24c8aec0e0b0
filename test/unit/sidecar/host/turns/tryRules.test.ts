import assert from 'node:assert/strict';
import { mkdirSync, realpathSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { tryRules } from '../../../../../sidecar/host/turns/tryRules.ts';
import type { PermissionRule, RuleTrial } from '../../../../../sidecar/protocol/window.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';

describe('what would happen with a request', () => {
  let workspace: Workspace;
  beforeEach(() => {
    workspace = openWorkspace();
    mkdirSync(`${workspace.path}/src`);
  });
  afterEach(() => workspace.remove());

  const rule = (effect: PermissionRule['effect'], target: PermissionRule['target'], pattern: string) =>
    ({ id: `${effect} ${pattern}`, effect, target, pattern, source: 'user' }) as const;
  const rules = [
    rule('allow', 'shell', 'npm test*'),
    rule('deny', 'edit', 'keys/**'),
    rule('ask', 'edit', 'src/**'),
    rule('allow', 'edit', '**'),
    rule('allow', 'fetch', 'https://a.org/*'),
    rule('allow', 'tool', 'mcp:jira/*'),
  ];

  for (const [kind, what, expected] of [
    ['shell', 'npm test -- x', 'allow: rule, allow npm test*'],
    ['shell', 'make', 'ask: default'],
    ['shell', 'rm -rf out', 'ask: destructive'],
    ['shell', 'npm test $(x)', 'ask: unclear'],
    ['edit', 'keys/a', 'deny: rule, deny keys/**'],
    ['edit', 'src/a', 'ask: rule, ask src/**'],
    ['edit', 'a', 'allow: rule, allow **'],
    ['edit', '../a', 'ask: outside'],
    ['edit', '/etc/passwd', 'ask: outside'],
    ['edit', '.vscode/tasks.json', 'ask: protected'],
    ['read', 'src/a', 'allow: default'],
    ['fetch', 'https://a.org/x', 'allow: rule, allow https://a.org/*'],
    ['fetch', 'https://b.org/x', 'ask: default'],
    ['other', 'mcp:jira/create', 'allow: rule, allow mcp:jira/*'],
  ] satisfies [RuleTrial['kind'], string, string][])
    it(`is answered for ${kind} ${what} with ${expected}`, async () => {
      const granted = { ...rule('allow', 'shell', 'make'), id: 'g', source: 'granted', session: 'host-session:/s' };
      const storage = { small: { rules: () => [JSON.stringify(granted)] } } as never;
      const window = { trusted: true, folders: [workspace.uri], rules };
      const { verdict, because, rule: decides } = await tryRules(storage, window, { kind, what });
      assert.equal(`${verdict}: ${because}${decides ? `, ${decides.id}` : ''}`, expected);
    });

  it('follows what was granted for the folder, and denies all where the workspace is not trusted', async () => {
    const folder = realpathSync(workspace.path);
    const granted = { ...rule('allow', 'shell', 'make'), id: 'g', source: 'granted', folder };
    const storage = { small: { rules: () => [JSON.stringify(granted)] } } as never;
    const trial = { kind: 'shell', what: 'make' } as const;
    const window = { trusted: true, folders: [workspace.uri], rules: [] };
    assert.equal((await tryRules(storage, window, trial)).rule?.id, 'g');
    assert.deepEqual(await tryRules(storage, { ...window, trusted: false }, trial), {
      verdict: 'deny',
      because: 'untrusted',
    });
    assert.equal((await tryRules(storage, undefined, trial)).because, 'untrusted');
  });
});
