import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { build } from 'esbuild';
import { closure, groupsOf } from './chunkGroups.mjs';

/**
 * Puts the chunks of a split bundle that are loaded together into one file. Splitting makes a chunk for every set of
 * dynamic imports that share some code, and a start opens, resolves and compiles fifty of them: that took longer than what is
 * in them. No old chunk stays: who imported one imports from the file that it is in now, and who imported one later asks that
 * file for what the chunk exported.
 *
 * @param {import('esbuild').Metafile} metafile of the split bundle; brought in line with what is written
 * @param {Readonly<Record<string, readonly string[]>>} starts by role: the sources that it imports until it works
 * @param {Readonly<Record<string, number>>} waited by role that a person waits for: its weight, in place of that of a role
 * @param {number} most the number of files that may be left
 * @param {string} entry what an older Node reads too: it stays as it is, with all that is loaded with it
 * @param {readonly string[]} apart sources whose chunks stay files of their own
 * @param {import('esbuild').BuildOptions} options of the split bundle
 */
export async function mergeChunks(metafile, { starts, waited, most, entry, apart }, options) {
  const { outputs } = metafile;
  const chunkOf = (source) => Object.keys(outputs).find((it) => outputs[it].entryPoint === source);
  const fixed = new Set([...closure(outputs, [chunkOf(entry)]), ...apart.map(chunkOf)]);
  const chunks = Object.keys(outputs).filter((it) => it.endsWith('.mjs') && !fixed.has(it));
  const groups = groupsOf({ outputs, chunks, chunkOf }, { starts, waited, most });

  const groupOf = new Map(); // by name of a chunk
  const texts = new Map(); // read before any is written over
  for (const paths of groups) {
    // The name of a chunk has the hash of what is in it.
    const hash = createHash('sha256').update(paths.toSorted().join()).digest('hex').slice(0, 8).toUpperCase();
    for (const [at, path] of paths.entries()) {
      groupOf.set(basename(path), { path, at, file: `chunk-${hash}.mjs` });
      texts.set(basename(path), readFileSync(path, 'utf8'));
    }
  }
  const usedNames = namesAcross();
  const written = await Promise.all([
    ...groups.map((paths) => mergeInto(groupOf.get(basename(paths[0])).file, paths)),
    ...apart.map((it) => writeAnew(chunkOf(it))),
  ]);
  for (const it of chunks) for (const path of [it, `${it}.map`]) delete outputs[path];
  for (const [path, output] of written.flat()) outputs[path] = output;

  async function mergeInto(file, paths) {
    const folder = dirname(paths[0]);
    const contents = paths.map((it) => exported(it)).join('\n');
    const inputs = Object.assign({}, ...paths.map((it) => outputs[it].inputs));
    return write(`${folder}/${file}`, { contents, sourcefile: 'merged.mjs' }, { inputs, exports: [] });
  }

  /** A chunk that stays, over the merged ones. */
  async function writeAnew(path) {
    const { inputs, exports, entryPoint } = outputs[path];
    const contents = withSourceMap(path, readFileSync(path, 'utf8'));
    // With its line ends: a file that is one short line looks as if it were cut off.
    return write(path, { contents, sourcefile: basename(path) }, { inputs, exports, entryPoint }, { minify: false });
  }

  async function write(outfile, stdin, facts, more) {
    const folder = dirname(outfile);
    const result = await build({
      ...options,
      ...more,
      stdin: { ...stdin, resolveDir: folder },
      outfile,
      allowOverwrite: true,
      plugins: [{ name: 'chunks', setup: (it) => resolveChunks(it, basename(outfile), folder) }],
    });
    const { imports, bytes } = result.metafile.outputs[outfile];
    const located = imports.map((it) =>
      it.path.startsWith('./') ? { path: `${folder}/${basename(it.path)}`, kind: it.kind } : it,
    );
    const map = result.metafile.outputs[`${outfile}.map`];
    return [
      [outfile, { ...facts, bytes, imports: located }],
      [`${outfile}.map`, map],
    ];
  }

  function resolveChunks(it, file, folder) {
    it.onResolve({ filter: /.*/ }, ({ path, kind }) => {
      if (path === DOORS) return { path, namespace: 'doors' };
      const group = path.startsWith('./') ? groupOf.get(basename(path)) : undefined;
      // Packages that the split bundle left out stay out: the native module looks for its binaries beside its own code.
      if (kind === 'dynamic-import' || !group) return { path, external: true };
      return { path: basename(path), namespace: group.file === file ? 'merged' : 'elsewhere' };
    });
    it.onLoad({ filter: /.*/, namespace: 'doors' }, () => ({ contents: doors() }));
    it.onLoad({ filter: /.*/, namespace: 'merged' }, ({ path: name }) => ({
      contents: withSourceMap(groupOf.get(name).path, texts.get(name)),
      resolveDir: folder,
    }));
    it.onLoad({ filter: /.*/, namespace: 'elsewhere' }, ({ path: name }) => ({
      contents: passedOn(name, groupOf.get(name).file),
      resolveDir: folder,
    }));
  }

  /** By chunk: the names by which other files import from it. */
  function namesAcross() {
    const names = new Map();
    const stays = apart.map(chunkOf).map((path) => [undefined, readFileSync(path, 'utf8')]);
    const all = [...stays, ...[...texts].map(([name, text]) => [groupOf.get(name).file, text])];
    for (const [file, text] of all) {
      for (const [, list, name] of text.matchAll(/\bimport\{([^}]*)\}from"\.\/(chunk-\w+\.mjs)"/g)) {
        if (!groupOf.has(name) || groupOf.get(name).file === file) continue;
        for (const it of list.split(',')) names.set(name, (names.get(name) ?? new Set()).add(it.split(' as ')[0]));
      }
    }
    return names;
  }

  /** What others import of it by name, and all of it as one where it is imported later. */
  function exported(path) {
    const name = basename(path);
    const names = [...(usedNames.get(name) ?? [])].map((it) => `${it} as ${prefixed(name, it)}`);
    const whole = outputs[path].entryPoint === undefined ? '' : `export * as ${wholeOf(name)} from './${name}';`;
    return `export {${names.join(',')}} from './${name}';${whole}`;
  }

  function passedOn(name, file) {
    const names = [...(usedNames.get(name) ?? [])].map((it) => `${prefixed(name, it)} as ${it}`);
    return `export{${names.join(',')}}from"./${file}";\n`;
  }

  function prefixed(name, it) {
    return `${it}${groupOf.get(name).at}`;
  }
  function wholeOf(name) {
    return `_${groupOf.get(name).at}`;
  }

  /** What imports a chunk later, from the file that it is in. */
  function doors() {
    return [...groupOf]
      .filter(([, { path }]) => outputs[path].entryPoint !== undefined)
      .map(([name, { file }]) => {
        return `export const ${doorOf(name)} = () => import('./${file}').then((it) => it.${wholeOf(name)});`;
      })
      .join('\n');
  }

  /** With its source map inside, which stays right: a door is as long as the import in whose place it is called. */
  function withSourceMap(path, text) {
    const map = readFileSync(`${path}.map`).toString('base64');
    const used = new Set();
    const code = text.replace(/import\("\.\/(chunk-\w+\.mjs)"\)/g, (found, name) => {
      if (!groupOf.has(name)) return found;
      used.add(doorOf(name));
      return `${doorOf(name)}()`;
    });
    const imports = used.size === 0 ? '' : `import{${[...used].join(',')}}from"${DOORS}";\n`;
    return code.replace(
      /\/\/# sourceMappingURL=.*\s*$/,
      `${imports}//# sourceMappingURL=data:application/json;base64,${map}\n`,
    );
  }
}

const DOORS = 'doors';

/** As long as `import("./chunk-HASH.mjs")` without the parentheses of a call. */
function doorOf(chunk) {
  const hash = chunk.slice('chunk-'.length, -'.mjs'.length);
  return `_import_${hash}`.padEnd(`import("./${chunk}")`.length - 2, '_');
}
