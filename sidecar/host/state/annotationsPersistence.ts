import type { Annotation, AnnotationsState } from '../../protocol/channels/annotations/schema.ts';
import { parseAnnotationsUri } from '../../protocol/uris.ts';
import type { Persistence } from './persistence.ts';

/** Every session has this channel, from the first remark on with rows: what is not there yet is an empty list. */
export const annotationsPersistence: Persistence<AnnotationsState> = {
  load(storage, uri) {
    const session = parseAnnotationsUri(uri);
    if (session === undefined || !storage.sessions.get(session)) return undefined;
    const annotations = storage.annotations.ofSession(session).map((it) => JSON.parse(it) as Annotation);
    return { state: { annotations }, metadata: { session } };
  },

  write(storage, _uri, base, now) {
    const session = now.metadata.session ?? '';
    const before = base?.state.annotations ?? [];
    const { annotations } = now.state;
    const kept = new Set(annotations.map((it) => it.id));
    for (const { id } of before) if (!kept.has(id)) storage.annotations.remove(session, id);
    annotations.forEach((it, n) => {
      if (before[n] !== it) storage.annotations.put(session, it.id, n, JSON.stringify(it));
    });
  },

  remove(storage, uri) {
    const session = parseAnnotationsUri(uri);
    if (session !== undefined) storage.annotations.removeAll(session);
  },
};
