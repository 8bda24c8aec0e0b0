import * as z from 'zod';

/** Who made a record and who changed it last; RFC 3339, UTC. */
export const stampShape = {
  created_at: z.string(),
  created_by: z.string().nullish(),
  updated_at: z.string(),
  updated_by: z.string().nullish(),
};

export const Id = z.string().min(1).max(256);
export const Tags = z.array(z.string().min(1).max(256)).max(256);
/** Whatever a person keeps with a record. */
export const Metadata = z.record(z.string(), z.unknown());

const NETWORK =
  /^(?:(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!\/|$)|(?=\/|$))){4}(?:\/(?:3[0-2]|[12]?\d))?|[\dA-F]*:[\dA-F:.]+(?:\/(?:12[0-8]|1[01]\d|\d?\d))?)$/i;
/** Addresses and networks that calls may come from. Absent or empty: any. */
export const AllowedIps = z
  .array(z.string().max(64).regex(NETWORK, 'must be an IP address or a network, such as 10.0.0.7 or 10.0.0.0/8'))
  .max(256);
