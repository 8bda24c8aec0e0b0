import * as z from 'zod';
import { ChangesetFile } from '../changeset/schema.ts';

/** What goes back to how it was before a turn. */
export const RestoreWhat = z.enum(['files', 'chat', 'both']);
export type RestoreWhat = z.infer<typeof RestoreWhat>;

export const RestorePreview = z.object({
  /** How many turns would go from the chat. */
  turns: z.int().nonnegative(),
  /** Each file once, from what it was before the turn to what the last turn made of it. */
  files: z.array(ChangesetFile),
});
export type RestorePreview = z.infer<typeof RestorePreview>;

/** In `_meta.restored` of a session, by chat: a restore that can still be taken back. */
export const Restored = z.record(
  z.string(),
  z.object({
    turns: z.int().nonnegative(),
    files: z.int().nonnegative(),
    /** The last turn of the chat since then: absent where none is left. After another one nothing is taken back. */
    after: z.string().exactOptional(),
  }),
);
export type Restored = z.infer<typeof Restored>;
