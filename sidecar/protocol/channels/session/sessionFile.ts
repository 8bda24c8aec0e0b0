import * as z from 'zod';
import { Timestamp, Uri } from '../../shared.ts';
import { ROOT } from '../../uris.ts';
import { Annotation } from '../annotations/schema.ts';
import { ChangesetFile } from '../changeset/schema.ts';
import { ChatOrigin, Turn } from '../chat/schema.ts';

/**
 * A session as a file. Everything that names the session or its chats has a number in place of its uuid, so that the same
 * session gives the same file wherever it is.
 */
export const SESSION_FORMAT = 'switchboard-session';

/** What a file says of its session as a whole. */
export const SessionHead = z.object({
  format: z.literal(SESSION_FORMAT),
  version: z.literal(1),
  /** For people: what was replaced and what is left out. */
  notice: z.string(),
  session: z.object({
    title: z.string().max(10_000),
    provider: z.string().min(1).max(1_000),
    createdAt: Timestamp,
    /** Where it worked. A session that is read from a file works nowhere. */
    folders: z.array(Uri).max(1_000),
  }),
});
export type SessionHead = z.infer<typeof SessionHead>;

/** Below it lies everything that a record refers to as `host-chat:/N`. */
const ChatRecord = z.object({
  kind: z.literal('chat'),
  chat: Uri,
  title: z.string(),
  modifiedAt: Timestamp,
  origin: ChatOrigin.exactOptional(),
  isDefault: z.boolean(),
});
const TurnRecord = z.object({ kind: z.literal('turn'), chat: Uri, turn: Turn });
/** Of one turn, or without `turn` of the whole session. */
const ChangeRecord = z.object({
  kind: z.literal('change'),
  turn: z.string().min(1).exactOptional(),
  file: ChangesetFile,
  /** For people and tools: what changed. Made anew from the contents by whoever writes the file. */
  patch: z.string().exactOptional(),
});
const CommentRecord = z.object({ kind: z.literal('comment'), comment: Annotation });
/** Stands before the first record that refers to it. */
const ContentRecord = z.object({
  kind: z.literal('content'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  encoding: z.enum(['utf-8', 'base64']),
  data: z.string(),
});
export const SessionRecord = z.discriminatedUnion('kind', [
  ChatRecord,
  TurnRecord,
  ChangeRecord,
  CommentRecord,
  ContentRecord,
]);
export type SessionRecord = z.infer<typeof SessionRecord>;
export type RecordOf<K extends SessionRecord['kind']> = Extract<SessionRecord, { kind: K }>;

/** Exported piece by piece: the texts of all answers, one behind the other, are the file. */
export const ExportSessionParams = z.object({
  /** The session. */
  channel: Uri,
  format: z.enum(['json', 'markdown']),
  /** Of the answer before; good for one request. */
  cursor: z.string().exactOptional(),
});
export const ExportSessionResult = z.object({ text: z.string(), nextCursor: z.string().exactOptional() });

/** Imported piece by piece: first the head, then the records in their order. The session is there after the last piece. */
export const ImportSessionParams = z.object({
  channel: Uri.default(ROOT),
  /** Chosen by the client: the address of the new session. */
  session: Uri,
  head: SessionHead.exactOptional(),
  records: z.array(SessionRecord),
  isLast: z.boolean(),
});

/** In the `_meta` of a session, and of its summary, that was read from a file: nothing runs in it. */
export const ImportedMeta = z.object({ folders: z.array(Uri) });
