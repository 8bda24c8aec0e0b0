import * as z from 'zod';
import { Fault, type FaultCode } from '../../../platform/faults.ts';

/** RFC 7643 and RFC 7644. */
export const urns = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  list: 'urn:ietf:params:scim:api:messages:2.0:ListResponse',
  patch: 'urn:ietf:params:scim:api:messages:2.0:PatchOp',
  error: 'urn:ietf:params:scim:api:messages:2.0:Error',
} as const;

/** RFC 7644, 3.12, as far as it is used. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'uniqueness';

export const scimFault = (scimType: ScimType, message: string, code: FaultCode = 'invalid_params') =>
  new Fault(code, message, { data: { scimType } });

/** Some providers send `"False"` for false. */
const Bool = z.union([
  z.boolean(),
  z
    .string()
    .regex(/^(?:true|false)$/i)
    .transform((it) => it.toLowerCase() === 'true'),
]);
const Text = z.string().max(256).nullish();

/** What is kept of a user. Other attributes are ignored, as RFC 7644, 3.3 allows. */
export const ScimUser = z.object({
  userName: z.string().min(1).max(320),
  externalId: Text,
  displayName: Text,
  name: z.object({ givenName: Text, familyName: Text, formatted: Text }).nullish(),
  emails: z
    .array(z.object({ value: z.string().min(3).max(320), type: Text, primary: Bool.nullish() }))
    .max(64)
    .nullish(),
  active: Bool.default(true),
});
export type ScimUser = z.infer<typeof ScimUser>;

export const ScimGroup = z.object({
  displayName: z.string().min(1).max(256),
  externalId: Text,
  members: z
    .array(z.object({ value: z.string().min(1).max(256) }))
    .max(10_000)
    .nullish(),
});
export type ScimGroup = z.infer<typeof ScimGroup>;

/** What is kept of a user beside the members of its record that have the same meaning. */
export const UserState = z.object({
  user_name: z.string(),
  external_id: Text,
  given_name: Text,
  family_name: Text,
  active: z.boolean(),
});
/** The users whom the provider has put into the team. */
export const TeamState = z.object({ external_id: Text, members: z.array(z.string()) });

/** Some providers write `Add` for `add`. */
export const PatchRequest = z.object({
  schemas: z.array(z.string()).refine((it) => it.includes(urns.patch)),
  Operations: z
    .array(
      z.object({
        op: z
          .string()
          .transform((it) => it.toLowerCase())
          .pipe(z.enum(['add', 'replace', 'remove'])),
        path: z.string().min(1).max(512).optional(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(1_000),
});
export type PatchOperation = z.infer<typeof PatchRequest>['Operations'][number];

/** @throws {Fault} `invalid_params` naming the attribute; its value is never repeated */
export function readScim<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const at = result.error.issues[0]?.path.join('.') ?? '';
  throw at === ''
    ? scimFault('invalidSyntax', 'The body must be a JSON object.')
    : scimFault('invalidValue', `The attribute '${at}' is missing or has a value that is not accepted.`);
}
