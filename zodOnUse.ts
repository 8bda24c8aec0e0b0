import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Builds a schema when it is first used, or when a member is read that only a built schema has. Until then, a schema is its
 * definition. While a process starts, it creates thousands of schemas and uses few of them. Building all of them takes a quarter
 * of a host's start. An invalid definition throws on first use, too.
 *
 * Zod's protection against values that contain themselves is removed, because it visits everything that a schema refers to, and
 * would therefore build it. JSON cannot contain such values. YAML can: a recursive schema then exceeds the call stack and throws.
 */
export const zodOnUse: Plugin = patching('zod-on-use', () => changesOf);

/**
 * For the sidecar, whose start checks hundreds of sparse objects: the schemas of optional members that are absent are
 * not built, and the first objects are checked without generating code for their schema.
 */
export const sparseZod: Plugin = patching('sparse-zod', () => ({
  ...changesOf,
  ...Object.fromEntries(
    Object.entries(sparseChangesOf).map(([file, changes]) => [file, [...changes, ...(changesOf[file] ?? [])]]),
  ),
}));

function patching(name: string, changes: () => Changes): Plugin {
  return {
    name,
    setup(build) {
      const all = changes();
      const patched = new RegExp(
        `zod[\\\\/]v4[\\\\/]core[\\\\/](${Object.keys(all).join('|').replaceAll('.', '\\.')})$`,
      );
      build.onLoad({ filter: patched }, ({ path }) => {
        const ofFile = all[basename(path)] ?? [];
        const contents = ofFile.reduce((text, change) => replaceOnce(text, change, path), readFileSync(path, 'utf8'));
        return { contents };
      });
    },
  };
}

type Change = readonly [from: string, to: string];
/** By the name of zod's file. */
type Changes = Readonly<Record<string, readonly Change[]>>;

function replaceOnce(text: string, [from, to]: Change, path: string): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`${path} must contain this once, but does not: ${from}`);
  return parts.join(to);
}

