import { Worker } from 'node:worker_threads';

/** Transactions between two requests for a checkpoint: 250 small ones are about 2 MB of log. */
const TRANSACTIONS_PER_CHECKPOINT = 250;
/** Pages of 4,096 bytes that the log may hold before the writer itself ends a checkpoint: 64 MB. */
const MOST_PAGES = 16_384;

/**
 * Source of the worker, as text: it stands outside the bundle's modules and needs nothing but Node. It has a connection
 * of its own, so the thread that serves clients never waits for a checkpoint.
 */
const SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const sql = new DatabaseSync(workerData.file);
sql.exec('PRAGMA busy_timeout = 0; PRAGMA journal_size_limit = 0;');
parentPort.on('message', (task) => {
  try {
    if (task === 'check') {
      const verdict = sql.prepare('PRAGMA quick_check(1)').get();
      parentPort.postMessage({ sound: verdict.quick_check === 'ok' });
    } else if (task === 'close') {
      sql.close();
      parentPort.postMessage({ closed: true });
      parentPort.close();
    } else {
      const done = sql.prepare('PRAGMA wal_checkpoint(' + (task === 'tidy' ? 'TRUNCATE' : 'PASSIVE') + ')').get();
      parentPort.postMessage({ pages: done.log });
    }
  } catch (thrown) {
    if (task === 'check') parentPort.postMessage({ sound: false });
    else parentPort.postMessage({ failed: String(thrown && thrown.message) });
  }
});
`;

export interface Checkpointer {
  /** Called after each transaction. */
  wrote(): void;
  /** Brings the log back to zero bytes; for moments when nothing runs. */
  tidy(): void;
  /** Looks for damage in the whole file. */
  check(): void;
  close(): Promise<void>;
}

export interface CheckpointerDeps {
  /** Of the database. */
  readonly file: string;
  /** The check found damage. */
  readonly onDamage: () => void;
  /** A checkpoint failed; the data is safe in the log, which grows until one succeeds. */
  readonly onFailure: (message: string) => void;
  /**
   * Checkpoints on the connection that writes, between two transactions. The log begins anew only when all of it is in
   * the database; the worker alone never gets there while something is written all the time.
   */
  readonly catchUp: () => void;
  /** The log may hold so many pages before `catchUp`. Default 16,384, 64 MB. */
  readonly mostPages?: number;
}

export function openCheckpointer({
  file,
  onDamage,
  onFailure,
  catchUp,
  mostPages = MOST_PAGES,
}: CheckpointerDeps): Checkpointer {
  let worker: Worker | undefined;
  let written = 0;
  let isBehind = false;
  let onClosed: (() => void) | undefined;

  function post(task: 'checkpoint' | 'tidy' | 'check' | 'close'): void {
    if (!worker) {
      worker = new Worker(SOURCE, { eval: true, workerData: { file } });
      worker.on('message', (message: { sound?: boolean; pages?: number; failed?: string; closed?: boolean }) => {
        if (message.sound === false) onDamage();
        if (message.pages !== undefined) isBehind = message.pages > mostPages;
        if (message.failed !== undefined) onFailure(message.failed);
        if (message.closed) onClosed?.();
      });
      worker.on('error', (thrown) => {
        worker = undefined;
        onFailure(String(thrown));
        onClosed?.();
      });
      worker.unref(); // last, because a listener for messages keeps the process alive again
    }
    worker.postMessage(task);
  }

  function end(): void {
    isBehind = false;
    try {
      catchUp();
    } catch (thrown) {
      onFailure(String(thrown)); // what was committed before it stands
    }
  }

  return {
    wrote() {
      written += 1;
      if (isBehind) end();
      if (written % TRANSACTIONS_PER_CHECKPOINT === 0) post('checkpoint');
    },
    tidy() {
      if (written === 0) return;
      written = 0;
      post('tidy');
    },
    check: () => post('check'),
    async close() {
      const running = worker;
      if (!running) return;
      running.ref();
      await new Promise<void>((resolve) => {
        onClosed = resolve;
        post('close');
      });
      await running.terminate();
    },
  };
}
