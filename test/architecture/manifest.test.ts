import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import ts from 'typescript';
import {
  commandIds,
  contextKeys,
  panelTypes,
  settingIds,
  toolProviderIds,
  viewIds,
} from '../../src/manifest/manifest.ts';
import { projectRoot } from '../support/cache.ts';
import { folderOf, treeDefinitions } from '../support/editor/treeDefinitions.ts';
import { findInCode, readSource, sourcePaths } from '../support/sources.ts';
import { textsInCode } from '../support/texts.ts';

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly contributes: {
    readonly commands: readonly { command: string; enablement?: string }[];
    readonly viewsContainers: Record<string, readonly { id: string }[]>;
    readonly views: Record<string, readonly { id: string; when?: string }[]>;
    readonly viewsWelcome?: readonly { view: string; when?: string; contents: string }[];
    readonly menus: Record<string, readonly { command?: string; submenu?: string; when?: string }[]>;
    readonly configuration:
      | readonly { properties: Record<string, unknown> }[]
      | { properties: Record<string, unknown> };
    readonly mcpServerDefinitionProviders: readonly { id: string }[];
    readonly keybindings?: readonly { command: string; when?: string }[];
    readonly walkthroughs?: readonly { steps: readonly { when?: string; completionEvents?: readonly string[] }[] }[];
  };
}

const text = readFileSync(join(projectRoot, 'package.json'), 'utf8');
const { contributes, activationEvents } = JSON.parse(text) as Manifest;
const sorted = (all: Iterable<string>) => [...new Set(all)].sort();
const configurations = Array.isArray(contributes.configuration)
  ? contributes.configuration
  : [contributes.configuration];
const clauses = collectClauses(contributes);

/** Keys of VS Code that our clauses use. A new one is added here after a look into its documentation. */
const editorKeys = new Set([
  'activeEditor',
  'activeWebviewPanelId',
  'activeCustomEditorId',
  'commentController',
  'commentIsEmpty',
  'commentThread',
  'editorHasSelection',
  'editorTextFocus',
  'focusedView',
  'inputFocus',
  'isInDiffEditor',
  'isWorkspaceTrusted',
  'listFocus',
  'listMultiSelection',
  'originalResourceScheme',
  'resource',
  'resourcePath',
  'resourceScheme',
  'scmProvider',
  'sideBarFocus',
  'view',
  'viewItem',
  'webviewId',
  'webviewSection',
  'workbenchState',
  'workspaceFolderCount',
]);

describe('package.json and src/manifest name the same', () => {
  it('commands, by their ids', async () => {
    const run = (await treeDefinitions()).flatMap((it) => Object.keys(it.commands ?? {}));
    assert.deepEqual(
      sorted(contributes.commands.map((it) => it.command)),
      sorted([...Object.values(commandIds), ...run]),
    );
  });

  it('views and their containers', async () => {
    const definitions = await treeDefinitions();
    const containers = Object.values(contributes.viewsContainers).flat();
    const views = Object.values(contributes.views).flat();
    assert.deepEqual(
      sorted([...containers, ...views].map((it) => it.id)),
      sorted([...Object.values(viewIds), ...definitions.map((it) => it.id)]),
    );
  });

  it('settings, by their keys', () => {
    assert.deepEqual(
      sorted(configurations.flatMap((it) => Object.keys(it.properties))),
      sorted(Object.values(settingIds)),
    );
  });

  it('what is offered to the editor as MCP servers', () => {
    assert.deepEqual(
      sorted(contributes.mcpServerDefinitionProviders.map((it) => it.id)),
      sorted(Object.values(toolProviderIds)),
    );
  });

  it('editor panels, which wake the extension when VS Code restores them', () => {
    assert.deepEqual(
      sorted(activationEvents.filter((it) => it.startsWith('onWebviewPanel:'))),
      sorted([viewIds.chat, ...Object.values(panelTypes)].map((it) => `onWebviewPanel:${it}`)),
    );
  });

  it('context keys', () => {
    const used = clauses.flatMap(keysOf).filter((key) => key.startsWith('switchboard.'));
    assert.deepEqual(sorted(used), sorted(Object.values(contextKeys)));
  });
});