/** Replacements in each of zod's files. */
const changesOf: Changes = {
  'memoizer.js': [['return memo;', 'return { alloc: (_inst, _payload, empty) => empty, guard() {}, attach() {} };']],
  'util.js': [
    [
      'export function clone(inst, def, params) {',
      `/** Members of a schema that is not built: its class, its definition, and the schema that it is a clone of. */
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
 * Creates the class of instances that are not built yet.
 * @param first a built instance. Building it has added the methods to the prototype. Its members are those of all instances.
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

/** How many objects are checked before code is generated for their schema. Generating it takes as long as checking hundreds of objects. */
const CHECKED_FIRST = 1_000;

const sparseChangesOf: Changes = {
  'core.js': [
    [
      '//////////////////////////////   UTILITIES   ///////////////////////////////////////',
      `/** A schema that is not evaluated yet. Its prototype finds out what it is when anything is asked of it. */
class Later {
    [DEFINITION];
    [PARENT] = undefined;
    constructor(make) {
        this[DEFINITION] = make;
    }
}
for (const name of ["describe", "optional", "nullable", "nullish", "default", "array"])
    Later.prototype[name] = function (...args) { return new Later(() => (this[CLASS], this[name](...args))); };
Object.setPrototypeOf(Later.prototype, new Proxy({}, {
    get: (_, key, it) => evaluated(it)[key],
    set: (_, key, value, it) => Reflect.set(evaluated(it), key, value),
    has: (_, key) => key === "_zod",
}));
delete Later.prototype.constructor;
export function later(make) {
    return new Later(make);
}
/** Turns it into the schema that it makes. The words about it are kept by schema, so they move too. */
function evaluated(it) {
    const made = it[DEFINITION]();
    const isWaiting = made[CLASS] !== undefined;
    const waiting = isWaiting ? made : new made._zod.constr(made._zod.def);
    it[DEFINITION] = waiting[DEFINITION];
    it[PARENT] = isWaiting ? made[PARENT] : made._zod.parent;
    Object.setPrototypeOf(it, Object.getPrototypeOf(waiting));
    const words = globalThis.__zod_globalRegistry._map.get(made);
    if (words)
        globalThis.__zod_globalRegistry.add(it, words);
    return it;
}
//////////////////////////////   UTILITIES   ///////////////////////////////////////`,
    ],
  ],
  'util.js': [
    [
      'export function mergeDefs(...defs) {',
      `/** Types whose definitions contain values only. The accessors of other types create what they refer to. */
const valued = new Set(["string", "number", "boolean", "array", "record", "enum", "literal"]);
export function mergeDefs(...defs) {
    if (valued.has(defs[0].type))
        return Object.assign({}, ...defs);`,
    ],
  ],
  'schemas.js': [
    [
      'function normalizeDef(def) {',
      `const plain = new Set(["string", "number", "boolean", "object", "array", "record", "enum", "literal"]);
/** Whether a schema leaves an absent value absent. Reading definitions builds no schema. */
function keepsAbsent({ def }) {
    if (def?.type === "optional" || def?.type === "nullable") return keepsAbsent(def.innerType);
    return def?.type === "union" ? def.options.every(keepsAbsent) : plain.has(def?.type);
}
/**
 * Finds the members to check, by their places in the shape: those that may not be absent, and those that are present. Of
 * dozens of members, an object often has two. Most objects have them in the order of the shape.
 */
function membersOf(input, { places, always, mayLack }) {
    const prototype = Object.getPrototypeOf(input);
    if (prototype !== Object.prototype && prototype !== null) return places;
    const found = [];
    let next = 0;
    let isOrdered = true;
    for (const key in input) {
        const place = mayLack.get(key);
        if (place === undefined) continue;
        while (always[next] < place) found.push(always[next++]);
        if (place < found[found.length - 1]) isOrdered = false;
        found.push(place);
    }
    while (next < always.length) found.push(always[next++]);
    return isOrdered ? found : found.sort((a, b) => a - b);
}
/** The schema that checks a value other than \`null\` and \`undefined\`: those around it only add these two. */
function innermost(schema) {
    const { def } = schema;
    const isAround = (def?.type === "optional" || def?.type === "nullable") && !def.checks?.length;
    return isAround ? innermost(def.innerType) : schema;
}
/** Whether the value of an absent member is the default. Reading definitions builds no schema. */
const isDefault = ({ def }, ctx) => def?.type === "default" && !def.checks?.length && ctx?.direction !== "backward";
function normalizeDef(def) {`,
    ],
    ['if (!def.shape?.[k]?._zod', 'if (!def.shape?.[k]?.[util.CLASS] && !def.shape?.[k]?._zod'],
    [
      '    const okeys = util.optionalKeys(def.shape);\n',
      `    const places = [...allKeys.keys()];
    const mayBeSkipped = (k) => {
        const { def: member } = def.shape[k];
        // All objects inherit members such as \`toString\`.
        return member?.type === "optional" && !member.checks?.length && keepsAbsent(def.shape[k]) && !(k in Object.prototype);
    };
    const mayLack = new Map(keys.flatMap((k, at) => (mayBeSkipped(k) ? [[k, at]] : [])));
`,
    ],
    [
      'optionalKeys: new Set(okeys),',
      `places,
        always: places.filter((at) => !mayLack.has(allKeys[at])),
        mayLack,`,
    ],
    [
      'for (const key of value.allKeys) {\n            if (abortEarly',
      `for (const at of membersOf(input, value)) {
            const key = value.allKeys[at];
            if (abortEarly`,
    ],
    [
      '            const el = shape[key];\n            const optin = el._zod.optin;',
      `            const el = input[key] == null ? shape[key] : innermost(shape[key]);
            if (isDefault(el, ctx) && !(key in input)) {
                payload.value[key] = el.def.defaultValue;
                continue;
            }
            const optin = el._zod.optin;`,
    ],
    [
      `    const _catchall = def.catchall._zod;
    const t = _catchall.def.type;
    const optin = _catchall.optin;
    const optout = _catchall.optout;`,
      `    const t = def.catchall.def.type;
    const { optin, optout } = t === "never" ? {} : def.catchall._zod;`,
    ],
    ['const r = _catchall.run(', 'const r = def.catchall._zod.run('],
    [
      '    let value;\n    inst._zod.parse = (payload, ctx) => {\n        value ??',
      `    let value;
    let uses = 0;
    inst._zod.parse = (payload, ctx) => {
        if (uses < ${CHECKED_FIRST}) {
            uses += 1;
            return superParse(payload, ctx);
        }
        value ??`,
    ],
  ],
};
