import * as vscode from 'vscode';
import type { SessionCatalogue } from '../../../client/catalogue.ts';
import type { HostPort } from '../../../client/port.ts';
import { nowMs } from '../../../platform/clock.ts';
import { readPins } from '../pins.ts';
import type { OldSessionsDeps } from './oldSessions.ts';

export interface RetentionDeps {
  /** Of the host of this machine. */
  readonly client: HostPort;
  readonly catalogue: SessionCatalogue;
  readonly config: {
    readonly settings: { readonly keepTranscriptDays: number };
    onDidChange(listener: () => void): { dispose(): void };
  };
  readonly ofPerson: Pick<vscode.Memento, 'get'>;
  readonly chats: { isOpen(session: string): boolean };
  readonly log: { info(message: string): void; warn(message: string): void };
  /** Loaded when the setting is on. */
  readonly load: () => { deleteOldSessions(deps: OldSessionsDeps): Promise<number> };
}

/** A number that is still being typed deletes nothing. */
const AFTER_CHANGE_MS = 5 * 60_000;
const EVERY_MS = 6 * 60 * 60_000;

/** Deletes sessions whose time is over, while the host runs and a window is open. Off by default. */
export function registerRetention(deps: RetentionDeps): vscode.Disposable {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let days = 0;
  const runIn = (delayMs: number) => {
    clearTimeout(timer);
    timer = days === 0 ? undefined : setTimeout(() => void run(), delayMs);
  };
  const run = async () => {
    // The host is not started for this.
    if (deps.catalogue.isLoaded) await deleteOld(deps, days);
    runIn(EVERY_MS);
  };
  const follow = () => {
    const { keepTranscriptDays } = deps.config.settings;
    if (keepTranscriptDays === days) return;
    days = keepTranscriptDays;
    runIn(AFTER_CHANGE_MS);
  };
  follow();
  const changes = deps.config.onDidChange(follow);
  const connections = deps.client.onDidConnect(() => runIn(AFTER_CHANGE_MS));
  return new vscode.Disposable(() => {
    clearTimeout(timer);
    changes.dispose();
    connections.dispose();
  });
}

async function deleteOld({ client, catalogue, ofPerson, chats, log, load }: RetentionDeps, keepDays: number) {
  const warn = (message: string) => log.warn(message);
  try {
    const deleted = await load().deleteOldSessions({
      port: client,
      known: (it) => catalogue.get(it),
      pins: () => readPins(ofPerson),
      isOpen: (it) => chats.isOpen(it),
      keepDays,
      nowMs: nowMs(),
      warn,
    });
    if (deleted > 0) log.info(`${deleted} sessions were deleted, because nobody used them for ${keepDays} days`);
  } catch (thrown) {
    warn(`old sessions were not deleted: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}
