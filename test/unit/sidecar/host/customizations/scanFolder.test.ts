import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { diskFiles, MAX_FILE_BYTES } from '../../../../../sidecar/host/customizations/files.ts';
import { type Container, scanFolder } from '../../../../../sidecar/host/customizations/scanFolder.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';

describe('customizations of a folder', () => {
  let place: Workspace;
  afterEach(() => place.remove());
  const scan = async (files: Record<string, string>): Promise<Map<string, Container>> => {
    place = openWorkspace(files);
    return new Map((await scanFolder(diskFiles(place.path), place.uri)).map((it) => [it.name, it]));
  };
  /** A child without what is the same for all. */
  const childrenOf = (container: Container | undefined) =>
    (container?.children ?? []).map(({ id: _id, uri, ...it }) => ({ ...it, uri: uri.slice(place.uri.length + 1) }));

  it('are found in the directories of the field, each as what it is', async () => {
    const found = await scan({
      'AGENTS.md': 'Be brief.',
      '.github/copilot-instructions.md': 'Be kind.',
      '.agents/skills/pdf/SKILL.md':
        '---\nname: PDF\ndescription: Reads PDFs\ndisable-model-invocation: true\n---\nHow.',
      '.agents/skills/pdf/notes.md': 'no skill',
      '.github/agents/reviewer.agent.md':
        "---\ndescription: Reviews\nmodel: ['gpt', 'other']\ntools: read, search\nuser-invocable: false\n---\nReview.",
      '.github/prompts/fix.prompt.md': '---\ndescription: Fixes\n---\nFix it.',
      '.github/instructions/ts/style.instructions.md': '---\napplyTo: **/*.ts,**/*.tsx\n---\nUse tabs.',
      '.github/hooks/all.json': '{\n  "hooks": {\n    "preToolUse": [ { "type": "command", "bash": "true" } ]\n  }\n}',
      '.claude/commands/git/commit.md': 'Commit.',
      '.claude/settings.json': '{"hooks": {"Stop": []}, "other": 1}',
      '.cursor/rules/always.mdc': '---\ndescription:\nglobs: *.rs\nalwaysApply: true\n---\nRust.',
      '.vscode/mcp.json': '{ // servers\n  "servers": {\n    "files": { "command": "npx" },\n  }\n}',
      '.cursor/mcp.json': '{"mcpServers": {"off": {"url": "https://x.test", "disabled": true}}}',
    });
    const own = (name: string) => childrenOf(found.get(name));
    assert.deepEqual(own('Instructions'), [
      { type: 'rule', name: 'AGENTS', alwaysApply: true, uri: 'AGENTS.md' },
      { type: 'rule', name: 'copilot-instructions', alwaysApply: true, uri: '.github/copilot-instructions.md' },
    ]);
    assert.deepEqual(own('.agents/skills'), [
      {
        type: 'skill',
        name: 'PDF',
        description: 'Reads PDFs',
        disableModelInvocation: true,
        uri: '.agents/skills/pdf/SKILL.md',
      },
    ]);
    assert.deepEqual(own('.github/agents'), [
      {
        type: 'agent',
        name: 'reviewer',
        description: 'Reviews',
        disableUserInvocation: true,
        model: 'gpt',
        tools: ['read', 'search'],
        uri: '.github/agents/reviewer.agent.md',
      },
    ]);
    assert.deepEqual(own('.github/prompts'), [
      { type: 'prompt', name: 'fix', description: 'Fixes', uri: '.github/prompts/fix.prompt.md' },
    ]);
    assert.deepEqual(own('.github/instructions'), [
      {
        type: 'rule',
        name: 'style',
        globs: ['**/*.ts', '**/*.tsx'],
        uri: '.github/instructions/ts/style.instructions.md',
      },
    ]);
    assert.deepEqual(own('.github/hooks'), [
      {
        type: 'hook',
        name: 'preToolUse',
        range: { start: { line: 2, character: 4 }, end: { line: 2, character: 59 } },
        uri: '.github/hooks/all.json',
      },
    ]);
    assert.deepEqual(
      own('.claude/settings').map((it) => it.name),
      ['Stop'],
    );
    assert.deepEqual(own('.claude/commands'), [
      { type: 'prompt', name: 'commit', uri: '.claude/commands/git/commit.md' },
    ]);
    assert.deepEqual(own('.cursor/rules'), [
      { type: 'rule', name: 'always', globs: ['*.rs'], alwaysApply: true, uri: '.cursor/rules/always.mdc' },
    ]);
    assert.deepEqual(own('.vscode/mcp.json'), [
      {
        type: 'mcpServer',
        name: 'files',
        enabled: true,
        state: { kind: 'stopped' },
        range: { start: { line: 2, character: 4 }, end: { line: 2, character: 33 } },
        uri: '.vscode/mcp.json',
      },
    ]);
    assert.equal(found.get('.cursor/mcp.json')?.children?.[0]?.enabled, false);
    assert.ok([...found.values()].every((it) => it.load?.kind === 'loaded'));
    const ids = [...found.values()].flatMap((it) => [it.id, ...(it.children ?? []).map((child) => child.id)]);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('show directories to which the first can be added, and none of the others that are not there', async () => {
    const found = await scan({ '.claude/agents/README.md': 'how to' });
    assert.deepEqual([...found.keys()].sort(), [
      '.agents/skills',
      '.claude/agents',
      '.github/agents',
      '.github/instructions',
      '.github/prompts',
    ]);
    for (const it of found.values()) {
      assert.deepEqual([it.type === 'directory' && it.writable, it.children, it.load], [true, [], { kind: 'loaded' }]);
    }
  });

  it('that cannot be understood are listed by their names, and their directory says why', async () => {
    const found = await scan({
      '.github/prompts/good.prompt.md': '---\nname: Good\n---\n',
      '.github/prompts/bad.prompt.md': '---\nname: [\n---\n',
      '.github/prompts/huge.prompt.md': 'x'.repeat(MAX_FILE_BYTES + 1),
      '.vscode/mcp.json': '{\n  "servers": ',
    });
    const prompts = found.get('.github/prompts');
    assert.deepEqual(
      prompts?.children?.map((it) => it.name),
      ['bad', 'Good'],
    );
    assert.ok(prompts?.load?.kind === 'degraded');
    assert.match(
      prompts.load.message,
      /^bad\.prompt\.md: front matter: .*\nhuge\.prompt\.md: larger than 1048576 bytes$/,
    );
    assert.deepEqual(found.get('.vscode/mcp.json')?.load, {
      kind: 'degraded',
      message: 'mcp.json: line 2, column 14: a value is expected here',
    });
  });

  it('are not read through links that leave the folder', async () => {
    const outside = openWorkspace({ 'secret.md': '---\nname: secret\n---\n' });
    place = openWorkspace({ '.github/agents/own.md': 'x', 'docs/a.md': '---\nname: linked\n---\n' });
    symlinkSync(join(outside.path, 'secret.md'), join(place.path, '.github/agents/secret.md'));
    symlinkSync(join(place.path, 'docs/a.md'), join(place.path, '.github/agents/inside.md'));
    symlinkSync(outside.path, join(place.path, '.claude'));
    const found = await scanFolder(diskFiles(place.path), place.uri);
    const names = found.flatMap((it) => (it.children ?? []).map((child) => child.name));
    assert.deepEqual(names, ['linked', 'own']);
    outside.remove();
  });

  it('come from plugins too, by their manifests', async () => {
    const found = await scan({
      '.claude/plugins/tools/.claude-plugin/plugin.json': '{"name": "Tools", "version": "not semver"}',
      '.claude/plugins/tools/skills/a/SKILL.md': 'A.',
      '.claude/plugins/tools/commands/b.md': 'B.',
      '.claude/plugins/tools/hooks/hooks.json': '{"hooks": {"Stop": []}}',
      '.claude/plugins/tools/.mcp.json': '{"mcpServers": {"db": {"command": "db"}}}',
      '.agents/plugins/plain/agents/c.md': 'C.',
      '.plugin/plugin.json': '[]',
    });
    const tools = found.get('Tools');
    assert.ok(tools?.type === 'plugin' && tools.version === 'not semver' && tools.load?.kind === 'loaded');
    assert.deepEqual(
      tools.children?.map((it) => [it.type, it.name]),
      [
        ['skill', 'a'],
        ['prompt', 'b'],
        ['hook', 'Stop'],
        ['mcpServer', 'db'],
      ],
    );
    assert.deepEqual(
      found.get('plain')?.children?.map((it) => it.type),
      ['agent'],
    );
    const own = found.get(place.path.split('/').at(-1)!);
    assert.deepEqual(own?.load, { kind: 'degraded', message: '.plugin/plugin.json: is not a valid manifest' });
  });
});
