import * as vscode from 'vscode';
import type { SessionCatalogue } from '../../../client/catalogue.ts';
import type { HostPort } from '../../../client/port.ts';
import { settingIds } from '../../../manifest/manifest.ts';
import { nowMs } from '../../../platform/clock.ts';
import { whyOf } from '../../../platform/whyOf.ts';
import { readPins } from '../pins.ts';
import { deleteOldSessions } from './oldSessions.ts';
import { RetentionTimer } from './retentionTimer.ts';

export interface RetentionDeps {
  /** Of the host of this machine. */
  readonly client: HostPort;
  readonly catalogue: SessionCatalogue;
  readonly ofPerson: Pick<vscode.Memento, 'get'>;
  readonly chats: { isOpen(session: string): boolean };
  readonly log: { info(message: string): void; warn(message: string): void };
}

/** Deletes sessions whose time is over, while the host runs. Off by default. */
export function openRetention(deps: RetentionDeps): vscode.Disposable {
  const timer: RetentionTimer = new RetentionTimer(() => deleteOld(deps, () => timer.days));
  const follow = () => {
    timer.days = wantedDays();
  };
  follow();
  const changes = vscode.workspace.onDidChangeConfiguration(follow);
  const connections = deps.client.onDidConnect(() => timer.begin());
  return vscode.Disposable.from(timer, changes, connections);
}

/** A value that does not fit deletes nothing: the editor marks it in settings.json. */
function wantedDays(): number {
  const value = vscode.workspace.getConfiguration().get<unknown>(settingIds.keepTranscriptDays);
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : 0;
}

async function deleteOld({ client, catalogue, ofPerson, chats, log }: RetentionDeps, keepDays: () => number) {
  // The host is not started for this.
  if (!catalogue.isLoaded) return;
  const warn = (message: string) => log.warn(message);
  const days = keepDays();
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
    if (deleted > 0) log.info(`${deleted} sessions were deleted, because nobody used them for ${days} days`);
  } catch (thrown) {
    warn(`old sessions were not deleted: ${whyOf(thrown)}`);
  }
}
