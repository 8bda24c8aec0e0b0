import { chatPersistence } from '../../../sidecar/host/state/chatPersistence.ts';
import { sessionPersistence } from '../../../sidecar/host/state/sessionPersistence.ts';
import { Store } from '../../../sidecar/host/state/store.ts';
import { openStorage } from '../../../sidecar/host/storage/hostStorage.ts';

export const SESSION = 'host-session:/00000000-0000-4000-8000-000000000001';
export const CHAT = 'host-chat:/00000000-0000-4000-8000-000000000002';

/** The host's own storage and store, as the host puts them together, without whoever uses them. */
export function openPlace(dataDir: string) {
  const problems: string[] = [];
  const now = '2026-01-02T03:04:05.678Z';
  const storage = openStorage({
    dataDir,
    now,
    onDamage: () => problems.push('damaged'),
    warn: (it) => problems.push(it),
  });
  if (storage.setAside !== undefined) problems.push('set aside');
  const store = new Store({
    storage,
    clock: { now: () => now },
    persistence: { session: sessionPersistence, chat: chatPersistence },
    derive: () => [],
    schedule: (work, delayMs) => void (delayMs === 0 ? setImmediate(work) : setTimeout(work, delayMs).unref()),
    onTrouble: (fault) => fault && problems.push(fault.message),
    isPinned: () => true,
  });
  store.replay();
  return { store, storage, problems };
}