describe('package.json is whole', () => {
  it('every when clause uses keys that somebody sets', () => {
    const known = (key: string) =>
      editorKeys.has(key) ||
      Object.values<string>(contextKeys).includes(key) ||
      (key.startsWith('config.') && Object.values<string>(settingIds).includes(key.slice('config.'.length)));
    assert.deepEqual(sorted(clauses.flatMap(keysOf).filter((key) => !known(key))), []);
  });

  it('menus and keys run commands that are there', () => {
    // The editor makes a command for each view that moves the focus there.
    const focus = Object.values(contributes.views).flatMap((it) => it.map(({ id }) => `${id}.focus`));
    const commands = [...contributes.commands.map((it) => it.command), ...focus];
    const used = [...Object.values(contributes.menus).flat(), ...(contributes.keybindings ?? [])].flatMap(
      (it) => it.command ?? [],
    );
    assert.deepEqual(sorted(used.filter((id) => id.startsWith('switchboard.') && !commands.includes(id))), []);
  });

  it('the palette has no place for a command that belongs in a title, and one condition at most', () => {
    const palette = contributes.menus['commandPalette'] ?? [];
    assert.ok(palette.every((it) => !('group' in it)));
    const ids = palette.map((it) => it.command);
    assert.deepEqual(
      ids.filter((id, at) => ids.indexOf(id) !== at),
      [],
    );
  });

  it('menus and welcome texts are of views that are there', () => {
    const views = Object.values(contributes.views).flatMap((it) => it.map(({ id }) => id));
    const named = [
      ...clauses.flatMap((it) => [...it.matchAll(/\bview == ([\w.-]+)/g)].map((found) => found[1] ?? '')),
      ...(contributes.viewsWelcome ?? []).map((it) => it.view),
    ];
    assert.deepEqual(sorted(named.filter((id) => !views.includes(id))), []);
  });

  it('a view with a welcome text has one for a folder that is not trusted', () => {
    const welcomes = contributes.viewsWelcome ?? [];
    const isShownUntrusted = (when = '') => !/(?<!!)\bisWorkspaceTrusted\b/.test(when);
    const shown = welcomes.filter((it) => isShownUntrusted(it.when)).map((it) => it.view);
    assert.deepEqual(sorted(shown), sorted(welcomes.map((it) => it.view)));
  });

  for (const language of ['', '.de', '.zh-cn']) {
    it(`every view offers the same button to trust the folder, and nothing else, in package.nls${language}.json`, () => {
      const texts = JSON.parse(readFileSync(join(projectRoot, `package.nls${language}.json`), 'utf8')) as Record<
        string,
        string
      >;
      const untrusted = (contributes.viewsWelcome ?? []).filter((it) => it.when === '!isWorkspaceTrusted');
      const links = untrusted.map(({ contents }) =>
        texts[contents.slice(1, -1)]?.match(/\[[^\]]*\]\([^)]*\)/g)?.join(),
      );
      assert.equal(new Set(links).size, 1, links.join('\n'));
      assert.match(links[0] ?? '', /^\[[^\]]+\]\(command:switchboard\.trust\.manage\)$/);
    });
  }

  it('every command is used by the code', () => {
    const code = sourcePaths(['src'])
      .filter((path) => !path.startsWith('src/manifest/'))
      .map(readSource)
      .join('\n');
    assert.deepEqual(
      Object.keys(commandIds).filter((key) => !new RegExp(`\\bcommandIds\\.${key}\\b`).test(code)),
      [],
    );
  });

  it('commands are registered with VS Code by their stubs alone', () => {
    assert.deepEqual(
      sourcePaths(['src']).filter((path) => readSource(path).includes('commands.registerCommand(')),
      ['src/activation/commandStubs.ts'],
    );
  });

  it('code writes no id of the manifest by hand, but a view in its own folder', async () => {
    const ids = [commandIds, viewIds, settingIds, contextKeys, panelTypes, toolProviderIds]
      .flatMap((it) => Object.values<string>(it))
      .filter((id) => id.includes('.'));
    const ofViews = (await treeDefinitions()).flatMap((view) =>
      [view.id, ...Object.keys(view.commands ?? {})]
        .filter((id) => !ids.includes(id))
        .map((id) => ({ id, home: `src/views/${folderOf(view.id)}/` })),
    );
    const found = sourcePaths(['src'])
      .filter((path) => !path.startsWith('src/manifest/'))
      .flatMap((path) => {
        const forbidden = [...ids, ...ofViews.filter((it) => !path.startsWith(it.home)).map((it) => it.id)];
        return forbidden.filter((id) => readSource(path).includes(`'${id}'`)).map((id) => `${path} ${id}`);
      });
    assert.deepEqual(found, []);
  });

  it('every text of package.json is in package.nls.json, and no other', () => {
    const used = [...text.matchAll(/"%([^%"]+)%"/g)].map((it) => it[1] as string);
    const there = Object.keys(JSON.parse(readFileSync(join(projectRoot, 'package.nls.json'), 'utf8')) as object);
    assert.deepEqual(sorted(there), sorted(used));
  });

  it('every text that the code and the pages hand to l10n is a key of the English bundle, and no other', () => {
    const { texts, computed } = textsInCode();
    // Titles of the agent's and the session's own come along with ours, which are found where they are made; texts of
    // definitions are found where `t` of the protocol marks them.
    assert.deepEqual(sorted(computed), [
      'media/admin/pages/servers/authFields.ts help',
      'media/admin/pages/servers/authFields.ts label',
      'media/chat/main.ts head.title',
      'media/chat/pickers.ts from.title',
      'media/chat/pickers.ts it.title',
      'media/chat/pickers.ts picker.title',
      'src/gateway/commands/addServer.ts description',
      'src/gateway/commands/addServer.ts help',
      'src/gateway/commands/addServer.ts label',
    ]);
    const bundle = readFileSync(join(projectRoot, 'media', 'l10n', 'bundle.l10n.json'), 'utf8');
    assert.deepEqual(sorted(Object.keys(JSON.parse(bundle) as object)), sorted(texts));
  });
});

