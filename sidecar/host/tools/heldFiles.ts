import { basename } from 'node:path';
import type { HeldMeta } from '../../protocol/channels/chat/heldMeta.ts';
import type { ConfirmationOption } from '../../protocol/channels/chat/toolCalls.ts';
import { codeSpan, escapeMarkdown, visibleText } from '../../protocol/visibleText.ts';
import type { FileHolder } from '../changes/fileHolders.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import { toFileUri } from '../context/paths.ts';
import type { TurnWriter } from './turnWriter.ts';

/** The call runs when no other session changes its files. */
export const WHEN_FREE = 'allow-when-free';
/** The call runs, and from now on the other sessions are warned instead of this one. */
export const TAKE_OVER = 'allow-take-over';

/** Why a call cannot wait for a session that waits for the session of the call. The agent reads this. */
export const WAIT_FOR_EACH_OTHER =
  'The other session is waiting for this session, so the change cannot wait for it. Try again, so that the user can decide.';

/** The answers to a call that would change what other sessions are changing. Two sessions never wait for each other. */
export function heldOptions(holders: readonly FileHolder[]): ConfirmationOption[] {
  if (holders.length === 0) return [];
  const wait = { id: WHEN_FREE, label: 'Allow when the other session is done', kind: 'approve', group: 0 } as const;
  const takeOver = { id: TAKE_OVER, label: 'Allow and take over', kind: 'approve', group: 0 } as const;
  return holders.some((it) => it.isWaitingForUs) ? [takeOver] : [wait, takeOver];
}

export function heldMeta({ store }: Pick<EffectDeps, 'store'>, holders: readonly FileHolder[]): Partial<HeldMeta> {
  if (holders.length === 0) return {};
  const heldBy = holders.map(({ session, paths }) => ({
    session,
    title: store.state('session', session)?.title ?? '',
    files: paths.map((it) => toFileUri(it)),
  }));
  return { heldBy };
}

/** Reports in the chat that another session changes the same files, if nobody was asked about that. */
export function noteHolders(
  { store }: Pick<EffectDeps, 'store'>,
  writer: Pick<TurnWriter, 'notice'>,
  holders: readonly FileHolder[],
): void {
  for (const { session, paths } of holders) {
    const title = escapeMarkdown(visibleText(store.state('session', session)?.title ?? ''));
    const names = paths.map((it) => codeSpan(visibleText(basename(it)))).join(', ');
    writer.notice(`The session "${title}" is also changing ${names}.`);
  }
}
