import assert from 'node:assert/strict';
import * as z from 'zod';

type Members = Readonly<Record<string, unknown>>;

/** A type of the specification, by values that its tables allow. */
export interface Shape {
  readonly required: Members;
  readonly optional?: Members;
  /** Members that may hold any JSON value, so that none is wrong. */
  readonly anything?: readonly string[];
}

/**
 * Holds a schema to a table of the specification: exactly these members; each required one is required, each other one
 * may be absent; a value of another type is refused with the name of the member; members of tomorrow are let through.
 */
export function checkShape(schema: z.ZodType, { required, optional = {}, anything = [] }: Shape): void {
  const whole = { ...required, ...optional };
  accepts(schema, whole);
  accepts(schema, required);
  accepts(schema, { ...whole, ofTomorrow: { a: [1] } });
  // An open union is an object too, of which the schema names the discriminator only.
  if (schema instanceof z.ZodObject && schema.def.catchall === undefined)
    assert.deepEqual(Object.keys(schema.shape).toSorted(), Object.keys(whole).toSorted());
  for (const name of Object.keys(whole)) {
    const { [name]: value, ...others } = whole as Record<string, unknown>;
    if (name in required) refuses(schema, others, name);
    else accepts(schema, others);
    if (!anything.includes(name)) refuses(schema, { ...whole, [name]: wrongFor(value) }, name);
  }
}

/** @throws where `value` is refused */
export function accepts(schema: z.ZodType, value: unknown): void {
  const judged = schema.safeParse(value);
  assert.ok(judged.success, `${JSON.stringify(value)}: ${judged.error?.message}`);
}

/** @throws where `value` is let through, or refused for another reason than its member `name` */
export function refuses(schema: z.ZodType, value: unknown, name: string): void {
  const judged = schema.safeParse(value);
  assert.equal(judged.success, false, `${name}: let through in ${JSON.stringify(value)}`);
  assert.ok(
    judged.error?.issues.some((it) => it.path[0] === name),
    `${name}: ${judged.error?.message}`,
  );
}

/** A value of another JSON type. */
function wrongFor(value: unknown): unknown {
  return typeof value === 'string' || typeof value === 'object' ? 7 : 'seven';
}
