/**
 * Why a role or a command ended, as its exit code (numbers of sysexits.h; a wrong command line is 2, as with most commands).
 * GATEWAY.md has the table for operators.
 */
export const exitCodes = {
  ok: 0,
  /** The deadline of an orderly shutdown passed, or a bug ended the process. */
  unclean: 70,
  usage: 2,
  /** What was read is damaged, or was sealed with another secret. */
  badData: 65,
  /** No host could be reached or started; for commands, no gateway or database. */
  noHost: 69,
  /** The data directory or the socket's folder cannot be used. */
  badFolder: 73,
  /** Another host holds the lock. */
  locked: 75,
  /** The running host speaks no protocol version of ours. */
  versions: 76,
  /** The gateway refused the key, or what was asked of it. */
  refused: 77,
  /** The configuration contains errors. */
  badConfig: 78,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends a role. The message is one sentence for the person, printed on stderr; it may name paths of their own machine. */
export class LaunchFailure extends Error {
  override readonly name = 'LaunchFailure';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

const words: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EEXIST: 'a file is in its place',
  ENOTDIR: 'a file is in its place',
  ENOENT: 'it does not exist',
};

/** What went wrong, for a person: "permission denied (EACCES)". */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { code } = thrown as { code?: unknown };
  if (typeof code !== 'string') return thrown.message;
  const word = words[code];
  return word === undefined ? code : `${word} (${code})`;
}
