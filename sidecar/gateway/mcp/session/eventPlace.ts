import type { RpcId } from '../../../protocol/gateway/mcpWire.ts';

/** The place of an event: its replica, its stream, and its number. */
export interface EventPlace {
  readonly replica: string;
  readonly stream: string;
  readonly seq: number;
  /** The request that the stream answers; absent if its ID is too long for event IDs. */
  readonly requestId: RpcId | undefined;
  /** The backend's last event ID, for asking the backend once no replica has the stream. */
  readonly behind: string | undefined;
}

const maxRequestId = 128;
const mark = 'sb1.';

/** What the IDs of all events of a stream begin with. */
export const startOfIds = (replica: string, stream: string): string => `${mark}${replica}.${stream}.`;

/** What the IDs of all events of a stream end with. */
export function endOfIds(requestId: RpcId): string {
  const text = JSON.stringify(requestId);
  return text.length > maxRequestId ? '.' : `.${Buffer.from(text).toString('base64url')}`;
}

export const withBehind = (id: string, behind: string | undefined): string =>
  behind === undefined ? id : `${id}~${behind}`;

/** Reads the id of an event of ours; `undefined` for one of a backend. */
export function readEventPlace(id: string): EventPlace | undefined {
  const [, replica, stream, seq, request, behind] =
    /^sb1\.([\w-]{1,64})\.([\w-]{1,64})\.(\d{1,15})\.([\w-]{0,256})(?:~(.*))?$/s.exec(id) ?? [];
  if (replica === undefined || stream === undefined || seq === undefined || request === undefined) return undefined;
  return { replica, stream, seq: Number(seq), requestId: readRequestId(request), behind };
}

function readRequestId(text: string): RpcId | undefined {
  if (text === '') return undefined;
  try {
    const id: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id)) ? id : undefined;
  } catch {
    return undefined; // nothing that we wrote
  }
}
