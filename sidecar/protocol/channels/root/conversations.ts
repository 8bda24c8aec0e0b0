import * as z from 'zod';
import { RootChannel } from '../../commands.ts';
import { Uri } from '../../shared.ts';
import { CloudMeta } from '../session/cloudMeta.ts';

const onRoot = { channel: RootChannel };
const ofAgent = {
  ...onRoot,
  provider: z.string().min(1),
  /** Of the window; absent if it has none. An agent that works in folders lists the conversations of this folder. */
  workingDirectory: Uri.exactOptional(),
};

/** A conversation that an agent keeps, and that no session of this host continues. */
export const ConversationInfo = z.object({
  id: z.string().min(1),
  title: z.string(),
  /** Of an agent in the cloud. */
  cloud: CloudMeta.exactOptional(),
  /** ISO 8601. */
  updatedAt: z.string().exactOptional(),
});
export type ConversationInfo = z.infer<typeof ConversationInfo>;

export const ConversationsParams = z.object(ofAgent);
export const ConversationsResult = z.object({ items: z.array(ConversationInfo) });
export const ConversationOpenParams = z.object({
  ...ofAgent,
  id: ConversationInfo.shape.id,
  /** The session to create. */
  session: Uri,
});
