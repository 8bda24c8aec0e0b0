import assert from 'node:assert/strict';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { laterZod } from '../../zodLater.ts';
import { sparseZod, zodOnUse } from '../../zodOnUse.ts';
import { projectRoot } from '../support/cache.ts';
import { printed } from '../support/files/bundled.ts';

/** For each schema of the protocol: how it parses a value of its own form and other values, and its JSON Schema. */
const protocol = `
import * as z from 'zod';
${globSync('sidecar/protocol/**/*.ts', { cwd: projectRoot })
  .sort()
  .map((it, at) => `import * as m${at} from './${it.replaceAll('\\', '/')}';\nadd('${it}', m${at});`)
  .join('\n')}
var schemas;
function add(file, exported) {
  for (const [name, it] of Object.entries(exported)) {
    if (it instanceof z.ZodType) (schemas ??= new Map()).set(file + ' ' + name, it);
  }
}
function valueOf(schema, depth = 0) {
  const { def } = schema._zod;
  if (depth > 6) return null;
  const of = (it) => valueOf(it, depth + 1);
  switch (def.type) {
    case 'object': return Object.fromEntries(Object.entries(def.shape).map(([name, it]) => [name, of(it)]));
    case 'array': return [of(def.element)];
    case 'union': return of(def.options[0]);
    case 'literal': return def.values[0];
    case 'enum': return Object.values(def.entries)[0];
    case 'record': return { x: of(def.valueType) };
    case 'intersection': return { ...of(def.left), ...of(def.right) };
    case 'lazy': return of(def.getter());
    case 'pipe': return of(def.in);
    case 'number': return 1;
    case 'boolean': return true;
    case 'null': return null;
    default: return def.innerType ? of(def.innerType) : 'x';
  }
}
function judged(judge) {
  try { return judge(); } catch (thrown) { return String(thrown.message); }
}
const read = (it, value) => judged(() => { const { success, data, error } = it.safeParse(value); return success ? { data } : error.issues; });
const values = [null, 'x', 'https://a.example/x', 5, true, [], {}, { type: 'x', kind: 'y' }, [{ id: 'a' }]];
const answers = [...schemas].map(([name, it]) => [name, [valueOf(it), ...values].map((value) => read(it, value)), judged(() => z.toJSONSchema(it, { io: 'input', unrepresentable: 'any' })), it.description, Object.keys(it).filter((name) => typeof it[name] !== 'function').sort()]);
process.stdout.write(JSON.stringify(answers));
`;

