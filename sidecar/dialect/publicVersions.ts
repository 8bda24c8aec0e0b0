type Numbers = readonly [major: number, minor: number, patch: number];

/** A published version. Up to 0.9, each minor version added features. From 1.0 on, clients check for members instead. */
export interface PublicVersion {
  /** As the client offered it. */
  readonly text: string;
  readonly numbers: Numbers;
}

/** What `data` of -32005 says. */
export const supportedVersions = ['^0.5.1', '^0.6.0', '^0.7.0', '^0.8.0', '^0.9.0', '^1.0.0'] as const;

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

/**
 * The highest version that is offered and served, whatever the order of the offers.
 * `malformed`: one of the offers is not a version, so no version is chosen. `none`: answer -32005, and then close.
 */
export function choosePublicVersion(offered: unknown): PublicVersion | 'malformed' | 'none' {
  if (!Array.isArray(offered)) return 'malformed';
  let highest: readonly string[] | undefined;
  for (const text of offered as readonly unknown[]) {
    const found = typeof text === 'string' ? VERSION.exec(text) : null;
    if (!found) return 'malformed';
    if (isServed(found) && (!highest || isHigher(found, highest))) highest = found;
  }
  if (!highest) return 'none';
  const [text = '', major, minor, patch] = highest;
  return { text, numbers: [Number(major), Number(minor), Number(patch)] };
}

function isServed([, major, minor, patch]: readonly string[]): boolean {
  if (major === '1') return true;
  return major === '0' && /^[5-9]$/.test(minor!) && !(minor === '5' && patch === '0');
}

/** There may be more digits than a number can hold. */
function isHigher(one: readonly string[], other: readonly string[]): boolean {
  for (const at of [1, 2, 3]) {
    const [a, b] = [one[at]!, other[at]!];
    if (a !== b) return a.length === b.length ? a > b : a.length > b.length;
  }
  return false;
}

export function isAtLeast({ numbers }: PublicVersion, ...since: Numbers): boolean {
  const [major, minor, patch] = since;
  if (numbers[0] !== major) return numbers[0] > major;
  return numbers[1] === minor ? numbers[2] >= patch : numbers[1] > minor;
}

/** The version that introduced each action which came after 0.5.1; all others are older. */
const introduced: Readonly<Record<string, Numbers>> = {
  'session/mcpServerStartRequested': [0, 5, 2],
  'session/mcpServerStopRequested': [0, 5, 2],
  'chat/toolCallAuthRequired': [0, 6, 0],
  'chat/toolCallAuthResolved': [0, 6, 0],
  'changeset/filesReviewChanged': [0, 6, 0],
  'session/workingDirectorySet': [0, 7, 0],
  'session/workingDirectoryRemoved': [0, 7, 0],
  'chat/workingDirectorySet': [0, 7, 0],
  'chat/workingDirectoryRemoved': [0, 7, 0],
  'session/workingDirectoryReplaced': [0, 8, 0],
  'chat/turnResume': [0, 9, 0],
  'automation/createRequested': [0, 9, 0],
  'automation/updateRequested': [0, 9, 0],
  'automation/set': [0, 9, 0],
  'automation/removed': [0, 9, 0],
  'automationRun/cancelRequested': [0, 9, 0],
  'automationRun/lifecycleChanged': [0, 9, 0],
  'automationRun/sessionSet': [0, 9, 0],
  'automationRun/sessionRemoved': [0, 9, 0],
  'automationRun/primarySessionChanged': [0, 9, 0],
  // Published in 1.0; clients that speak 0.9 send them already.
  'chat/isReadChanged': [0, 9, 0],
  'chat/isArchivedChanged': [0, 9, 0],
  'session/chatsReordered': [1, 0, 0],
  'session/mcpServerBackgroundRequested': [1, 0, 0],
  'chat/movableChanged': [1, 0, 0],
  'chat/changesetsChanged': [1, 0, 0],
  'chat/backgroundWorkSet': [1, 0, 0],
  'chat/backgroundWorkRemoved': [1, 0, 0],
  'chat/canvasesChanged': [1, 0, 0],
  'canvas/stateChanged': [1, 0, 0],
};

/** A host sends no action that is newer than what was agreed on. */
export function knowsAction(version: PublicVersion, type: string): boolean {
  const since = Object.hasOwn(introduced, type) ? introduced[type] : undefined;
  return since === undefined || isAtLeast(version, ...since);
}
