import { createRequire, isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * Node's own modules without the facade that `import` and `require` make of them: it reads every export, and reading some of
 * those loads what nobody uses, which took a tenth of a start.
 */
export const nodeModules: Plugin = {
  name: 'node-modules',
  setup(build) {
    build.onResolve({ filter: /^[a-z:_/0-9]+$/ }, ({ path, namespace }) =>
      isBuiltin(path) && namespace !== 'entry' ? { path, namespace: 'node-module' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'node-module' }, ({ path }) => ({
      contents: `const whole = process.getBuiltinModule(${JSON.stringify(path)});
module.exports = ${/^(node:)?util$/.test(path) ? byGetters : 'whole'};`,
    }));
  },
};

/** Node evaluates some members of `util` when they are described, as every import of a module does. Getters are described in their place. */
const byGetters = `Object.create(whole, Object.fromEntries(
  Object.keys(whole).map((name) => [name, { enumerable: true, get: () => whole[name] }]),
))`;

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
