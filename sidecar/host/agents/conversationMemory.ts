import type { ConversationMemory } from '../../agents/memory.ts';
import { Fault } from '../../platform/faults.ts';
import type { EffectDeps } from '../context/effectDeps.ts';

/** The conversations of one chat in the host's database. They are removed with the chat. */
export function conversationMemory(
  { store, storage, secrets }: Pick<EffectDeps, 'store' | 'storage' | 'secrets'>,
  chat: string,
): ConversationMemory {
  const write = async (work: () => void): Promise<void> => {
    store.writeRows(() => void (store.has(chat) && work()));
    await store.whenWritable();
    if (!(await store.settled())) throw new Fault('unavailable', store.failureReason);
  };
  // Output of tools can contain secrets of the window's environment.
  const clean = (entry: string) => JSON.stringify(secrets.within(JSON.parse(entry) as unknown));
  return {
    load: (resumeId) => storage.conversations.all(chat, resumeId),
    append: (resumeId, entry) => write(() => storage.conversations.append(chat, resumeId, clean(entry))),
    begin: (resumeId, entry) =>
      write(() => {
        storage.conversations.removeOthers(chat, resumeId);
        storage.conversations.append(chat, resumeId, clean(entry));
      }),
    replace: (resumeId, entries) => write(() => storage.conversations.replace(chat, resumeId, entries.map(clean))),
  };
}
