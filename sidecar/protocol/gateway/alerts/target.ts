import * as z from 'zod';
import { Id, stampShape } from '../stamps.ts';

export const alertTargetTypes = ['webhook', 'slack', 'teams', 'email'] as const;
export const AlertTargetType = z.enum(alertTargetTypes);
export type AlertTargetType = z.infer<typeof AlertTargetType>;

const Address = z
  .string()
  .max(320)
  .regex(/^[^\s@<>",;]+@[^\s@<>",;]+$/, 'must be an email address');

/** Fields of a target that are no secret. */
export const alertTargetShape = {
  type: AlertTargetType,
  description: z.string().max(1_000).nullish(),
  /** Loopback, private networks and plain http. */
  allow_private_network: z.boolean().nullish(),
  smtp_host: z.string().min(1).max(253).nullish(),
  smtp_port: z.int().min(1).max(65_535).nullish(),
  /** `tls` from the first byte, `starttls` before anything else is said, or none. */
  smtp_security: z.enum(['tls', 'starttls', 'none']).nullish(),
  smtp_username: z.string().min(1).max(320).nullish(),
  from: Address.nullish(),
  to: z.array(Address).min(1).max(50).nullish(),
};

/** What is sealed apart from the record. */
export const AlertTargetSecrets = z.object({
  /** Whoever has the URL of a Slack or Teams webhook can post, and that of others may contain a token. */
  url: z.string().min(1).max(4_096).optional(),
  /** Signs the messages of a webhook. */
  secret: z.string().min(16).max(1_024).optional(),
  smtp_password: z.string().min(1).max(1_024).optional(),
});
export type AlertTargetSecrets = z.infer<typeof AlertTargetSecrets>;

export const AlertTargetRecord = z.object({
  target_name: Id,
  ...alertTargetShape,
  /** Where messages go, for people: the origin of the URL, or host and port. */
  address: z.string().nullish(),
  from_config: z.boolean().nullish(),
  ...stampShape,
});
export type AlertTargetRecord = z.infer<typeof AlertTargetRecord>;

type Fields = Partial<Pick<AlertTargetRecord, 'smtp_host' | 'smtp_username' | 'from' | 'to' | 'smtp_security'>> &
  Pick<AlertTargetRecord, 'type'>;

/** What a target of this type lacks, or has too much. @param has names of its secrets */
export function alertTargetProblem(
  fields: Fields,
  has: (name: keyof AlertTargetSecrets) => boolean,
): { readonly field: string; readonly message: string } | undefined {
  const missing = (field: string) => ({ field, message: `is required for the type ${fields.type}` });
  if (fields.type !== 'email') {
    if (!has('url')) return missing('url');
    return fields.type === 'webhook' && !has('secret') ? missing('secret') : undefined;
  }
  if (!fields.smtp_host) return missing('smtp_host');
  if (!fields.from) return missing('from');
  if (!fields.to) return missing('to');
  if (has('smtp_password') && !fields.smtp_username)
    return { field: 'smtp_username', message: 'is required with a password' };
  if (has('smtp_password') && fields.smtp_security === 'none')
    return { field: 'smtp_security', message: 'must not be none, because the password would be sent unencrypted' };
  return undefined;
}

/** The port that a mail server usually has. */
export const smtpPort = ({
  smtp_port,
  smtp_security,
}: Pick<AlertTargetRecord, 'smtp_port' | 'smtp_security'>): number =>
  smtp_port ?? (smtp_security === 'tls' ? 465 : smtp_security === 'none' ? 25 : 587);

/** `address` of a target. @param origin of its URL, if it has one */
export function alertAddress(
  fields: Pick<AlertTargetRecord, 'type' | 'smtp_host' | 'smtp_port' | 'smtp_security'>,
  origin: string | undefined,
): string | null {
  if (fields.type === 'email') return fields.smtp_host ? `${fields.smtp_host}:${smtpPort(fields)}` : null;
  return origin ?? null;
}
