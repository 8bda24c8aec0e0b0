import { createRequire, isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * Node's own modules without the facades that `import` and `require` make of them. Those read every export, and reading some
 * loads what nobody uses. esbuild's own describes every export anew for each module that imports it. Here, an import takes
 * the exports that it names.
 */
export const nodeModules: Plugin = {
  name: 'node-modules',
  setup(build) {
    build.onResolve({ filter: /^[a-z:_/0-9]+$/ }, ({ path, namespace, kind }) =>
      isBuiltin(path) && namespace !== 'entry'
        ? {
            path: path.replace(/^node:/, ''),
            namespace: kind === 'import-statement' ? 'node-imported' : 'node-required',
          }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'node-required' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('node:${path}');`,
    }));
    build.onLoad({ filter: /.*/, namespace: 'node-imported' }, ({ path }) => ({ contents: namedExports(path) }));
  },
};

/** An export that nobody imports is left out. */
function namedExports(path: string): string {
  const names = Object.keys(process.getBuiltinModule(`node:${path}`) as object).filter((it) =>
    /^[A-Za-z_]\w*$/.test(it),
  );
  return `const whole = process.getBuiltinModule('node:${path}');
const read = (name) => whole[name];
export default whole;
${names.map((name, at) => `const _${at} = /* @__PURE__ */ read('${name}');`).join('\n')}
export { ${names.map((name, at) => `_${at} as ${name}`).join(', ')} };`;
}

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
