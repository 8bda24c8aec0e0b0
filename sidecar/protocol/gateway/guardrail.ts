import * as z from 'zod';
import { jwtSignerFields } from './jwtSigner.ts';

/** When a guardrail looks at a tool call: before it, where it may rewrite or refuse, or beside it, where it may refuse. */
export const guardrailModes = ['pre_mcp_call', 'during_mcp_call'] as const;
export type GuardrailMode = (typeof guardrailModes)[number];

const oneOrMany = <T extends GuardrailMode>(...allowed: readonly [T, ...T[]]) =>
  z.union([z.enum(allowed), z.array(z.enum(allowed)).min(1)]);
const AnyMode = oneOrMany(...guardrailModes);
const PreMode = oneOrMany('pre_mcp_call');
/** On for every call. Otherwise a key, a team or a request names it. */
const default_on = z.boolean().default(false);

export const secretKinds = [
  'aws_access_key',
  'github_token',
  'slack_token',
  'api_key',
  'google_api_key',
  'private_key',
  'jwt',
] as const;
export type SecretKind = (typeof secretKinds)[number];

export const piiKinds = ['email', 'phone', 'iban', 'credit_card', 'ipv4'] as const;
export type PiiKind = (typeof piiKinds)[number];

export const redactionActions = ['redact', 'block'] as const;
export type RedactionAction = (typeof redactionActions)[number];
const RuleAction = z.enum([...redactionActions, 'off']);

const redaction = {
  /** For every kind that `rules` does not name. Beside a call nothing can be rewritten, so there it must be `block`. */
  action: z.enum(redactionActions).default('redact'),
  /** More text than this in one call is refused, because it was not looked at. Characters of all names and values. */
  max_characters: z.int().min(1_000).max(10_000_000).default(1_000_000),
};

const blocksBeside = (it: { mode: GuardrailMode | GuardrailMode[]; action: string; rules?: object | undefined }) =>
  !it.mode.includes('during_mcp_call') ||
  (it.action === 'block' && Object.values(it.rules ?? {}).every((rule) => rule !== 'redact'));
const besideOnlyBlocks = {
  error: 'Nothing can be redacted beside a call: with mode during_mcp_call every action must be block',
  path: ['action'],
};

const SecretRedaction = z
  .strictObject({
    guardrail: z.literal('secret_redaction'),
    mode: AnyMode,
    default_on,
    ...redaction,
    rules: z.partialRecord(z.enum(secretKinds), RuleAction).optional(),
  })
  .refine(blocksBeside, besideOnlyBlocks);

const PiiRedaction = z
  .strictObject({
    guardrail: z.literal('pii_redaction'),
    mode: AnyMode,
    default_on,
    ...redaction,
    /** `ipv4` is off unless it is named: version numbers look the same. */
    rules: z.partialRecord(z.enum(piiKinds), RuleAction).optional(),
  })
  .refine(blocksBeside, besideOnlyBlocks);

const JwtSigner = z
  .strictObject({ guardrail: z.literal('mcp_jwt_signer'), mode: PreMode, default_on, ...jwtSignerFields })
  .refine((it) => it.jwks_uri !== undefined || !(it.required_claims || it.optional_claims), {
    error: 'Claims of a token that nobody verified are not used: jwks_uri is needed',
    path: ['jwks_uri'],
  })
  .refine((it) => it.jwks_uri === undefined || it.verify_audience !== undefined, {
    error: 'A token for somebody else says nothing here: verify_audience is needed with jwks_uri',
    path: ['verify_audience'],
  });

/** Remembers what a server's tools looked like when somebody approved them; looks at them with each list and before each call. */
const ToolDefinitionPin = z.strictObject({
  guardrail: z.literal('tool_definition_pin'),
  mode: PreMode,
  default_on,
  /** The first list of a server counts as approved. Otherwise all its tools wait. */
  pin_on_first_use: z.boolean().default(true),
  /** What a tool is that comes later: pinned as it is, or held until it is approved. */
  new_tools: z.enum(['pin', 'hold']).default('pin'),
});

/** Arguments must match the tool's own `inputSchema` (JSON Schema 2020-12 or draft-07). */
const ArgumentSchema = z.strictObject({
  guardrail: z.literal('argument_schema'),
  mode: AnyMode,
  default_on,
  /** For a tool whose schema cannot be used: unknown, too large, remote `$ref`, too slow. */
  when_unchecked: z.enum(['refuse', 'allow']).default('refuse'),
});

/** One entry of `guardrails` in the configuration. Strict: an unknown field is an error that names it. */
export const Guardrail = z.strictObject({
  guardrail_name: z.string().min(1).max(128),
  gateway_params: z.discriminatedUnion('guardrail', [
    JwtSigner,
    SecretRedaction,
    PiiRedaction,
    ToolDefinitionPin,
    ArgumentSchema,
  ]),
});
export type Guardrail = z.infer<typeof Guardrail>;
export type GuardrailParams<K extends Guardrail['gateway_params']['guardrail']> = Extract<
  Guardrail['gateway_params'],
  { guardrail: K }
>;

/** All of them, in the order in which they run. Names are unique. */
export const Guardrails = z.array(Guardrail).superRefine((all, context) => {
  const seen = new Set<string>();
  for (const [at, { guardrail_name }] of all.entries()) {
    if (seen.has(guardrail_name)) {
      const path = [at, 'guardrail_name'];
      context.addIssue({ code: 'custom', path, message: `'${guardrail_name}' is used twice` });
    }
    seen.add(guardrail_name);
  }
});
