import * as z from 'zod';

/** When a guardrail looks at a tool call: before it, where it may rewrite or refuse, or beside it, where it may refuse. */
export const guardrailModes = ['pre_mcp_call', 'during_mcp_call'] as const;
/** The same, and after it, where it may rewrite or withhold the result. */
export const allGuardrailModes = [...guardrailModes, 'post_mcp_call'] as const;
export type GuardrailMode = (typeof allGuardrailModes)[number];

/** What every kind has, beside its own fields. */
export interface CommonParams<M extends GuardrailMode = GuardrailMode> {
  readonly mode: M | M[];
  readonly default_on: boolean;
}

type Fields = Readonly<Record<string, z.ZodType>>;

const oneOrMany = <M extends GuardrailMode>(allowed: readonly [M, ...M[]]) =>
  z.union([z.enum(allowed), z.array(z.enum(allowed)).min(1)]);

/** Of `gateway_params`. Strict: an unknown field is an error that names it. */
const schemaOf = <const K extends string, const M extends GuardrailMode, const F extends Fields>(
  guardrail: K,
  modes: readonly [M, ...M[]],
  fields: F,
) =>
  z.strictObject({
    guardrail: z.literal(guardrail).describe('Kind of guardrail.'),
    mode: oneOrMany(modes).describe(
      'When the guardrail runs: one mode or an array of modes. A pre_mcp_call guardrail runs before the call and can change or refuse it. A during_mcp_call guardrail runs in parallel with the call and can refuse it. A post_mcp_call guardrail runs after the call and can change or withhold its result.',
    ),
    default_on: z
      .boolean()
      .default(false)
      .describe(
        'Run the guardrail on every call. Otherwise, it runs only for keys, teams, and servers that refer to it.',
      ),
    ...fields,
  });
type Params<K extends string, M extends GuardrailMode, F extends Fields> = z.output<
  ReturnType<typeof schemaOf<K, M, F>>
>;

/** A rule about several fields at once. */
export interface FieldRule<P> {
  holds(params: P): boolean;
  /** What is wrong where it does not hold, and at which field that is shown. */
  readonly error: string;
  readonly field: string;
}

/**
 * What everybody knows of one kind of guardrail. What it does to a call stands under the same name in
 * `sidecar/gateway/guardrails/build.ts`.
 */
export interface GuardrailDefinition<K extends string, M extends GuardrailMode, F extends Fields> {
  /** The value of `guardrail` in the configuration. */
  readonly guardrail: K;
  /** For whoever writes the configuration file. */
  readonly description: string;
  /** The modes it can work in. */
  readonly modes: readonly [M, ...M[]];
  /** Whether it judges arguments. Arguments that its server could read differently are then refused in its name. */
  readonly readsArguments: boolean;
  /** Its own fields, each `described`. One that another kind has too has the same words there. */
  readonly fields: F;
  readonly rules?: readonly FieldRule<Params<K, M, F>>[];
}

/** Checks a definition, and adds the schema of its `gateway_params`. */
export function defineGuardrail<const K extends string, const M extends GuardrailMode, const F extends Fields>(
  definition: GuardrailDefinition<K, M, F>,
) {
  const { guardrail, description, modes, fields, rules = [] } = definition;
  const schema = schemaOf(guardrail, modes, fields).describe(description);
  const params = rules.reduce((it, { holds, error, field }) => it.refine(holds, { error, path: [field] }), schema);
  return { ...definition, params };
}
