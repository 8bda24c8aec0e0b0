import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildEditorBundles, oneApi } from './editorBundles.mjs';
import { subsetFont } from './iconFont.mjs';
import { mergeChunks } from './mergeChunks.mjs';
import { noTlsTermination } from './noTlsTermination.mjs';
import { nodeModules, sidecarPackages, undiciBundle } from './packagesOnUse.ts';
import { packChat } from './packChat.ts';
import { sidecarEntry } from './sidecarEntry.mjs';
import { laterZod } from './zodLater.ts';
import { zodOnUse } from './zodOnUse.ts';
import { noJsonSchemas, oneZod, zodInParts } from './zodParts.mjs';

const root = dirname(fileURLToPath(import.meta.url));
process.chdir(root);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** One id in every bundle: `initialize` compares it, and hosts are ordered by it. */
const id = { version, builtAtMs: Date.now() };

/** @type {import('esbuild').BuildOptions} */
const common = {
  bundle: true,
  minify: true,
  sourcemap: true,
  metafile: true,
  legalComments: 'external',
  logLevel: 'warning',
  mainFields: ['module', 'main'],
  define: { __BUILD__: JSON.stringify(id) },
};

/** Stands for the sidecar's first file, which is not bundled. */
const virtualEntry = {
  name: 'sidecar-entry',
  setup(build) {
    build.onResolve({ filter: /^sidecar-entry$/ }, () => ({ path: 'sidecar-entry', namespace: 'entry' }));
    build.onLoad({ filter: /.*/, namespace: 'entry' }, () => ({
      contents: "import('./sidecar/main.ts')",
      resolveDir: root,
    }));
  },
};

/** The host's protocol for others: the room by its names, and the reducer with this program's clock. */
const protocolEntry = [
  ...globSync('sidecar/protocol/**/*.ts')
    .map((it) => it.replaceAll('\\', '/'))
    .filter((it) => !it.startsWith('sidecar/protocol/gateway/'))
    .sort()
    .map((it) => `export * from './${it}';`),
  "import { reducerOf } from './sidecar/protocol/reduce.ts';",
  'export const reduce = reducerOf(() => new Date().toISOString());',
].join('\n');

/** From `dist/sidecar`, where all chunks lie; see `copyNative`. */
const nativeModule = {
  name: 'native-module',
  setup(build) {
    build.onResolve({ filter: /^node-pty$/ }, () => ({ path: '../native/node-pty/lib/index.js', external: true }));
  },
};

/**
 * Keeps only the icons that a page names. Most rules in the editor's icon style sheet are for icons that no page uses.
 * @param page the folder of the page's source
 * @param loader for the font: `dataurl` puts it into the page, so that no request has to wait for it
 */
function usedIcons(page, loader) {
  const rule = /^\.codicon-([a-z0-9-]+):before \{ content: "\\([0-9a-f]+)" \}\n?/gm;
  const named = new Set(
    globSync(`media/{shared,${page}}/**/*.{ts,css}`).flatMap((it) =>
      [...readFileSync(it, 'utf8').matchAll(/(?<=['"`]|codicon-)[a-z][a-z0-9-]*(?!\w)/g)].map(([name]) => name),
    ),
  );
  const isNamed = (name) => named.has(name);
  return {
    name: 'used-icons',
    setup(build) {
      build.onLoad({ filter: /codicon\.css$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8').replace(rule, (whole, name) => (isNamed(name) ? whole : '')),
        loader: 'css',
      }));
      build.onLoad({ filter: /codicon\.ttf$/ }, ({ path }) => {
        const rules = readFileSync(path.replace(/ttf$/, 'css'), 'utf8').matchAll(rule);
        const characters = [...rules].flatMap(([, name, code]) => (isNamed(name) ? [Number.parseInt(code, 16)] : []));
        return { contents: subsetFont(readFileSync(path), new Set(characters)), loader };
      });
    },
  };
}

/** Uses the browser's table of entities in place of a package that contains one. */
const ownEntities = {
  name: 'own-entities',
  setup(build) {
    build.onResolve({ filter: /^entities$/ }, () => ({ path: join(root, 'media', 'shared', 'entities.ts') }));
  },
};

/** Alerts by email have no attachments, so the table of file types is never read. */
const noAttachments = {
  name: 'no-attachments',
  setup(build) {
    build.onLoad({ filter: /nodemailer[\\/]dist[\\/]esm[\\/]mime-funcs[\\/]mime-types\.js$/ }, () => ({
      contents: `export const detectMimeType = () => 'application/octet-stream';
export const detectExtension = () => 'bin';`,
    }));
  },
};

/** A bundle that a page loads on demand. It shares no code with the script that is part of the page. */
const onDemand = {
  name: 'on-demand',
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: `./${basename(path, '.ts')}.js`, external: true } : undefined,
    );
  },
};

/** For bundles that VS Code's extension host loads. */
const inEditor = { format: 'cjs', platform: 'node', target: 'node22', external: ['vscode'], plugins: [oneApi] };