/** Uses the members of schemas, each before and after the schema is built. */
const members = `
import * as z from 'zod';
// The first schema of each class is always built immediately.
const first = [z.string(), z.number(), z.object({}), z.array(z.string()), z.union([z.string()]), z.enum(['a']), z.literal('a'), z.string().optional(), z.string().nullable(), z.string().default('a'), z.record(z.string(), z.string()), z.string().transform((it) => it), z.string().pipe(z.string()), z.string().catch('a'), z.string().readonly(), z.lazy(() => z.string()), z.tuple([z.string()]), z.string().refine(() => true), z.int(), z.url(), z.discriminatedUnion('t', [z.object({ t: z.literal('a') })]), z.intersection(z.object({}), z.object({})), z.boolean(), z.looseObject({}), z.strictObject({}), z.email(), z.iso.datetime()];
const is = [z.ZodType, z.ZodString, z.ZodNumber, z.ZodObject, z.ZodArray, z.ZodUnion, z.ZodEnum, z.ZodLiteral, z.ZodOptional, z.ZodDefault, z.ZodRecord, z.ZodPipe, z.ZodLazy];
const makers = {
  string: () => z.string().trim().min(2).max(4).regex(/a/).describe('words'),
  format: () => z.url().max(30).meta({ id: 'Address', title: 'An address' }),
  number: () => z.number().int().min(1).max(5).positive(),
  object: () => z.object({ a: z.string(), get b() { return z.number().optional(); } }).describe('b').extend({ c: z.literal(['x', 'y']) }).omit({ a: true }),
  partial: () => z.object({ a: z.string().min(1), b: z.int() }).partial().refine((it) => Object.keys(it).length > 0, 'empty').describe('some'),
  strict: () => z.strictObject({ a: z.string().default('d'), b: z.string().catch('caught') }).required(),
  loose: () => z.looseObject({ a: z.array(z.string().min(2)).max(2).optional() }).pick({ a: true }),
  catchall: () => z.object({}).catchall(z.number()),
  merged: () => z.object({ a: z.string() }).and(z.object({ b: z.int().nullable() })),
  union: () => z.union([z.string().min(3), z.number(), z.tuple([z.string()], z.int())]),
  kinds: () => z.discriminatedUnion('t', [z.object({ t: z.literal('a'), n: z.int() }), z.object({ t: z.enum(['b', 'c']) })]),
  record: () => z.record(z.string().regex(/^a/), z.union([z.boolean(), z.null()])),
  changed: () => z.string().transform((it) => it.length).pipe(z.number().max(3)).prefault('ab'),
  checked: () => z.array(z.string()).superRefine((it, context) => { if (it.length > 1) context.addIssue({ code: 'custom', message: 'too many', path: [1] }); }),
  fixed: () => z.enum(['a', 'b']).exclude(['a']).or(z.stringbool()).readonly(),
  self: () => { const tree = z.object({ name: z.string(), get parts() { return z.array(tree).optional(); } }); return tree; },
  later: () => z.lazy(() => z.iso.datetime()).nullish(),
  sparse: () => z.object({ toString: z.string().optional(), c: z.string().default('c'), a: z.string().nullish(), n: z.array(z.string()).default(() => ['n']), b: z.union([z.int(), z.literal('x')]).optional(), t: z.string().default('t').refine((it) => it !== 't', 'not t'), o: z.strictObject({ a: z.string().optional() }).prefault({}), u: z.unknown().optional(), r: z.string().optional().refine((it) => it !== undefined, 'no r'), p: z.string().optional().default('p') }),
  branded: () => z.iso.date().brand('day').nonoptional(),
};
const values = [undefined, null, '', 'a', 'ab', 'b', ' aa ', 'true', 'abcde', 'https://a.example/', '2026-01-01', '2026-01-01T00:00:00Z', 0, 2, 9, 1.5, true, [], ['a'], ['aa'], ['a', 'b'], ['a', 1], {}, { a: 'a' }, { a: '', b: 1 }, { a: 'a', b: null }, { b: 1, c: 'x' }, { c: 'z' }, { a: true, ab: null }, { t: 'a', n: 1 }, { t: 'b' }, { t: 'd' }, { name: 'n', parts: [{ name: 'm' }] }, { name: 'n', parts: [{}] }, { b: 1, a: 'a', t: 'b' }, { t: 'b', o: { a: 'a', x: 1 }, c: undefined, a: undefined }, { t: 'b', toString: 'x', constructor: 'y' }, Object.assign(Object.create(null), { b: 'x', a: 'a', t: 'b' }), new (class { get a() { return 'a'; } get t() { return 'b'; } })()];
function judged(judge) {
  try { return judge(); } catch (thrown) { return String(thrown.message); }
}
const read = (it, value) => judged(() => { const { success, data, error } = it.safeParse(value); return success ? { data } : error.issues; });
const tell = {
  reads: (it) => values.map((value) => read(it, value)),
  order: (it) => values.map((value) => Object.keys(it.safeParse(value).data ?? {})),
  throws: (it) => judged(() => it.parse(Symbol.iterator)),
  type: (it) => it.type,
  def: (it) => it.def === it._zod.def,
  keysOnceUsed: (it) => [it.isOptional(), Object.keys(it).sort()],
  shape: (it) => it.shape && Object.keys(it.shape),
  options: (it) => it.options?.map((one) => one.type ?? one),
  values: (it) => [...(it._zod.values ?? [])],
  description: (it) => it.description,
  meta: (it) => it.meta(),
  isOptional: (it) => [it.isOptional(), it.isNullable()],
  classes: (it) => is.map((Class) => it instanceof Class),
  unwrapped: (it) => it.unwrap?.().type,
  json: (it) => judged(() => z.toJSONSchema(it, { unrepresentable: 'any' })),
  cloned: (it) => [it.clone().description, it.describe('other').description, read(it.clone(), 'ab')],
  readsOften: (it) => { for (let n = 0; n < 1_001; n += 1) it.safeParse({ a: 'a' }); return values.map((value) => read(it, value)); },
  wrapped: (it) => [it.optional().safeParse(undefined).success, it.nullable().type, it.array().element === it],
  detached: (it) => { const { safeParse, optional } = it; return [safeParse('ab').success, optional().type]; },
};
const answers = Object.entries(makers).map(([name, make]) => [name, Object.entries(tell).map(([what, of]) => { const it = make(); const once = judged(() => of(it)); return [what, once, judged(() => of(it))]; })]);
process.stdout.write(JSON.stringify([first.length, answers]));
`;

