import { isRecord } from '../platform/isRecord.ts';
import type { Json } from '../transport/webSocket/adapter.ts';

export type { Json };

/** What `of` names, changed, where it is there and a list; other members stay as they are. */
export function mapList(value: Json, of: string, change: (item: Json) => Json): Json {
  const list = value[of];
  if (!Array.isArray(list)) return value;
  return { ...value, [of]: list.map((it: unknown) => (isRecord(it) ? change(it) : it)) };
}

/** What `of` names, changed, where it is there and an object; other members stay as they are. */
export function mapMember(value: Json, of: string, change: (item: Json) => Json): Json {
  const member = value[of];
  if (!isRecord(member)) return value;
  const changed = change(member);
  return changed === member ? value : { ...value, [of]: changed };
}

export function textOf(value: Json, of: string): string | undefined {
  const member = value[of];
  return typeof member === 'string' ? member : undefined;
}
