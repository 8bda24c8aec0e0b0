import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { filesFor, packagedFiles, weights } from '../../vsix.ts';
import { projectRoot } from '../support/cache.ts';

const read = (name: string) => readFileSync(join(projectRoot, name), 'utf8');
const meta = JSON.parse(read('dist/meta.json')) as Record<string, { outputs: Record<string, Output> }>;
const outputs = Object.assign({}, ...Object.values(meta).map((it) => it.outputs)) as Record<string, Output>;

const HOST = 'sidecar/host/host.ts';

interface Output {
  readonly bytes: number;
  readonly inputs: Record<string, unknown>;
  readonly imports: readonly { path: string; kind: string; external?: boolean }[];
}

/** Members that only proposed API has. The npm-delivered VS Code lets them through, so nothing else would notice. */
const proposed = [
  'registerChatSessionItemProvider',
  'registerChatSessionContentProvider',
  'createChatSessionItemController',
  'registerChatContextProvider',
  'registerChatWorkspaceContextProvider',
  'registerChatOutputRenderer',
  'createChatStatusItem',
  'registerChatSessionCustomizationProvider',
  'startMcpGateway',
  'mcpServerDefinitions',
  'TabInputTextMultiDiff',
  'registerQuickDiffProvider',
  'registerSourceControlHistoryItemDetailsProvider',
  'historyProvider',
  'onDidChangeActiveCommentThread',
  'onDidChangeActiveItem',
  'onDidWriteTerminalData',
  'registerTerminalCompletionProvider',
  'getAuthIssuers',
  'requestWorkspaceTrust',
  'findTextInFiles',
  'registerTextSearchProvider',
  'registerFileSearchProvider',
  'createWebviewTextEditorInset',
  'registerTimelineProvider',
  'isMeteredConnection',
  'registerRemoteAuthorityResolver',
  'openTunnel',
  'valueSelection',
];

