/** A published version: of 0.x the minor counts, and patch levels below it for what was added in between. */
export interface PublicVersion {
  readonly text: string;
  readonly minor: number;
  readonly patch: number;
}

/** What `data` of -32005 says. */
export const supportedVersions = ['^0.5.1', '^0.6.0', '^0.7.0', '^0.8.0', '^0.9.0'] as const;

/**
 * The first version in the client's order that is served; of a served minor version any patch level is.
 * `undefined`: answer -32005 (host.error.-32005), then close.
 */
export function choosePublicVersion(offered: unknown): PublicVersion | undefined {
  if (!Array.isArray(offered)) return undefined;
  for (const text of offered) {
    const found = typeof text === 'string' && /^0\.([5-9])\.(0|[1-9]\d{0,5})$/.exec(text);
    if (!found) continue;
    const version = { text, minor: Number(found[1]), patch: Number(found[2]) };
    if (isAtLeast(version, 5, 1)) return version;
  }
  return undefined;
}

export function isAtLeast(version: PublicVersion, minor: number, patch = 0): boolean {
  return version.minor > minor || (version.minor === minor && version.patch >= patch);
}

/** The version that introduced each action which came after 0.5.1; all others are older. */
const introduced: Readonly<Record<string, readonly [minor: number, patch: number]>> = {
  'session/mcpServerStartRequested': [5, 2],
  'session/mcpServerStopRequested': [5, 2],
  'chat/toolCallAuthRequired': [6, 0],
  'chat/toolCallAuthResolved': [6, 0],
  'changeset/filesReviewChanged': [6, 0],
  'session/workingDirectorySet': [7, 0],
  'session/workingDirectoryRemoved': [7, 0],
  'chat/workingDirectorySet': [7, 0],
  'chat/workingDirectoryRemoved': [7, 0],
  // Published in 1.0; clients that speak 0.9 send them already.
  'chat/isReadChanged': [9, 0],
  'chat/isArchivedChanged': [9, 0],
};

/** A host sends no action that is newer than what was agreed on. */
export function knowsAction(version: PublicVersion, type: string): boolean {
  const since = Object.hasOwn(introduced, type) ? introduced[type] : undefined;
  return since === undefined || isAtLeast(version, ...since);
}
