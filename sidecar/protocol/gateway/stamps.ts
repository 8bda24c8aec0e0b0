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

const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);
/** Addresses and networks that calls may come from. Absent or empty: any. */
export const AllowedIps = z
  .array(
    z
      .string()
      .max(64)
      .refine(
        (it) => Network.safeParse(it).success,
        'must be an IP address or a network, such as 10.0.0.7 or 10.0.0.0/8',
      ),
  )
  .max(256);
