import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { build } from 'esbuild';
import { groupsOf } from './chunkGroups.mjs';

/**
 * Puts the chunks of a split bundle that are loaded together into one file. Splitting makes a chunk for every set of
 * dynamic imports that share some code, and a start opens, resolves and compiles fifty of them: that took longer than what is
 * in them. No old chunk stays: who imported one imports from the file that it is in now, and who imported one later asks that
 * file for what the chunk exported. Each file is a script that the sidecar's entry runs (`sidecarEntry.mjs`).
 *
 * @param {import('esbuild').Metafile} metafile of the split bundle; brought in line with what is written
 * @param {Readonly<Record<string, readonly string[]>>} starts by role: the sources that it imports until it works
 * @param {Readonly<Record<string, number>>} waited by role that a person waits for: its weight, in place of that of a role
 * @param {number} most the number of files that may be left
 * @param {string} entry it stays as it is
 * @param {readonly string[]} apart sources whose chunks stay files of their own
 * @param {import('esbuild').BuildOptions} options of the split bundle
 */
export async function mergeChunks(metafile, { starts, waited, most, entry, apart }, options) {
  const { outputs } = metafile;
  const chunkOf = (source) => Object.keys(outputs).find((it) => outputs[it].entryPoint === source);
  const fixed = new Set([entry, ...apart].map(chunkOf));
  const chunks = Object.keys(outputs).filter((it) => it.endsWith('.mjs') && !fixed.has(it));
  const groups = groupsOf({ outputs, chunks, chunkOf }, { starts, waited, most });

  const groupOf = new Map(); // by name of a chunk
  const texts = new Map(); // read before any is written over
  for (const paths of groups) {
    // The name of a chunk has the hash of what is in it.
    const hash = createHash('sha256').update(paths.toSorted().join()).digest('hex').slice(0, 8).toUpperCase();
    for (const [at, path] of paths.entries()) {
      groupOf.set(basename(path), { path, at, file: `chunk-${hash}.cjs` });
      texts.set(basename(path), readFileSync(path, 'utf8'));
    }
  }
  const usedNames = namesAcross();
  const written = await Promise.all([
    ...groups.map((paths) => mergeInto(groupOf.get(basename(paths[0])).file, paths)),
    ...apart.map((it) => writeAnew(chunkOf(it))),
  ]);
  for (const it of [...chunks, ...apart.map(chunkOf)]) for (const path of [it, `${it}.map`]) delete outputs[path];
  for (const [path, output] of written.flat()) outputs[path] = output;

  async function mergeInto(file, paths) {
    const folder = dirname(paths[0]);
    const contents = providing(paths);
    const inputs = Object.assign({}, ...paths.map((it) => outputs[it].inputs));
    return write(`${folder}/${file}`, { contents, sourcefile: 'merged.mjs' }, { inputs, exports: [] });
  }

  /** A chunk that stays, over the merged ones. */
  async function writeAnew(path) {
    const { inputs, exports, entryPoint } = outputs[path];
    const contents = withSourceMap(path, readFileSync(path, 'utf8'));
    // With its line ends: a file that is one short line looks as if it were cut off.
    return write(
      `${dirname(path)}/${fileOf(path)}`,
      { contents, sourcefile: basename(path) },
      { inputs, exports, entryPoint },
      { minify: false },
    );
  }

  async function write(outfile, stdin, facts, more) {
    const folder = dirname(outfile);
    const statics = new Set();
    const result = await build({
      ...options,
      ...more,
      ...asScript,
      stdin: { ...stdin, resolveDir: folder },
      outfile,
      allowOverwrite: true,
      plugins: [{ name: 'chunks', setup: (it) => resolveChunks(it, basename(outfile), folder, statics) }],
    });
    const { imports, bytes } = result.metafile.outputs[outfile];
    // In the script, all of them are calls of `require`.
    const located = [...new Set(imports.map((it) => it.path))].map((path) => {
      const kind = statics.has(path) ? 'import-statement' : 'dynamic-import';
      return path.startsWith('./') ? { path: `${folder}/${basename(path)}`, kind } : { path, kind, external: true };
    });
    const map = result.metafile.outputs[`${outfile}.map`];
    return [
      [outfile, { ...facts, bytes, imports: located }],
      [`${outfile}.map`, map],
    ];
  }

  function resolveChunks(it, file, folder, statics) {
    it.onResolve({ filter: /.*/ }, ({ path, kind, namespace }) => {
      if (path === DOORS) return { path, namespace: 'doors' };
      const group = path.startsWith('./') ? groupOf.get(basename(path)) : undefined;
      // Packages that the split bundle left out stay out: the native module looks for its binaries beside its own code.
      if (namespace === 'elsewhere') statics.add(path);
      if (kind === 'dynamic-import' || !group) return { path, external: true };
      return { path: basename(path), namespace: group.file === file ? 'merged' : 'elsewhere' };
    });
    it.onLoad({ filter: /.*/, namespace: 'doors' }, () => ({ contents: doors() }));
    it.onLoad({ filter: /.*/, namespace: 'merged' }, ({ path: name }) => ({
      contents: withSourceMap(groupOf.get(name).path, texts.get(name)),
      resolveDir: folder,
    }));
    it.onLoad({ filter: /.*/, namespace: 'elsewhere' }, ({ path: name }) => ({
      contents: passedOn(name, file),
      resolveDir: folder,
    }));
  }

  /** By chunk: the names that other files import from it, by file. */
  function namesAcross() {
    const names = new Map();
    const stays = apart.map(chunkOf).map((path) => [fileOf(path), readFileSync(path, 'utf8')]);
    const all = [...stays, ...[...texts].map(([name, text]) => [groupOf.get(name).file, text])];
    for (const [file, text] of all) {
      for (const [, list, name] of text.matchAll(/\bimport\{([^}]*)\}from"\.\/(chunk-\w+\.mjs)"/g)) {
        if (!groupOf.has(name) || groupOf.get(name).file === file) continue;
        const ofName = names.get(name) ?? new Map();
        names.set(name, ofName.set(file, [...(ofName.get(file) ?? []), ...list.split(',').map(importedName)]));
      }
    }
    return names;
  }

  /** What others import of these chunks by name, and all of a chunk as one where it is imported later. */
  function providing(paths) {
    const lines = [];
    const members = [];
    for (const path of paths) {
      const name = basename(path);
      lines.push(`import './${name}';`);
      const fixed = fixedNames(texts.get(name));
      for (const it of new Set([...(usedNames.get(name)?.values() ?? [])].flat())) {
        const own = prefixed(name, it);
        lines.push(`import {${it} as ${own}} from './${name}';`);
        members.push(fixed.has(it) ? own : `get ${own}(){return ${own}}`);
      }
      if (outputs[path].entryPoint === undefined) continue;
      lines.push(`import * as ${wholeOf(name)} from './${name}';`);
      members.push(wholeOf(name));
    }
    return `${lines.join('\n')}\nprovide({${members.join(',')}});`;
  }

  /** What `file` imports of a chunk in another file. Values that never change are read once. */
  function passedOn(name, file) {
    const from = JSON.stringify(`./${groupOf.get(name).file}`);
    const fixed = fixedNames(texts.get(name));
    const names = Object.groupBy(new Set(usedNames.get(name)?.get(file)), (it) => (fixed.has(it) ? 'fixed' : 'live'));
    const { fixed: once = [], live = [] } = names;
    return `export const {${once.map((it) => `${prefixed(name, it)}: ${it}`).join(',')}} = require(${from});
export {${live.map((it) => `${prefixed(name, it)} as ${it}`).join(',')}} from ${from};\n`;
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
        return `export const ${doorOf(name)} = async () => require('./${file}').${wholeOf(name)};`;
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
/** Of a chunk that stays. */
const fileOf = (path) => basename(path).replace(/\.mjs$/, '.cjs');
/** In `a` and `a as b`. */
const importedName = (text) => text.split(' as ')[0];

/**
 * The names of a chunk's exports whose values are set where they are declared, and never again. An export that could be set
 * elsewhere is not among them, also if it only has the name of another variable that is.
 */
function fixedNames(text) {
  const [, list = ''] = /\bexport\{([^}]*)\};?\s*(?:\/\/#.*\s*)?$/.exec(text) ?? [];
  const pairs = list.split(',').map((it) => it.split(' as '));
  return new Set(pairs.filter(([own]) => isFixed(text, own)).map(([own, name = own]) => name));
}

function isFixed(text, own) {
  const it = `(?<![\\w$])(?<!(?<!\\.\\.)\\.)${own.replaceAll('$', '\\$')}(?![\\w$])`;
  const count = (pattern) => text.match(new RegExp(pattern, 'g'))?.length ?? 0;
  // With any operator, and as a part of what is assigned to.
  const operators = '(?:[-+*/%&|^]|\\*\\*|<<|>>>?|&&|\\|\\||\\?\\?)?=(?![=>])';
  const written = count(`${it}(?:${operators}|\\+\\+|--| (?:of|in) |[^();]*[\\]}]=(?!=))|(?:\\+\\+|--)${it}`);
  const isDeclared = count(`(?:function\\*? ?|class )${it}`) === 1;
  const isUnset = count(`(?:var |let |,)${it}[,;]`) > 0;
  return !isUnset && written === (isDeclared ? 0 : 1);
}

/** How the sidecar's entry calls a file: `provide` takes what others import from it, and `url` is that of the entry. */
const asScript = {
  format: 'cjs',
  banner: { js: '(function(require,provide,url){' },
  footer: { js: '})' },
  define: { 'import.meta.url': 'url' },
  supported: { 'dynamic-import': false },
};

/** As long as `import("./chunk-HASH.mjs")` without the parentheses of a call. */
function doorOf(chunk) {
  const hash = chunk.slice('chunk-'.length, -'.mjs'.length);
  return `_import_${hash}`.padEnd(`import("./${chunk}")`.length - 2, '_');
}
