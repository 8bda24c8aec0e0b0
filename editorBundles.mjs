import { basename } from 'node:path';
import { build } from 'esbuild';

const SHARED = 'dist/shared.cjs';

/**
 * Builds what VS Code's extension host loads after the activation stubs. What several of these bundles use is in
 * `dist/shared.cjs` alone: the window's bundle loads it, and those that come later find it loaded. esbuild splits ES modules
 * only, and VS Code loads CommonJS: the chunks of a split build are put together here.
 *
 * @param {readonly string[]} names of the sources in `src`, and of the bundles
 * @param {import('esbuild').BuildOptions} options of each bundle
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
    // Put in below: what is put in here would be a module that each of them starts.
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
      plugins: [{ name: 'chunks', setup: (it) => resolveChunks(it, isShared) }],
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

  /** By chunk: the names by which the bundles import from it. */
  function namesUsed() {
    const used = new Map(chunks.map((it) => [basename(it), new Set()]));
    for (const name of names)
      for (const [, list, chunk] of texts.get(`${name}.mjs`).matchAll(/\bimport\{([^}]*)\}from"\.\/(chunk-\w+\.mjs)"/g))
        for (const it of list.split(',')) used.get(chunk).add(it.split(' as ')[0]);
    return used;
  }

  /** The names of all chunks are those of one file: each has the number of its chunk behind it. */
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
