import * as z from 'zod';
import { described } from '../../building.ts';
import { SecretRef } from '../config/secretRef.ts';
import { allGuardrailModes, defineGuardrail } from './definition.ts';
import { callerSources } from './jwtSigner.ts';

/** How a service knows that a request is from the gateway. */
export const serviceAuthentications = ['none', 'bearer', 'hmac'] as const;

/** The secret of a guardrail that was made by API: it is sealed in the gateway's database. */
const StoredSecret = z
  .strictObject({ stored: z.literal(true).describe('Only in guardrails that the API made.') })
  .describe('Set by the gateway.');
export type ServiceSecret = z.infer<typeof SecretRef> | z.infer<typeof StoredSecret>;

export const httpService = defineGuardrail({
  guardrail: 'http',
  description: 'Asks a service over HTTP about each tool call, and about its result.',
  modes: allGuardrailModes,
  readsArguments: true,
  fields: described(
    {
      url: z.url({ protocol: /^https?$/ }).max(2_048),
      authentication: z.enum(serviceAuthentications).default('none'),
      secret: z.union([SecretRef, StoredSecret]).optional(),
      caller: z.array(z.enum(callerSources)).max(callerSources.length).default([]),
      timeout_ms: z.int().min(50).max(60_000).default(5_000),
      on_error: z.enum(['block', 'allow']).default('block'),
      allow_private_network: z.boolean().default(false),
    },
    {
      url: 'URL that the gateway posts each tool call to.',
      authentication:
        'With bearer, the secret is sent in the Authorization header. With hmac, the request is signed with the secret (HMAC-SHA256).',
      secret: 'Secret for bearer or hmac.',
      caller: 'What the service is told about the caller. Credentials are never sent.',
      timeout_ms: 'Maximum time until the service has answered, in milliseconds.',
      on_error:
        'What to do with a call if the service does not answer in time, or its answer is not valid: block or allow.',
      allow_private_network: 'Allow URLs on loopback and private networks.',
    },
  ),
  rules: [
    {
      holds: (it) => (it.authentication === 'none') === (it.secret === undefined),
      error: 'is required with authentication bearer or hmac, and only then',
      field: 'secret',
    },
  ],
});
