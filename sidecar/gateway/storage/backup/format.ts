import * as z from 'zod';

/**
 * A backup is JSON lines, compressed with gzip: a head, a line `[table, row]` for each row, and an end, without which the file is
 * not whole. It is the same for both databases, so that a gateway can move from one to the other.
 */
export const BackupHead = z.object({
  switchboard: z.literal('gateway backup'),
  format: z.literal(1),
  /** Of the build that wrote it. */
  version: z.string(),
  /** RFC 3339, UTC. */
  at: z.string(),
  /** Those that had run. */
  migrations: z.array(z.string()).min(1),
});
export type BackupHead = z.infer<typeof BackupHead>;

export const BackupRow = z.tuple([z.string(), z.record(z.string(), z.union([z.string(), z.number(), z.null()]))]);
export const BackupEnd = z.object({ rows: z.record(z.string(), z.int().min(0)) });
