import * as z from 'zod';
import { described } from '../../building.ts';
import { alertRuleShape } from '../alerts/rule.ts';
import { alertTargetShape } from '../alerts/target.ts';
import { Id } from '../stamps.ts';
import { SecretRef, TextOrSecret } from './secretRef.ts';

/** Where messages are sent; its name is the member's. */
export const ConfigAlertTarget = z.strictObject(
  described(
    {
      ...alertTargetShape,
      url: TextOrSecret.nullish(),
      secret: SecretRef.nullish(),
      smtp_password: SecretRef.nullish(),
    },
    {
      type: 'webhook (signed JSON), slack, teams, or email.',
      description: 'Human-readable description.',
      url: 'URL to post to. For slack and teams, the URL is a secret, so it must be { "env": … } or { "file": … }.',
      secret:
        'Secret that signs the messages of a webhook, at least 16 characters. A value that begins with whsec_ is Base64.',
      allow_private_network: 'Allow addresses on loopback and private networks.',
      smtp_host: 'Hostname of the mail server.',
      smtp_port: 'Port of the mail server. Default: 587, with tls 465, and with none 25.',
      smtp_security: 'starttls (default), tls, or none.',
      smtp_username: 'Username at the mail server.',
      smtp_password: 'Password at the mail server.',
      from: 'Email address of the sender.',
      to: 'Email addresses of the recipients.',
    },
  ),
);
export type ConfigAlertTarget = z.infer<typeof ConfigAlertTarget>;

/** What is sent where; its name is the member's. */
export const ConfigAlertRule = z.strictObject(
  described(alertRuleShape, {
    events: 'What to report.',
    targets: 'Names of the targets to send it to.',
    enabled: 'Set to false to turn the rule off.',
    group_minutes:
      'Events of the same kind within this many minutes become one message with a count. 0 sends each one by itself. Default: 1.',
    servers: 'IDs of the MCP servers to report on. Default: all.',
    error_rate: 'For error_rate: share of failed calls that is reported, from 0.001 to 1. Default: 0.1.',
    window_minutes: 'For error_rate: number of minutes over which calls are counted. Default: 5.',
    min_calls: 'For error_rate: minimum number of calls in the window. Default: 20.',
    days_before: 'For key_expiring and certificate_expiring: how many days before it to report. Default: 14.',
  }),
);
export type ConfigAlertRule = z.infer<typeof ConfigAlertRule>;

export const ConfigAlerts = z.strictObject({
  targets: z.record(Id, ConfigAlertTarget).default({}).describe('Where alerts are sent, by name.'),
  rules: z.record(Id, ConfigAlertRule).default({}).describe('Which alerts are sent, by name.'),
});
