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
