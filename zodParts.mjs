import { readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const core = dirname(fileURLToPath(import.meta.resolve('zod/v4/core')));
/** Zod's conversion to JSON Schema, a seventh of its code. Every schema refers to it. */
const jsonSchemas = ['to-json-schema.js', 'json-schema-processors.js'];
const isJsonSchemas = /zod[\\/]v4[\\/]core[\\/](to-json-schema|json-schema-processors)\.js$/;
/** The modules that call it, including those in packages. */
const writers = /(zod-openapi[\\/]lib|@modelcontextprotocol[\\/]client[\\/]dist)[\\/].*\.m?js$|[\\/]jsonSchema\.ts$/;
/** The only module that imports zod's compiler, a quarter of its code. */
const compiling = /[\\/]schemaCompiler\.ts$/;

const namesIn = (path) =>
  [...readFileSync(path, 'utf8').matchAll(/^export (?:const|function|class) (\w+)/gm)].map((it) => it[1]);
const refuse = "const refuse = () => { throw new Error('This bundle does not contain this part of zod.'); };";
/** Schemas call these functions as soon as they are created. */
const isCreating = (name) => name.startsWith('create');

/** Leaves the conversion to JSON Schema out. Windows only check what they read. */
export const noJsonSchemas = {
  name: 'no-json-schemas',
  setup(build) {
    build.onLoad({ filter: isJsonSchemas }, ({ path }) => {
      const lines = namesIn(path).map((it) => `export const ${it} = ${isCreating(it) ? '() => refuse' : 'refuse'};`);
      return { contents: [refuse, ...lines].join('\n') };
    });
  },
};

/**
 * Keeps what a host does not need at startup out of the chunk that contains zod. The conversion to JSON Schema works as soon as
 * a module that calls it is loaded. The compiler is imported directly from its file.
 */
export const zodInParts = {
  name: 'zod-in-parts',
  setup(build) {
    build.onResolve({ filter: /\/(to-json-schema|json-schema-processors|compile)\.js$/ }, ({ path, importer }) => {
      const found = join(dirname(importer), path);
      if (dirname(found) !== core || isJsonSchemas.test(importer)) return undefined;
      return { path: found, namespace: isJsonSchemas.test(found) ? 'later' : 'without', sideEffects: false };
    });
    build.onResolve({ filter: /^zod\/v4\/core$/ }, ({ importer }) =>
      compiling.test(importer) ? { path: join(core, 'compile.js'), sideEffects: false } : undefined,
    );
    build.onResolve({ filter: /^json-schemas(-loaded)?$/ }, ({ path }) => ({ path, namespace: path }));
    build.onLoad({ filter: /.*/, namespace: 'json-schemas-loaded' }, () => ({ contents: 'export const loaded = {};' }));
    build.onLoad({ filter: /.*/, namespace: 'json-schemas' }, () => {
      const imports = jsonSchemas.map((it, at) => `import * as part${at} from ${JSON.stringify(join(core, it))};`);
      const fill = 'Object.assign(loaded, part0, part1);';
      return {
        contents: ["import { loaded } from 'json-schemas-loaded';", ...imports, fill].join('\n'),
        resolveDir: core,
      };
    });
    build.onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => {
      const start = [
        "import { loaded } from 'json-schemas-loaded';",
        'const call = (name) => (...args) => loaded[name](...args);',
        'const create = (name) => (...args) => (...more) => loaded[name](...args)(...more);',
      ];
      const lines = namesIn(path).map((it) => {
        return `export const ${it} = /* @__PURE__ */ ${isCreating(it) ? 'create' : 'call'}('${it}');`;
      });
      return { contents: [...start, ...lines].join('\n'), resolveDir: core };
    });
    build.onLoad({ filter: /.*/, namespace: 'without' }, ({ path }) => {
      return { contents: [refuse, ...namesIn(path).map((it) => `export const ${it} = refuse;`)].join('\n') };
    });
    build.onLoad({ filter: writers }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('toJSONSchema')) return undefined;
      return { contents: `${text}\nimport 'json-schemas';\n`, loader: extname(path) === '.ts' ? 'ts' : 'js' };
    });
  },
};

/**
 * Makes the packages of the AI SDK import zod as all other code does. The import that they use adds all of zod to the bundle,
 * including code that is never called.
 */
export const oneZod = {
  name: 'one-zod',
  setup(build) {
    build.onLoad({ filter: /@ai-sdk[\\/][a-z-]+[\\/]dist[\\/].*\.m?js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replace(/import \{ z \} from ["']zod\/v4["']/g, "import * as z from 'zod'")
        .replace(/from ["']zod\/v4["']/g, "from 'zod'"),
    }));
  },
};
