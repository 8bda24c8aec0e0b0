import * as z from 'zod';
import { RootChannel } from '../../commands.ts';
import { Uri } from '../../shared.ts';

const onRoot = { channel: RootChannel };
const ofAgent = {
  ...onRoot,
  provider: z.string().min(1),
  /** Of the window, and absent for none: an agent lists what it keeps for this folder, if it works in folders. */
  workingDirectory: Uri.exactOptional(),
};

/** A conversation that an agent keeps, and that no session of this host goes on with. */
export const ConversationInfo = z.object({
  id: z.string().min(1),
  title: z.string(),
  /** What else tells it from others. */
  detail: z.string().exactOptional(),
  /** ISO 8601. */
  updatedAt: z.string().exactOptional(),
});
export type ConversationInfo = z.infer<typeof ConversationInfo>;

export const ConversationsParams = z.object(ofAgent);
export const ConversationsResult = z.object({ items: z.array(ConversationInfo) });
export const ConversationOpenParams = z.object({
  ...ofAgent,
  id: ConversationInfo.shape.id,
  /** The session to make. */
  session: Uri,
});