describe('bundles', () => {
  for (const bundle of [
    'dist/extension.cjs',
    'dist/window.cjs',
    'dist/shared.cjs',
    'dist/languageclient.cjs',
    'dist/oauth.cjs',
    'dist/remote.cjs',
    'dist/jsonc.cjs',
    'dist/customizations.cjs',
    'dist/worktrees.cjs',
    'dist/sessions.cjs',
    'dist/chatturns.cjs',
    'dist/chattexts.cjs',
    'dist/attach.cjs',
    'dist/review.cjs',
    'dist/diagnostics.cjs',
    'dist/addagent.cjs',
    'dist/approvals.cjs',
    'dist/gateway.cjs',
  ]) {
    it(`${bundle} uses no proposed API`, () => {
      const code = read(bundle);
      assert.deepEqual(
        proposed.filter((name) => new RegExp(`[.?]${name}\\b|\\b${name}:`).test(code)),
        [],
      );
    });
  }

  it('package.json asks for no proposed API', () => {
    assert.equal('enabledApiProposals' in (JSON.parse(read('package.json')) as object), false);
  });

  it('all bundles carry one build id', () => {
    const ids = ['dist/window.cjs', 'dist/sidecar'].flatMap((it) => {
      const files = it.endsWith('.cjs')
        ? [it]
        : Object.keys(outputs).filter((path) => path.startsWith(it) && /\.[cm]js$/.test(path));
      return files.flatMap((path) =>
        [...read(path).matchAll(/builtAtMs:(\d[\de]*)/g)].map((found) => Number(found[1])),
      );
    });
    assert.ok(ids.length >= 2, 'window and sidecar both know their build');
    assert.equal(new Set(ids).size, 1);
  });

  it('the window loads without the language client, whose bundle comes after the views', () => {
    assert.deepEqual(
      ['dist/window.cjs', 'dist/shared.cjs'].flatMap(inputsOf).filter((it) => it.includes('vscode-languageclient')),
      [],
    );
  });

  it('the extension starts with the activation stubs alone: no package, no protocol, no window', () => {
    assert.deepEqual(
      inputsOf('dist/extension.cjs').filter(
        (it) => !/^src\/(extension|activation|manifest|client\/contentUris)/.test(it),
      ),
      [],
    );
  });

  it('no source is in two bundles of the editor, because shared code is in dist/shared.cjs', () => {
    const bundles = Object.keys(outputs).filter((it) => /^dist\/\w+\.cjs$/.test(it) && it !== 'dist/extension.cjs');
    const holders = Map.groupBy(
      bundles.flatMap((bundle) => inputsOf(bundle).map((source) => ({ bundle, source }))),
      (it) => it.source,
    );
    const twice = [...holders].filter(([, { length }]) => length > 1).map(([source]) => source);
    assert.deepEqual(twice, []);
    assert.ok(inputsOf('dist/shared.cjs').some((it) => it.includes('node_modules/zod/')));
  });

  for (const { path, bytes, limit } of weights()) {
    it(`${path} stays within its budget of ${limit.toLocaleString('en')} bytes`, () => {
      assert.ok(bytes <= limit, `${bytes.toLocaleString('en')} bytes`);
    });
  }

  it("the chat page's script is whole in the page: what it imports it loads later, from beside it", () => {
    const { imports } = outputs['dist/media/chat.js'] ?? { imports: [] };
    assert.deepEqual(
      imports.map((it) => [it.path, it.kind]),
      [
        ['./grammars.js', 'dynamic-import'],
        ['./mathml.js', 'dynamic-import'],
      ],
    );
  });

  for (const source of ['sidecar/main.ts', HOST]) {
    it(`${source} starts without the SDK of any agent and without WebSockets`, () => {
      const chunk = Object.entries(outputs).find(
        ([path, it]) => path.startsWith('dist/sidecar/') && source in it.inputs,
      )?.[0];
      assert.ok(chunk, 'it is in a chunk');
      assert.deepEqual(
        staticInputs(chunk).filter((it) => /@agentclientprotocol|node_modules\/ws\/|transport\/webSocket/.test(it)),
        [],
      );
    });
  }

  it('the host starts from at most 30 files, since each has to be found, opened and compiled', () => {
    const files = new Set<string>();
    for (const source of ['entry:sidecar-entry', 'sidecar/main.ts', 'sidecar/launch/host/hostRole.ts', HOST]) {
      const [path = ''] =
        Object.entries(outputs).find(([it, { inputs }]) => it.startsWith('dist/sidecar/') && source in inputs) ?? [];
      assert.ok(path, `${source} is in a chunk`);
      staticInputs(path, files);
    }
    assert.ok(files.size <= 30, [...files].join(', '));
  });

  it('the sidecar has no file that only passes on what others hold', () => {
    const small = Object.entries(outputs).filter(([path, it]) => isOwnCode(path) && it.bytes < 1_000);
    assert.deepEqual(
      small.map(([path, it]) => `${path}: ${it.bytes}`),
      [],
    );
  });

  it('the native module stays outside, beside its binaries', () => {
    const holding = Object.entries(outputs).filter(([, it]) =>
      Object.keys(it.inputs).some((one) => /node-pty/.test(one)),
    );
    assert.deepEqual(holding, []);
    const importing = Object.values(outputs).flatMap((it) => it.imports.filter((one) => one.path.includes('node-pty')));
    assert.deepEqual(
      importing.map((it) => [it.path, it.kind, it.external]),
      [['../native/node-pty/lib/index.js', 'dynamic-import', true]],
    );
  });

  it("the sidecar imports none of Node's own modules by name, which would create all exports of each", () => {
    const importing = Object.entries(outputs).filter(
      ([path, { imports }]) => path.startsWith('dist/sidecar/') && imports.some((it) => isBuiltin(it.path)),
    );
    assert.deepEqual(
      importing.map(([path]) => path),
      [],
    );
  });

  it("the chat page's script is strict where it runs as a plain script, too, as it is where it runs as a module", () => {
    assert.equal(read('dist/media/chat.js').slice(0, 13), '"use strict";');
  });
});

