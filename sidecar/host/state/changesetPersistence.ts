import type { ChangesetFile, ChangesetState } from '../../protocol/channels/changeset/schema.ts';
import type { Persistence } from './persistence.ts';

/** A changeset as one row for its head and one for each file: one edit among thousands writes one row. */
export const changesetPersistence: Persistence<ChangesetState> = {
  load(storage, uri) {
    const head = storage.changesets.head(uri);
    if (!head) return undefined;
    const files = storage.changesets.files(uri).map((it) => JSON.parse(it) as ChangesetFile);
    return { state: { ...(JSON.parse(head.body) as ChangesetState), files }, metadata: { session: head.session } };
  },

  write(storage, uri, base, now) {
    const before = base?.state.files ?? [];
    const { files, ...head } = now.state;
    storage.changesets.put(uri, now.metadata.session ?? '', JSON.stringify(head));
    if (files === before) return;
    const kept = new Set(files.map((it) => it.id));
    for (const it of before) if (!kept.has(it.id)) storage.changesets.removeFile(uri, it.id);
    files.forEach((file, n) => {
      if (before[n] !== file) storage.changesets.putFile(uri, { id: file.id, n, body: JSON.stringify(file) });
    });
  },

  remove: (storage, uri) => storage.changesets.remove(uri),
};
