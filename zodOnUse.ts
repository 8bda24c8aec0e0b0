import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Plugin } from 'esbuild';

const patched = /zod[\\/]v4[\\/]core[\\/](core|util|memoizer)\.js$/;

/**
 * Builds a schema when it is first used, or when a member is read that only a built one has. A process creates thousands of
 * schemas while it starts and uses few of them: building all of them took a quarter of the start of a host. Until then, a
 * schema is its definition. What an invalid definition throws comes with the first use too.
 *
 * Zod's protection against values that contain themselves is left out. All input is JSON, which cannot, and the protection
 * walks through all that a schema refers to, which would build it.
 */
export const zodOnUse: Plugin = {
  name: 'zod-on-use',
  setup(build) {
    build.onLoad({ filter: patched }, ({ path }) => {
      const changes = changesOf[basename(path)] ?? [];
      const contents = changes.reduce((text, change) => replaceOnce(text, change, path), readFileSync(path, 'utf8'));
      return { contents };
    });
  },
};

type Change = readonly [from: string, to: string];

function replaceOnce(text: string, [from, to]: Change, path: string): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`${path} must contain this once, but does not: ${from}`);
  return parts.join(to);
}

/** By file of zod: what stands there, and what takes its place. */
const changesOf: Readonly<Record<string, readonly Change[]>> = {
  'memoizer.js': [['return memo;', 'return { alloc: (_inst, _payload, empty) => empty, guard() {}, attach() {} };']],
  'util.js': [
    [
      'export function clone(inst, def, params) {',
      `/** Of a schema that is not built: its class, its definition, and the schema of which it is a clone. */
export const CLASS = Symbol('class');
export const DEFINITION = Symbol('definition');
export const PARENT = Symbol('parent');
export function clone(inst, def, params) {`,
    ],
    [
      'new inst._zod.constr(def ?? inst._zod.def);',
      'new (inst[CLASS] ?? inst._zod.constr)(def ?? inst[DEFINITION] ?? inst._zod.def);',
    ],
    ['cl._zod.parent = inst;', 'if (cl[CLASS]) cl[PARENT] = inst; else cl._zod.parent = inst;'],
  ],
  'core.js': [
    [
      'import { members as installMembers } from "./util.js";',
      `import { members as installMembers, CLASS, DEFINITION, PARENT } from "./util.js";
const isSchemaOrCheck = (name) => name.startsWith("$ZodCheck") || (name.startsWith("Zod") && !name.endsWith("Error"));
/**
 * The class of instances that are not built yet.
 * @param first an instance that is built. It put the methods on the prototype, and has the members that all will have.
 */
function waitingClass(first, Class, build) {
    function Waiting(def) {
        this[DEFINITION] = def;
        this[PARENT] = undefined;
    }
    function use(inst) {
        const def = inst[DEFINITION];
        const parent = inst[PARENT];
        Object.setPrototypeOf(inst, Class.prototype);
        inst[DEFINITION] = undefined;
        inst[PARENT] = undefined;
        build(inst, def);
        if (parent) inst._zod.parent = parent;
        return inst;
    }
    const members = { [CLASS]: { value: Class } };
    for (const name of Object.getOwnPropertyNames(first)) {
        members[name] = {
            get() { return use(this)[name]; },
            set(value) { use(this)[name] = value; },
        };
    }
    if (members.def) {
        members.def.get = function () { return this[DEFINITION]; };
        members.type.get = function () { return this[DEFINITION].type; };
    }
    Waiting.prototype = Object.create(Class.prototype, members);
    return Waiting;
}`,
    ],
    [
      'function _(def) {',
      `let Waiting;
    function _(def) {
        if (Waiting && new.target === _)
            return new Waiting(def);`,
    ],
    [
      '        init(inst, def);\n        const deferred',
      `        build(inst, def);
        if (new.target === _ && isSchemaOrCheck(name))
            Waiting = waitingClass(inst, _, build);
        return inst;
    }
    function build(inst, def) {
        init(inst, def);
        const deferred`,
    ],
  ],
};
