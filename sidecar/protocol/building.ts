import * as z from 'zod';

/**
 * A set of strings that newer peers may extend: an unknown one is kept, shown as it is, and never refused. `_known` are
 * the strings that this build knows.
 */
export function openEnum<const T extends string>(
  ..._known: readonly T[]
): z.ZodType<T | (string & {}), T | (string & {})> {
  return z.string();
}

/** Member schemas of an open union, by the value of their discriminator. */
type Members = Readonly<Record<string, z.ZodType<object>>>;

/**
 * A discriminated union that newer peers may extend: a malformed member of a known kind is refused with the path of the
 * field, a member of an unknown kind is kept and skipped. The type names the known kinds only, so a `switch` over it
 * needs a `default` that leaves the value alone.
 */
export function openUnion<const M extends Members>(
  key: string,
  members: M,
): z.ZodType<z.output<M[keyof M]>, z.input<M[keyof M]>> {
  const schema = z.looseObject({ [key]: z.string() }).superRefine((value, context) => {
    const kind = value[key] as string;
    if (!Object.hasOwn(members, kind)) return;
    const judged = members[kind]!.safeParse(value);
    for (const { path, message } of judged.error?.issues ?? [])
      context.addIssue({ code: 'custom', path: [...path], message });
  });
  return schema as unknown as z.ZodType<z.output<M[keyof M]>, z.input<M[keyof M]>>;
}

type Shape = Readonly<Record<string, z.ZodType>>;
type ActionSchemas<T extends Readonly<Record<string, Shape>>> = {
  readonly [K in keyof T & string]: z.ZodObject<{ type: z.ZodLiteral<K> } & T[K]>;
};

/** The same members, each with the words that people read about it. A member without words does not compile. */
export function described<const S extends Shape>(shape: S, texts: { readonly [K in keyof S & string]: string }): S {
  const entries = Object.entries(shape).map(([name, it]) => [name, it.describe(texts[name as keyof S & string])]);
  return Object.fromEntries(entries) as unknown as S;
}

/** The names of a table that is not empty. */
export const namesOf = <const K extends string>(table: Readonly<Record<K, unknown>>): [K, ...K[]] =>
  Object.keys(table) as [K, ...K[]];

/** One member of each row of a list, in the order of the list. */
export const memberOf = <const R extends readonly Readonly<Record<M, unknown>>[], const M extends string>(
  rows: R,
  member: M,
): { readonly [I in keyof R]: R[I][M] } => rows.map((it) => it[member]) as never;

/** The rows of all tables, as one table. */
export const allOf = <T extends object>(...tables: readonly object[]): T => Object.assign({}, ...tables) as T;

/** A shape with a schema for each row of a table; `S` says which. */
export const shapeOf = <S extends Shape, const R>(
  table: Readonly<Record<keyof S & string, R>>,
  schemaOf: (row: R) => z.ZodType,
): S => Object.fromEntries(Object.entries<R>(table).map(([name, row]) => [name, schemaOf(row)])) as unknown as S;

/**
 * One schema for each action type, from the payload alone, made when somebody asks for it: a process meets few of them, and
 * all of them together are a tenth of what a host has to make before it can answer.
 * @param whole schemas of actions that are more than a payload
 */
export function actionTable<
  const T extends Readonly<Record<string, Shape>>,
  const M extends Members = Record<never, never>,
>(payloads: T, whole?: M): ActionSchemas<T> & M {
  const table: Record<string, z.ZodType> = { ...whole };
  for (const [type, shape] of Object.entries(payloads)) {
    let made: z.ZodType | undefined;
    const get = () => (made ??= z.object({ type: z.literal(type), ...shape }));
    Object.defineProperty(table, type, { enumerable: true, get });
  }
  return table as ActionSchemas<T> & M;
}

type Compile = <T>(schema: z.ZodType<T>) => z.ZodType<T>;
let compile: Compile | undefined;

/** Sets the compiler that translates schemas to functions. It is a quarter of zod, so most processes do not load it. */
export function compileWith(it: Compile): void {
  compile = it;
}

/**
 * `schema`, translated to a function on its first use if this process has a compiler. This is four times as fast, which pays off
 * for the messages of many clients.
 */
export function compiledOnce<T>(schema: z.ZodType<T>): (value: unknown) => z.ZodSafeParseResult<T> {
  let compiled: z.ZodType<T> | undefined;
  return (value) => {
    compiled ??= compile?.(schema);
    return (compiled ?? schema).safeParse(value);
  };
}

/** The first thing wrong, as `path: message`, short enough for a rejection reason. Never quotes the value. */
export function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (!issue) return 'malformed';
  return issue.path.length === 0 ? issue.message : `${issue.path.map(String).join('.')}: ${issue.message}`;
}
