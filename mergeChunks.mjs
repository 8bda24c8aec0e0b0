import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { build } from 'esbuild';

/**
 * Puts the chunks of a split bundle that are always loaded together into one file. Splitting makes a chunk for every set of
 * dynamic imports that share some code, and a start opens, resolves and compiles fifty of them: that took longer than what is
 * in them. What stays of a merged chunk passes its names on, for the few that are loaded later and ask for it.
 *
 * @param {import('esbuild').Metafile} metafile of the split bundle; brought in line with what is written
 * @param {Readonly<Record<string, readonly string[]>>} starts by role: the sources that it imports until it works
 * @param {string} entry what an older Node reads too: it stays as it is, with all that is loaded with it
 * @param {readonly string[]} apart sources whose chunks stay as they are
 * @param {import('esbuild').BuildOptions} options of the split bundle
 */
export async function mergeChunks(metafile, { starts, entry, apart }, options) {
  const { outputs } = metafile;
  const chunkOf = (source) => Object.keys(outputs).find((it) => outputs[it].entryPoint === source);
  const fixed = new Set([...closure(outputs, [chunkOf(entry)]), ...apart.map(chunkOf)]);
  const rolesOf = new Map();
  for (const [role, sources] of Object.entries(starts)) {
    for (const path of closure(outputs, sources.map(chunkOf)))
      if (!fixed.has(path)) rolesOf.set(path, [...(rolesOf.get(path) ?? []), role]);
  }
  const groups = Map.groupBy(rolesOf.keys(), (path) => rolesOf.get(path).join('-'));
  const groupOf = new Map();
  for (const paths of groups.values()) {
    if (paths.length === 1) continue;
    // The name of a chunk has the hash of what is in it.
    const hash = createHash('sha256').update(paths.toSorted().join()).digest('hex').slice(0, 8).toUpperCase();
    for (const path of paths) groupOf.set(basename(path), { path, file: `chunk-${hash}.mjs` });
  }

  const texts = new Map(); // read before any is written over
  for (const { path } of groupOf.values()) texts.set(basename(path), readFileSync(path, 'utf8'));
  for (const file of new Set([...groupOf.values()].map((it) => it.file))) {
    const chunks = [...groupOf].filter(([, it]) => it.file === file).map(([name, it]) => ({ name, path: it.path }));
    await mergeInto(file, chunks);
  }
  for (const [name, { path, file }] of groupOf) {
    const stub = passedOn(name, file);
    writeFileSync(path, stub);
    outputs[path].bytes = stub.length;
    delete outputs[`${path}.map`];
  }

  for (const source of apart) await writeAnew(chunkOf(source));

  async function mergeInto(file, chunks) {
    const folder = dirname(chunks[0].path);
    const contents = chunks.map(({ name }) => exported(name)).join('\n');
    const merged = await write(`${folder}/${file}`, { contents, sourcefile: 'merged.mjs' });
    const sources = {};
    for (const { path } of chunks) Object.assign(sources, outputs[path].inputs);
    outputs[`${folder}/${file}`] = { ...merged, inputs: sources, exports: [] };
    for (const { path } of chunks) {
      const imports = [{ path: `${folder}/${file}`, kind: 'import-statement' }];
      outputs[path] = { ...outputs[path], inputs: {}, imports };
    }
  }

  /** A chunk that stays, over the merged ones. */
  async function writeAnew(path) {
    const contents = withSourceMap(path, readFileSync(path, 'utf8'));
    const { imports, bytes } = await write(path, { contents, sourcefile: basename(path) });
    outputs[path] = { ...outputs[path], imports, bytes };
  }

  async function write(outfile, stdin) {
    const folder = dirname(outfile);
    const result = await build({
      ...options,
      stdin: { ...stdin, resolveDir: folder },
      outfile,
      allowOverwrite: true,
      plugins: [{ name: 'chunks', setup: (it) => resolveChunks(it, basename(outfile), folder) }],
    });
    outputs[`${outfile}.map`] = result.metafile.outputs[`${outfile}.map`];
    const output = result.metafile.outputs[outfile];
    const isOurs = (it) => it.path.startsWith('./');
    const imports = output.imports.map((it) =>
      isOurs(it) ? { path: `${folder}/${basename(it.path)}`, kind: it.kind } : it,
    );
    return { ...output, imports };
  }

  function resolveChunks(it, file, folder) {
    it.onResolve({ filter: /^\.\/[^/]*\.mjs$/ }, ({ path, kind }) => {
      const name = basename(path);
      const group = groupOf.get(name);
      if (kind === 'dynamic-import' || !group) return { path, external: true };
      return { path: name, namespace: group.file === file ? 'merged' : 'elsewhere' };
    });
    it.onLoad({ filter: /.*/, namespace: 'merged' }, ({ path: name }) => ({
      contents: withSourceMap(groupOf.get(name).path, texts.get(name)),
      resolveDir: folder,
    }));
    it.onLoad({ filter: /.*/, namespace: 'elsewhere' }, ({ path: name }) => ({
      contents: passedOn(name, groupOf.get(name).file),
      resolveDir: folder,
    }));
  }

  function exported(name) {
    const names = outputs[groupOf.get(name).path].exports.map((it) => `${it} as ${prefixed(name, it)}`);
    return `export {${names.join(',')}} from './${name}';`;
  }

  function passedOn(name, file) {
    const names = outputs[groupOf.get(name).path].exports.map((it) => `${prefixed(name, it)} as ${it}`);
    return `export{${names.join(',')}}from"./${file}";\n`;
  }
}

function prefixed(chunk, name) {
  return `_${chunk.slice('chunk-'.length, -'.mjs'.length)}_${name}`;
}

function withSourceMap(path, text) {
  const map = readFileSync(`${path}.map`).toString('base64');
  return text.replace(/\/\/# sourceMappingURL=.*\s*$/, `//# sourceMappingURL=data:application/json;base64,${map}\n`);
}

/** What is loaded with these files. */
function closure(outputs, paths) {
  const found = new Set();
  const add = (path) => {
    if (found.has(path) || !outputs[path]) return;
    found.add(path);
    for (const it of outputs[path].imports) if (it.kind === 'import-statement') add(it.path);
  };
  for (const it of paths) add(it);
  return found;
}