/** The window is loaded with the first view or command. The others are loaded when they are first used. */
const editorBundles = [
  'window',
  'languageclient',
  'oauth',
  'remote',
  'jsonc',
  'customizations',
  'worktrees',
  'sessions',
  'chatturns',
  'chattexts',
  'attach',
  'review',
  'diagnostics',
  'approvals',
  'addagent',
  'gateway',
];

/** A bundle that pages load on demand. It is built from the source file with the same name. */
const onPage = (name) => ({
  name: `media/${name}`,
  entryPoints: { [name]: `media/shared/${name}.ts` },
  outdir: 'dist/media',
  format: 'esm',
  platform: 'browser',
  target: 'chrome130',
});

/** Every role begins with these. */
const run = ['sidecar/main.ts'];
/** What each role of the sidecar imports until it works. The entry and `main.ts` stay apart: they wait for the role to end. */
const sidecarRoles = {
  relay: [
    ...run,
    'sidecar/launch/command/readLimits.ts',
    'sidecar/launch/attach/findHost.ts',
    'sidecar/launch/attach/relay.ts',
  ],
  launch: [...run, 'sidecar/launch/attach/launcher.ts'],
  starting: [...run, 'sidecar/launch/host/hostRole.ts'],
  host: [...run, 'sidecar/launch/host/hostRole.ts', 'sidecar/host/host.ts'],
  openHost: ['sidecar/host/host.ts'],
  gateway: [
    ...run,
    'sidecar/launch/gateway/gatewayRole.ts',
    'sidecar/gateway/editions/roles.ts',
    'sidecar/gateway/editions/standalone.ts',
  ],
  servers: ['sidecar/gateway/management/servers/crud.ts'],
  import: [
    ...run,
    'sidecar/launch/gateway/importRole.ts',
    'sidecar/gateway/editions/roles.ts',
    'sidecar/gateway/configuration/import/importFile.ts',
  ],
  serve: [...run, 'sidecar/launch/serve/serveRole.ts'],
  token: [...run, 'sidecar/launch/serve/tokenRole.ts'],
  ask: [...run, 'sidecar/launch/attach/askHost.ts'],
  bridge: [...run, 'sidecar/launch/bridgeRole.ts'],
  awsSignature: ['signature-v4', 'hash-node'].map((it) => `node_modules/@smithy/${it}/dist-es/index.js`),
  awsCredentials: ['node_modules/@aws-sdk/credential-providers/dist-es/index.js'],
};

/** With what else is packaged, less than the limit of files in a package (`marketplace.ts`), and some to spare. */
const sidecarFiles = 36;

/** Of a program beside the sidecar: it shares no code with it at run time. */
const alone = {
  outdir: 'dist/sidecar',
  format: 'esm',
  platform: 'node',
  target: 'node22',
  outExtension: { '.js': '.mjs' },
  plugins: [nodeModules],
};

/** Name, and how it is built. */
const bundles = [
  { name: 'extension', entryPoints: ['src/extension.ts'], outfile: 'dist/extension.cjs', ...inEditor, define: {} },
  {
    name: 'sidecar',
    entryPoints: [{ in: 'sidecar-entry', out: 'main' }],
    outdir: 'dist/sidecar',
    format: 'esm',
    platform: 'node',
    target: 'node22',
    splitting: true,
    chunkNames: 'chunk-[hash]',
    outExtension: { '.js': '.mjs' },
    plugins: [virtualEntry, nativeModule, ...sidecarPackages, noAttachments, zodInParts, oneZod, ...laterZod],
  },
  {
    name: 'sidecar/search',
    entryPoints: { searchWorker: 'sidecar/host/storage/search/searchWorker.ts' },
    ...alone,
  },
  undiciBundle,
  {
    name: 'sidecar/sandbox',
    entryPoints: { sandboxOwner: 'sidecar/platform/sandbox/sandboxOwner.ts' },
    ...alone,
    plugins: [nodeModules, noTlsTermination],
  },
  {
    name: 'protocol',
    stdin: {
      contents: protocolEntry,
      resolveDir: root,
      sourcefile: 'protocol.ts',
    },
    outfile: 'dist/protocol.mjs',
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
  },
  {
    name: 'media/chat',
    entryPoints: { chat: 'media/chat/main.ts' },
    outdir: 'dist/media',
    format: 'iife', // runs as it is added to a page, where a module would run later
    banner: { js: '"use strict";' }, // as in a module
    platform: 'browser',
    mainFields: ['browser', 'module', 'main'],
    target: 'chrome130',
    loader: { '.svg': 'text' },
    plugins: [usedIcons('chat', 'dataurl'), ownEntities, onDemand],
  },
  onPage('grammars'),
  onPage('mathml'),
  {
    name: 'media/admin',
    entryPoints: { admin: 'media/admin/main.ts' },
    outdir: 'dist/media/admin',
    format: 'esm',
    platform: 'browser',
    mainFields: ['browser', 'module', 'main'],
    target: 'chrome130',
    assetNames: '[name]',
    plugins: [usedIcons('admin', 'file')],
  },
];