describe('the package', () => {
  const files = filesFor('linux-x64', packagedFiles());

  it('holds these files and no other', () => {
    const folded = new Set(
      files
        .map((it) => it.replace(/^dist\/sidecar\/chunk-\w+\.cjs$/, 'dist/sidecar/chunk-*.cjs'))
        .filter((it) => !isNotice(it)),
    );
    assert.deepEqual(
      [...folded].filter((it) => !/^media\/(icons|l10n|screenshots|walkthrough)\//.test(it)).sort(),
      expected,
    );
  });

  it('brings the pictures of its page along, and the page begins with one', () => {
    const page = readFileSync(join(projectRoot, 'MARKETPLACE.md'), 'utf8');
    const pictures = [...page.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map((it) => it[1] as string);
    assert.ok(page.startsWith('![') && pictures.length >= 3);
    assert.deepEqual(
      pictures.filter((it) => !files.includes(it)),
      [],
    );
  });

  it('brings the pictures of the walkthrough along', () => {
    const { contributes } = JSON.parse(read('package.json')) as Walkthroughs;
    const pictures = contributes.walkthroughs.flatMap((it) => it.steps.map(({ media }) => media.svg));
    assert.equal(pictures.length, 5);
    assert.deepEqual(files.filter((it) => it.startsWith('media/walkthrough/')).sort(), pictures.sort());
  });

  it('holds no source map, no TypeScript, no test and no dependency folder', () => {
    assert.deepEqual(
      files.filter((it) => /\.map$|\.ts$|^test|node_modules|\.vscode-test|\.db$/.test(it)),
      [],
    );
  });
});

interface Walkthroughs {
  readonly contributes: {
    readonly walkthroughs: readonly { readonly steps: readonly { readonly media: { readonly svg: string } }[] }[];
  };
}
/** What is loaded as code, of ours; each file has to be found, opened and compiled. */
const isOwnCode = (path: string) => /\.(?:cjs|mjs|js)$/.test(path) && !path.startsWith('dist/native/');

/** License notices that esbuild collects beside a bundle that has some. */
const isNotice = (path: string) => path.endsWith('.LEGAL.txt');
const expected = [
  'CHANGELOG.md',
  'LICENSE',
  'MARKETPLACE.md',
  'dist/addagent.cjs',
  'dist/approvals.cjs',
  'dist/attach.cjs',
  'dist/chattexts.cjs',
  'dist/chatturns.cjs',
  'dist/customizations.cjs',
  'dist/diagnostics.cjs',
  'dist/extension.cjs',
  'dist/gateway.cjs',
  'dist/jsonc.cjs',
  'dist/languageclient.cjs',
  'dist/media/admin/admin.css',
  'dist/media/admin/admin.js',
  'dist/media/admin/codicon.ttf',
  'dist/media/chat.parts',
  'dist/media/grammars.js',
  'dist/media/mathml.js',
  'dist/native/node-pty/LICENSE',
  'dist/native/node-pty/lib/conpty_console_list_agent.js',
  'dist/native/node-pty/lib/eventEmitter2.js',
  'dist/native/node-pty/lib/index.js',
  'dist/native/node-pty/lib/interfaces.js',
  'dist/native/node-pty/lib/shared/conout.js',
  'dist/native/node-pty/lib/terminal.js',
  'dist/native/node-pty/lib/types.js',
  'dist/native/node-pty/lib/unixTerminal.js',
  'dist/native/node-pty/lib/utils.js',
  'dist/native/node-pty/lib/windowsConoutConnection.js',
  'dist/native/node-pty/lib/windowsPtyAgent.js',
  'dist/native/node-pty/lib/windowsTerminal.js',
  'dist/native/node-pty/lib/worker/conoutSocketWorker.js',
  'dist/native/node-pty/package.json',
  'dist/native/node-pty/prebuilds/linux-x64/pty.node',
  'dist/oauth.cjs',
  'dist/protocol.mjs',
  'dist/remote.cjs',
  'dist/review.cjs',
  'dist/sessions.cjs',
  'dist/shared.cjs',
  'dist/sidecar/chunk-*.cjs',
  'dist/sidecar/main.mjs',
  'dist/sidecar/sandboxOwner.mjs',
  'dist/sidecar/searchWorker.mjs',
  'dist/sidecar/undici.cjs',
  'dist/sidecar/vendor/seccomp/LICENSE',
  'dist/sidecar/vendor/seccomp/x64/apply-seccomp',
  'dist/switchboard.schema.json',
  'dist/window.cjs',
  'dist/worktrees.cjs',
  'package.json',
  'package.nls.de.json',
  'package.nls.json',
  'package.nls.zh-cn.json',
];

function inputsOf(path: string): string[] {
  return Object.keys(outputs[path]?.inputs ?? {});
}

function staticInputs(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const next = outputs[path]?.imports.filter((it) => !it.external && it.kind === 'import-statement') ?? [];
  return [...inputsOf(path), ...next.flatMap((it) => staticInputs(it.path, seen))];
}
