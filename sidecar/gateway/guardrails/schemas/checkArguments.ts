import type { ErrorObject } from 'ajv';
import { Recent } from '../../../platform/boundedMap.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isRecord } from '../../../platform/isRecord.ts';
import { shownText } from '../../../platform/shownText.ts';
import { twinAmong, twinWords } from '../../wire/shape.ts';
import type { GuardedCall } from '../call.ts';
import { withinTime } from './bounded.ts';
import { type Compiled, compileSchema, type Unusable } from './compileSchema.ts';
import type { KnownSchema } from './toolSchemas.ts';

/** How many compiled schemas are kept. */
const maxCompiled = 512;
const maxCheckMs = 250;
/** A schema whose check took too long is not tried again for so long: somebody may have written it for that. */
const putAsideMs = 60_000;

/** `{}` where they match; else what does not, in words for the caller, or why nobody can tell. */
export type Checked = { readonly mismatch?: string } | Unusable;

/** A call, as far as its arguments are compared. */
interface CheckedCall extends Pick<GuardedCall, 'tool' | 'arguments'> {
  readonly server: Pick<GuardedCall['server'], 'server_id'>;
}

interface Schemas<Call> {
  of(call: Call): Promise<KnownSchema | Unusable>;
}

/** Compares arguments with the schema that the tool's server gave. */
export class ArgumentChecks<Call extends CheckedCall = GuardedCall> {
  readonly #schemas: Schemas<Call>;
  readonly #clock: Clock;
  readonly #compiled = new Recent<Compiled | Unusable>(maxCompiled);
  readonly #putAside = new Recent<number>(maxCompiled);

  constructor(schemas: Schemas<Call>, clock: Clock) {
    this.#schemas = schemas;
    this.#clock = clock;
  }

  async check(call: Call): Promise<Checked> {
    const known = await this.#schemas.of(call);
    if ('unusable' in known) return known;
    const twin = twinAmong(Object.keys(call.arguments), propertiesOf(known.schema));
    if (twin) return { mismatch: twinWords(twin) };
    const key = `${call.server.server_id}\u0000${call.tool}\u0000${known.hash}`;
    if (this.#clock.monotonicMs() < (this.#putAside.get(key) ?? 0)) return { unusable: 'takes too long to check' };
    const compiled = this.#compiled.get(key) ?? (await compileSchema(known.schema, known.text));
    this.#compiled.set(key, compiled, 1);
    return 'unusable' in compiled ? compiled : this.#run(key, compiled, call.arguments);
  }

  #run(key: string, { validate, isRisky }: Compiled, args: unknown): Checked {
    const run = () => (validate(args) === true ? undefined : validate.errors?.[0]);
    try {
      const outcome = isRisky ? withinTime(maxCheckMs, run) : { result: run() };
      if (outcome) return outcome.result ? { mismatch: wordsOf(outcome.result) } : {};
      this.#putAside.set(key, this.#clock.monotonicMs() + putAsideMs, 1);
      return { unusable: 'takes too long to check' };
    } catch (thrown) {
      if (thrown instanceof RangeError) return { unusable: 'is infinitely recursive' };
      throw thrown;
    }
  }
}

/** Compares the arguments of calls whose schemas are at hand. @returns words for the caller; `undefined` where they match */
export function checkKnown(clock: Clock) {
  const checks = new ArgumentChecks({ of: async ({ known }: CheckedCall & { known: KnownSchema }) => known }, clock);
  return async (call: CheckedCall & { readonly known: KnownSchema }) =>
    checkedWords(call.tool, await checks.check(call));
}

/** Why a call is refused, for its caller; `undefined` where its arguments match. */
export function checkedWords(name: string, checked: Checked): string | undefined {
  const tool = name.slice(0, 128);
  if ('unusable' in checked)
    return `The arguments for '${tool}' cannot be checked because its schema ${checked.unusable}.`;
  if (checked.mismatch === undefined) return undefined;
  return `The arguments do not match the schema for '${tool}': ${checked.mismatch}.`;
}

/** Names that a schema gives to arguments: another one that folds to one of them is no name of its own. */
function propertiesOf(schema: unknown): readonly string[] {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  return isRecord(properties) ? Object.keys(properties) : [];
}

/** Path and rule; names of arguments, but none of their values. */
function wordsOf({ instancePath, keyword, message, params }: ErrorObject): string {
  const extra: unknown = params['additionalProperty'] ?? params['unevaluatedProperty'];
  const path = `arguments${instancePath}${typeof extra === 'string' ? `/${extra}` : ''}`;
  const problem = shownText(message ?? 'does not match', 200);
  return `'${shownText(path, 200)}' ${problem} (${keyword})`;
}