const built = bundles.map(async ({ name, ...options }) => [name, (await build({ ...common, ...options })).metafile]);
// The bundler runs in a process of its own, so the table is made while it works.
const { conformanceTable } = await import('./test/requirements/conformance.ts');
const conformance = conformanceTable();
const metafiles = Object.fromEntries(await Promise.all(built));
metafiles.editor = await buildEditorBundles(editorBundles, {
  ...common,
  ...inEditor,
  define: { ...common.define, __CHAT_DIGESTS__: JSON.stringify(packChat()) },
  plugins: [noJsonSchemas, zodOnUse],
});
await mergeChunks(
  metafiles.sidecar,
  {
    starts: sidecarRoles,
    waited: { openHost: 10_000, gateway: 5_000 },
    most: sidecarFiles,
    entry: 'entry:sidecar-entry',
    apart: ['sidecar/main.ts'],
  },
  {
    ...common,
    platform: 'node',
    target: 'node22',
    legalComments: 'none',
  },
);

writeSidecarEntry();
mergeNotices();

const native = [...copyNative(), ...copySeccomp()];
await writeConfigSchema();
writeFileSync('dist/conformance.md', conformance);
writeFileSync('dist/meta.json', JSON.stringify(metafiles));

// Chunks of earlier builds would be packaged too.
const copied = ['dist/media/chat.parts', 'dist/meta.json', 'dist/conformance.md', 'dist/switchboard.schema.json'];
const written = new Set([...copied, ...native, ...Object.values(metafiles).flatMap((it) => Object.keys(it.outputs))]);
for (const path of globSync('dist/**/*.*').map((it) => it.replaceAll('\\', '/'))) {
  if (!written.has(path) && !path.startsWith('dist/packages/')) rmSync(path);
}
process.stdout.write(`build: ${Object.keys(metafiles).join(', ')} (${id.version}, ${id.builtAtMs})\n`);

function writeSidecarEntry() {
  const { outputs } = metafiles.sidecar;
  const [main] = Object.entries(outputs).find(([, it]) => it.entryPoint === 'sidecar/main.ts');
  const text = sidecarEntry(basename(main), id.builtAtMs);
  const path = 'dist/sidecar/main.mjs';
  writeFileSync(path, text);
  outputs[path] = { ...outputs[path], bytes: text.length, imports: [{ path: main, kind: 'dynamic-import' }] };
  delete outputs[`${path}.map`];
}

/** The notices of packages in the sidecar, which lay beside the chunks that were merged. */
function mergeNotices() {
  const { outputs } = metafiles.sidecar;
  const paths = Object.keys(outputs).filter((it) => it.endsWith('.LEGAL.txt'));
  const text = paths.map((it) => readFileSync(it, 'utf8')).join('\n');
  for (const it of paths) delete outputs[it];
  const path = 'dist/sidecar/main.mjs.LEGAL.txt';
  writeFileSync(path, text);
  outputs[path] = { bytes: text.length, inputs: {}, imports: [], exports: [] };
}

/**
 * The one native module, for every platform: it looks for its binaries beside its own code, so it is not bundled. Each
 * package takes the binaries of its own target.
 */
function copyNative() {
  const source = dirname(fileURLToPath(import.meta.resolve('node-pty/package.json')));
  const paths = ['package.json', 'LICENSE', 'lib/**/*.js', 'prebuilds/**'].flatMap((it) =>
    globSync(it, { cwd: source, withFileTypes: true }).filter(
      (found) => found.isFile() && !found.name.endsWith('.pdb'),
    ),
  );
  return paths.map((found) => {
    const from = join(found.parentPath, found.name);
    const to = join('dist', 'native', 'node-pty', relative(source, from)).replaceAll('\\', '/');
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
    return to;
  });
}

/** The programs that block local sockets in a sandbox on Linux, where the library looks for them: beside its bundle. */
function copySeccomp() {
  const source = fileURLToPath(import.meta.resolve('@anthropic-ai/sandbox-runtime')).replaceAll('\\', '/');
  const from = source.slice(0, source.lastIndexOf('/dist/'));
  const programs = ['x64', 'arm64'].map((it) => `seccomp/${it}/apply-seccomp`);
  const files = [['LICENSE', 'seccomp/LICENSE'], ...programs.map((it) => [`vendor/${it}`, it])];
  return files.map(([path, name]) => {
    const to = `dist/sidecar/vendor/${name}`;
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(from, path), to);
    return to;
  });
}

/** The schema of the configuration file comes from the code that reads it. Built first: an older Node runs no TypeScript. */
async function writeConfigSchema() {
  const { outputFiles } = await build({
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    mainFields: common.mainFields,
    entryPoints: ['sidecar/gateway/configuration/jsonSchema.ts'],
  });
  const source = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`;
  const { configJsonSchema } = await import(source);
  writeFileSync('dist/switchboard.schema.json', `${JSON.stringify(configJsonSchema())}\n`);
}
