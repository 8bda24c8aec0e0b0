import { createRequire, isBuiltin } from 'node:module';
import { basename } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';

/** A host that starts needs few of these, and loading all of them would be a tenth of its start. */
const loadedOnUse: readonly string[] = [
  'child_process',
  'crypto',
  'dns',
  'fs/promises',
  'http',
  'https',
  'net',
  'readline',
  'v8',
  'worker_threads',
  'zlib',
];

/**
 * Bundles imports of Node's own modules so that only the exports that are imported are read. Node's ES module facade reads every
 * export, and reading some of them loads what nobody uses. esbuild's default makes a getter for every export in each module that
 * imports it.
 */
export const nodeModules: Plugin = {
  name: 'node-modules',
  setup(build) {
    build.onResolve({ filter: /^[a-z:_/0-9]+$/ }, ({ path: name, namespace, kind, importer }) => {
      if (!isBuiltin(name) || namespace === 'entry') return undefined;
      const path = name.replace(/^node:/, '');
      if (kind === 'require-call') return { path, namespace: 'node-required' };
      // What packages import that are loaded later would be read at each start, because all files share the module.
      const isOfPackage = /[\\/]node_modules[\\/]/.test(importer);
      const isOnUse = isOfPackage || kind === 'dynamic-import' || loadedOnUse.includes(path);
      return { path, namespace: isOnUse ? 'node-on-use' : 'node-imported' };
    });
    const load = (namespace: string, contentsOf: (path: string) => string) =>
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: contentsOf(path) }));
    load('node-required', (path) => `module.exports = ${wholeOf(path)};`);
    load('node-on-use', exportsOnUse);
    load('node-imported', namedExports);
  },
};

const wholeOf = (path: string): string => `process.getBuiltinModule('node:${path}')`;

/** esbuild leaves out the exports that nobody imports. */
function namedExports(path: string): string {
  const names = Object.keys(process.getBuiltinModule(`node:${path}`) as object).filter((it) =>
    /^[A-Za-z_]\w*$/.test(it),
  );
  return `const whole = ${wholeOf(path)};
const read = (name) => whole[name];
export default whole;
${names.map((name, at) => `const _${at} = /* @__PURE__ */ read('${name}');`).join('\n')}
export { ${names.map((name, at) => `_${at} as ${name}`).join(', ')} };`;
}

/**
 * The object that esbuild makes for an import inherits from the prototype of `module.exports`. The proxy reads an export when it is
 * first used, and stores it on that object. Exports are found by their names only: they cannot be enumerated.
 */
const exportsOnUse = (path: string): string => `const get = (_, name, it) =>
  name === '__esModule' ? undefined : Object.defineProperty(it, name, { value: ${wholeOf(path)}[name] })[name];
module.exports = Object.create(new Proxy({}, { get }));`;

/**
 * The log makes its lines with a package, and writes and redacts them itself. What the package has for files, threads, and redaction is left
 * out: it was half of the package's code, and every process evaluated it.
 */
export const linesOnly: Plugin = {
  name: 'lines-only',
  setup(build) {
    build.onResolve(
      { filter: /^(sonic-boom|thread-stream|@pinojs\/redact|\.\/(lib\/)?(transport|multistream))$/ },
      (it) => (/[\\/]pino[\\/]/.test(it.importer) ? { path: it.path, namespace: 'left-out' } : undefined),
    );
    build.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
      contents: `module.exports = class {
  constructor() { throw new Error(${JSON.stringify(`The bundle does not contain ${path}.`)}); }
};`,
    }));
  },
};

/** A gateway that starts sends nothing yet, and counts nothing. These would be a fifth of what it evaluates. */
export const packages: readonly string[] = ['undici', 'prom-client'];
const namespace = 'on-use';

/** Evaluates a package when one of its exports is first read, and not when the module that imports it is. */
export const packagesOnUse: Plugin = {
  name: namespace,
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(${packages.join('|')})$`) }, ({ path, namespace: of }) =>
      of === namespace ? undefined : { path, namespace },
    );
    build.onLoad({ filter: /.*/, namespace }, ({ path }) => {
      const names = Object.keys(createRequire(import.meta.url)(path) as object);
      const contents = `for (const name of ${JSON.stringify(names)})
  Object.defineProperty(exports, name, { enumerable: true, get: () => require(${JSON.stringify(path)})[name] });`;
      return { contents, resolveDir: import.meta.dirname };
    });
  },
};

/** undici is a file of its own. In a chunk, every start would read its source and the code that V8 cached for it. */
export const undiciBundle = {
  name: 'sidecar/undici',
  entryPoints: ['undici'],
  outfile: 'dist/sidecar/undici.cjs',
  format: 'cjs',
  platform: 'node',
  target: 'node22',
  legalComments: 'eof',
  plugins: [nodeModules],
  // The name by which undici knows that it is bundled. Its second, experimental HTTP parser is left out then.
  define: { esbuildDetection: 'true' },
} satisfies BuildOptions & { readonly name: string };

const undiciBeside: Plugin = {
  name: 'undici-beside',
  setup(build) {
    build.onResolve({ filter: /^undici$/, namespace }, ({ path }) => ({ path, namespace: 'beside' }));
    build.onLoad({ filter: /.*/, namespace: 'beside' }, () => ({
      contents: `module.exports = globalThis.require('./${basename(undiciBundle.outfile)}');`,
    }));
  },
};

/** How the sidecar imports from Node and from these packages. */
export const sidecarPackages: readonly Plugin[] = [linesOnly, nodeModules, undiciBeside, packagesOnUse];