const unused = `
import * as z from 'zod';
const isBuilt = (it) => Object.hasOwn(it, '_zod');
z.string(); z.object({}); z.string().optional();
const [word, row] = [z.string(), z.object({ a: z.string() })];
const all = [word, row, row.describe('a row'), row.optional()];
const before = all.map(isBuilt);
word.safeParse('x');
process.stdout.write(JSON.stringify([before, all.map(isBuilt)]));
`;

const absent = `
import * as z from 'zod';
z.string(); z.object({}); z.string().optional(); z.string().default(''); z.never();
const [there, absent, byDefault] = [z.string().optional(), z.string().optional(), z.string().default('x')];
const never = z.never();
z.object({ there, absent, byDefault }).catchall(never).safeParse({ there: 'x' });
process.stdout.write(JSON.stringify([there.def.innerType, there, absent, byDefault, never].map((it) => Object.hasOwn(it, '_zod'))));
`;

/** Whether it is known what a schema of the sidecar is, before and after it is used. Asking the schema itself would use it. */
const later = `
import * as z from 'zod';
import { GatewayConfig } from './sidecar/protocol/gateway/config.ts';
const isKnown = () => z.ZodObject.prototype.isPrototypeOf(GatewayConfig);
const before = isKnown();
GatewayConfig.safeParse({});
process.stdout.write(JSON.stringify([before, isKnown()]));
`;

describe('zod that builds schemas on first use', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-zod-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('parses and describes with every schema of the protocol as unchanged zod does', async () => {
    const plain = (await printed(folder, 'plain', protocol, [])) as readonly unknown[];
    assert.ok(plain.length > 300, `${plain.length} schemas`);
    for (const it of [[zodOnUse], [sparseZod], laterZod]) {
      const name = it.map((plugin) => plugin.name).join('-');
      assert.deepEqual(await printed(folder, name, protocol, [...it]), plain, name);
    }
  });

  it('gives a schema the members that unchanged zod gives it, whichever is read first', async () => {
    const plain = await printed(folder, 'plain', members, []);
    for (const it of [zodOnUse, sparseZod])
      assert.deepEqual(await printed(folder, it.name, members, [it]), plain, it.name);
  });

  it('does not build a schema that is not used', async () => {
    assert.deepEqual(await printed(folder, 'unused', unused, [zodOnUse]), [
      [false, false, false, false],
      [true, false, false, false],
    ]);
  });

  it('does not evaluate a schema of the sidecar before it is used', async () => {
    assert.deepEqual(await printed(folder, 'at-once', later, [sparseZod]), [true, true]);
    assert.deepEqual(await printed(folder, 'later', later, [...laterZod]), [false, true]);
  });

  it('does not build schemas of absent members that are optional or have a default, or of members that may not be added, in the sidecar', async () => {
    assert.deepEqual(await printed(folder, 'absent', absent, [sparseZod]), [true, false, false, false, false]);
  });
});