describe('settings and telemetry', () => {
  it('1c-22 only what holds on every machine of a person is synchronized: looks, notifications, and rules', () => {
    const all = configurations.flatMap((it) =>
      Object.entries(it.properties as Record<string, { scope?: string; ignoreSync?: boolean }>),
    );
    const synchronized = all.flatMap(([key, { scope, ignoreSync }]) =>
      scope === 'machine' || ignoreSync ? [] : [key],
    );
    assert.deepEqual(sorted(synchronized), [
      'switchboard.authors.showInHover',
      'switchboard.chat.location',
      'switchboard.notifications.finished',
      'switchboard.notifications.inputNeeded',
      'switchboard.notifications.quietHours',
      'switchboard.notifications.system',
      'switchboard.permissions.rules',
    ]);
  });

  it('1c-27 nothing of ours sends telemetry: only a standalone gateway can, to the collector that its operator names', () => {
    const senders = /telemetry|analytics|sentry|posthog|segment|mixpanel|applicationinsights/i;
    const used = findInCode(['src', 'media'], (node) =>
      ts.isIdentifier(node) && /TelemetryLogger|isTelemetryEnabled/.test(node.text) ? node.text : undefined,
    );
    const { packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean }>;
    };
    const exporters = /^node_modules\/@opentelemetry\/[\w-]+$/;
    const shipped = Object.entries(packages).flatMap(([name, { dev }]) =>
      !dev && senders.test(name) && !exporters.test(name) ? [name] : [],
    );
    assert.deepEqual({ used, shipped }, { used: [], shipped: [] });
    // One file can export. It is loaded in one place, where options name a collector, and those of a window never do.
    const importing = (pattern: RegExp) =>
      findInCode(['src', 'media', 'sidecar'], (node) =>
        ts.isStringLiteral(node) && pattern.test(node.text) ? node.text : undefined,
      ).map((it) => it.split(':', 1)[0]);
    assert.deepEqual([...new Set(importing(/^@opentelemetry\//))], ['sidecar/gateway/activity/telemetry/otlp.ts']);
    assert.deepEqual(importing(/\/otlp\.ts$/), ['sidecar/gateway/activity/telemetry/exportCalls.ts']);
    assert.deepEqual(importing(/\/exportCalls\.ts$/), ['sidecar/gateway/gateway.ts']);
  });
});

function collectClauses(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(collectClauses);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    (key === 'when' || key === 'enablement') && typeof inner === 'string' ? [inner] : collectClauses(inner),
  );
}

/** The context keys of a clause: what is left of a comparison, both sides of `in`, or stands alone. Values and patterns are no keys. */
function keysOf(clause: string): string[] {
  return clause
    .split(/&&|\|\||[()]|\bin\b/)
    .map((term) => term.trim().replace(/^!/, '').trim())
    .filter((term) => term !== '' && term !== 'true' && term !== 'false' && !/^[/'"]/.test(term))
    .map((term) => /^([A-Za-z][\w.:-]*)/.exec(term)?.[1] ?? term);
}
