import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';

const SHARED = 'dist/shared.cjs';

/**
 * Makes all modules use VS Code's API itself. esbuild copies its hundreds of members for each module that imports it, which took a
 * third of the time in which the window's bundle loads. The replacement has the same length, so source maps stay correct.
 */
export const oneApi = {
  name: 'one-api',
  setup(build) {
    const { outfile } = build.initialOptions;
    build.onEnd(({ errors }) => {
      if (errors.length > 0) return;
      const copied = /[\w$]+\((require\("vscode"\)),1\)/g;
      const text = readFileSync(outfile, 'utf8').replace(copied, (whole, api) => api.padEnd(whole.length));
      if (text.includes('(require("vscode")')) throw new Error(`${outfile} copies VS Code's API`);
      writeFileSync(outfile, text);
    });
  },
};

/**
 * Builds the bundles that VS Code's extension host loads after the activation stubs. Code that several of them use is only in
 * `dist/shared.cjs`, which the window's bundle loads first. esbuild splits only ES modules, but VS Code loads CommonJS, so the
 * chunks of a split build are bundled again here.
 *
 * @param {readonly string[]} names of the sources in `src` and of the bundles
 * @param {import('esbuild').BuildOptions} options for each bundle
 * @returns {Promise<import('esbuild').Metafile>}
 */
export async function buildEditorBundles(names, options) {
  const split = await build({
    ...options,
    entryPoints: Object.fromEntries(names.map((it) => [it, `src/${it}.ts`])),
    outdir: 'dist',
    format: 'esm',
    splitting: true,
    chunkNames: 'chunk-[hash]',
    outExtension: { '.js': '.mjs' },
    legalComments: 'inline',
    // Applied in `write`. Here, esbuild would put the value into a module that the bundles share.
    define: {},
    write: false,
  });
  const { outputs } = split.metafile;
  const texts = new Map(split.outputFiles.map((it) => [basename(it.path), it.text]));
  const chunks = Object.keys(outputs).filter((it) => /\/chunk-\w+\.mjs$/.test(it));
  const usedNames = namesUsed();
  const metafile = { inputs: split.metafile.inputs, outputs: {} };

  const contents = chunks.map((it) => `export {${shared(it, 'out')}} from './${basename(it)}';`).join('\n');
  const inputs = Object.assign({}, ...chunks.map((it) => outputs[it].inputs));
  await write(SHARED, { contents, sourcefile: 'shared.mjs' }, { inputs }, true);
  for (const name of names) {
    const { inputs, entryPoint } = outputs[`dist/${name}.mjs`];
    const stdin = { contents: withSourceMap(`${name}.mjs`), sourcefile: `${name}.mjs` };
    await write(`dist/${name}.cjs`, stdin, { inputs, entryPoint }, false);
  }
  return metafile;

  async function write(outfile, stdin, facts, isShared) {
    const result = await build({
      ...options,
      stdin: { ...stdin, resolveDir: 'dist' },
      outfile,
      format: 'cjs',
      plugins: [{ name: 'chunks', setup: (it) => resolveChunks(it, isShared) }, oneApi],
    });
    for (const [path, output] of Object.entries(result.metafile.outputs)) metafile.outputs[path] = output;
    const { bytes, imports } = result.metafile.outputs[outfile];
    const located = imports.map((it) => (it.path === `./${basename(SHARED)}` ? { path: SHARED, kind: it.kind } : it));
    metafile.outputs[outfile] = { bytes, exports: [], ...facts, imports: located };
  }

  function resolveChunks(it, isShared) {
    it.onResolve({ filter: /^\.\/chunk-\w+\.mjs$/ }, ({ path }) => ({
      path: basename(path),
      namespace: isShared ? 'chunk' : 'shared',
    }));
    it.onResolve({ filter: /^\.\/shared\.cjs$/ }, ({ path }) => ({ path, external: true }));
    it.onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path }) => ({
      contents: withSourceMap(path),
      resolveDir: 'dist',
    }));
    it.onLoad({ filter: /.*/, namespace: 'shared' }, ({ path }) => ({
      contents: `export {${shared(path, 'in')}} from './${basename(SHARED)}';`,
      resolveDir: 'dist',
    }));
  }

  /** For each chunk, the names that the bundles import from it. */
  function namesUsed() {
    const used = new Map(chunks.map((it) => [basename(it), new Set()]));
    for (const name of names)
      for (const [, list, chunk] of texts.get(`${name}.mjs`).matchAll(/\bimport\{([^}]*)\}from"\.\/(chunk-\w+\.mjs)"/g))
        for (const it of list.split(',')) used.get(chunk).add(it.split(' as ')[0]);
    return used;
  }

  /** All chunks become one file. The number of the chunk keeps the exported names distinct. */
  function shared(chunk, direction) {
    const at = chunks.findIndex((it) => basename(it) === basename(chunk));
    const names = [...usedNames.get(basename(chunk))];
    return names.map((it) => (direction === 'out' ? `${it} as ${it}${at}` : `${it}${at} as ${it}`)).join(',');
  }

  function withSourceMap(name) {
    const map = Buffer.from(texts.get(`${name}.map`)).toString('base64');
    const comment = `//# sourceMappingURL=data:application/json;base64,${map}\n`;
    return texts.get(name).replace(/\/\/# sourceMappingURL=.*\s*$/, comment);
  }
}
