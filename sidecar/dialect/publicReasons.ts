/**
 * Actions of later versions that have no counterpart here, and the reason that a client gets which sends one: the host
 * itself only knows that it has no such action. They are never sent to a client.
 */
const reasons: Readonly<Record<string, string>> = {
  // The first folder of a session stays the first, which an added one would not be.
  'session/workingDirectoryReplaced':
    'a folder cannot be replaced in place; add the new folder, and then remove this one',
  // No error of ours says that its turn can be resumed.
  'chat/turnResume': 'a failed turn cannot be continued; send the message again',
};

/** The reason of a rejection as a client is shown it. */
export function toPublicReason(type: string, reason: string): string {
  return Object.hasOwn(reasons, type) ? reasons[type]! : reason;
}
