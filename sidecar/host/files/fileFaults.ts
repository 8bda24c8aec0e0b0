import { Fault } from '../../platform/faults.ts';

/** The error of the file system as a fault for clients: never with a path. Anything unknown is a bug, and thrown on. */
export function toFileFault(thrown: unknown): unknown {
  if (thrown instanceof Fault) return thrown;
  switch (codeOf(thrown)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new Fault('not_found', 'file or folder not found', { cause: thrown });
    case 'EEXIST':
      return new Fault('already_exists', 'a file or folder with this name already exists', { cause: thrown });
    case 'ENOTEMPTY':
      return new Fault('already_exists', 'the folder is not empty', { cause: thrown });
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ELOOP':
      return new Fault('forbidden', 'the operating system denied access', { data: {}, cause: thrown });
    case 'ENAMETOOLONG':
      return new Fault('invalid_params', 'uri: too long', { cause: thrown });
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
    case 'EMFILE':
    case 'ENFILE':
      return new Fault('unavailable', 'the system has run out of disk space or file handles', { cause: thrown });
    case 'EISDIR':
      return new Fault('invalid_params', 'this is a folder', { cause: thrown });
    default:
      return thrown;
  }
}

export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** Runs `work`, and says what went wrong in the words of {@link toFileFault}. */
export async function asFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw toFileFault(thrown);
  }
}
