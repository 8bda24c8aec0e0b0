import { existsSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { HostStorage } from '../../sidecar/host/storage/hostStorage.ts';
import type { Fault } from './fault.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Journal = Writable<HostStorage['journal']>;

export const storageFaults: readonly (() => Fault)[] = [
  () => ({
    name: 'the journal says that it has lines that it did not write',
    storage(storage, random) {
      const journal: Journal = storage.journal;
      const { append } = journal;
      journal.append = (texts, chain) => (random.chance(0.3) ? chain : append(texts, chain));
    },
  }),
  () => ({
    name: 'the journal writes its lines late, with the next ones',
    storage(storage) {
      const journal: Journal = storage.journal;
      const { append } = journal;
      let late: (() => void) | undefined;
      journal.append = (texts, chain) => {
        late?.();
        late = () => void append(texts, chain);
        return chain;
      };
    },
  }),
  () => ({
    name: 'the journal writes its lines twice',
    storage(storage) {
      const journal: Journal = storage.journal;
      const { append } = journal;
      journal.append = (texts, chain) => append(texts, append(texts, chain));
    },
  }),
  () => ({
    name: 'a transaction that was committed is rolled back',
    storage(storage, random) {
      const rows: Writable<HostStorage> = storage;
      const { transaction } = storage;
      const forgotten = new Error('forgotten');
      rows.transaction = (work) => {
        if (!random.chance(0.05)) return transaction(work);
        let result: { readonly value: ReturnType<typeof work> } | undefined;
        try {
          transaction(() => {
            result = { value: work() };
            throw forgotten;
          });
        } catch (thrown) {
          if (!result) throw thrown;
        }
        return result!.value;
      };
    },
  }),
  () => ({
    name: 'the dispatches that took effect are not remembered',
    storage(storage) {
      const dispatches: Writable<HostStorage['dispatches']> = storage.dispatches;
      dispatches.all = () => [];
    },
  }),
  () => ({
    name: 'a turn that has ended is not written',
    storage(storage, random) {
      const chats: Writable<HostStorage['chats']> = storage.chats;
      const { insertTurn } = chats;
      chats.insertTurn = (...all) => (random.chance(0.3) ? undefined : insertTurn(...all));
    },
  }),
  () => ({
    name: 'two pieces of a running turn are kept in the wrong order',
    storage(storage) {
      const chats: Writable<HostStorage['chats']> = storage.chats;
      const { appendOp } = chats;
      chats.appendOp = (chat, seq, text) => appendOp(chat, seq % 2 === 0 ? seq + 3 : seq, text);
    },
  }),
  () => ({
    name: 'the numbers that were given out are not reserved',
    storage(storage) {
      const small: Writable<HostStorage['small']> = storage.small;
      const { putNumber } = small;
      small.putNumber = (name, value) => putNumber(name, name === 'serverSeq' ? value - 10_000 : value);
    },
  }),
  () => ({
    name: 'a crash takes the end of the journal',
    image(folder) {
      const file = join(folder, 'host.journal');
      if (existsSync(file)) truncateSync(file, Math.floor(statSync(file).size / 2));
    },
  }),
  () => ({
    name: 'a crash takes the log of the database',
    image: (folder) => rmSync(join(folder, 'host.db-wal'), { force: true }),
  }),
];
