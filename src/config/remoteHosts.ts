import * as z from 'zod';
import { addressProblem, hostAddress } from './hostAddress.ts';

/** Hosts elsewhere: each once, at an address that may be attached to. Tokens are no settings. */
export const RemoteHostSettings = z
  .array(
    z.strictObject({
      name: z.string().trim().min(1).max(60).exactOptional(),
      address: z
        .string()
        .superRefine((text, context) => {
          const message = addressProblem({ t: (it) => it }, text);
          if (message !== undefined) context.addIssue({ code: 'custom', message });
        })
        .transform((text) => hostAddress(text) ?? text),
    }),
  )
  .superRefine((hosts, context) => {
    const seen = new Set<string>();
    hosts.forEach(({ address }, index) => {
      if (seen.has(address)) context.addIssue({ code: 'custom', path: [index, 'address'], message: 'is used twice' });
      seen.add(address);
    });
  });
export type RemoteHostSetting = z.output<typeof RemoteHostSettings>[number];
