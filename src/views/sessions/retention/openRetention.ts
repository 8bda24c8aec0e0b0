import * as vscode from 'vscode';
import type { SessionCatalogue } from '../../../client/catalogue.ts';
import type { HostPort } from '../../../client/port.ts';
import { settingIds } from '../../../manifest/manifest.ts';
import { nowMs } from '../../../platform/clock.ts';
import { readPins } from '../pins.ts';
import { deleteOldSessions } from './oldSessions.ts';

export interface RetentionDeps {
  /** Of the host of this machine. */
  readonly client: HostPort;
  readonly catalogue: SessionCatalogue;
  readonly ofPerson: Pick<vscode.Memento, 'get'>;
  readonly chats: { isOpen(session: string): boolean };
  readonly log: { info(message: string): void; warn(message: string): void };
}

/** A number that is still being typed deletes nothing. */
const AFTER_CHANGE_MS = 5 * 60_000;
const EVERY_MS = 6 * 60 * 60_000;

/** Deletes sessions whose time is over, while the host runs. Off by default. */
export function openRetention(deps: RetentionDeps): vscode.Disposable {
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
    const wanted = wantedDays();
    if (wanted === days) return;
    days = wanted;
    runIn(AFTER_CHANGE_MS);
  };
  follow();
  const changes = vscode.workspace.onDidChangeConfiguration(follow);
  const connections = deps.client.onDidConnect(() => runIn(AFTER_CHANGE_MS));
  return new vscode.Disposable(() => {
    clearTimeout(timer);
    changes.dispose();
    connections.dispose();
  });
}

/** A value that does not fit deletes nothing: the editor marks it in settings.json. */
function wantedDays(): number {
  const value = vscode.workspace.getConfiguration().get<unknown>(settingIds.keepTranscriptDays);
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : 0;
}

async function deleteOld({ client, catalogue, ofPerson, chats, log }: RetentionDeps, keepDays: number) {
  const warn = (message: string) => log.warn(message);
  try {
    const deleted = await deleteOldSessions({
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
