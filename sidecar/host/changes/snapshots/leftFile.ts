import { basename } from 'node:path';
import * as z from 'zod';
import { Fault, type FaultCode } from '../../../platform/faults.ts';
import { codeOf, toFileFault } from '../../files/fileFaults.ts';
import { shownName } from '../../files/rawPath.ts';
import type { NotKept } from './fileState.ts';

/** Why an operation left a file as it is. */
export const LeftMark = z.object({
  /**
   * `conflict`: it holds something else by now; `notKept`: its bytes are nowhere; `refused`: it lies elsewhere, or the
   * system does not allow it; `notWritten`: it could not be written now.
   */
  reason: z.enum(['conflict', 'notKept', 'refused', 'notWritten']),
  /** What follows the name of the file in a sentence. */
  message: z.string(),
});
export type LeftMark = z.infer<typeof LeftMark>;

export interface LeftFile extends LeftMark {
  readonly path: string;
}

const codes: Record<LeftMark['reason'], FaultCode> = {
  conflict: 'conflict',
  notKept: 'content_not_found',
  refused: 'forbidden',
  notWritten: 'unavailable',
};
export function codeOfLeft({ reason }: LeftMark): FaultCode {
  return codes[reason];
}

const whyNotKept: Record<NotKept, string> = {
  tooLarge: 'it was too large to save',
  unreadable: 'it could not be read when Switchboard tried to save its content',
  overBudget: 'it was not saved because its folder is too large to copy',
  deleted: 'its content existed only in its Git repository, which was also deleted',
};
export function notKept(path: string, why: NotKept): LeftFile {
  return { path, reason: 'notKept', message: whyNotKept[why] };
}

export function changedSince(path: string): LeftFile {
  return { path, reason: 'conflict', message: 'it has changed since the agent wrote it' };
}

/** What a write threw, as what is said of the file: never with a path or the system's words. */
export function toLeft(path: string, thrown: unknown): LeftFile {
  const fault = toFileFault(thrown);
  if (!(fault instanceof Fault)) return { path, reason: 'notWritten', message: 'it could not be written' };
  const { code, message } = fault;
  if (code === 'content_not_found') return { path, reason: 'notKept', message: 'its content is no longer available' };
  if (code === 'forbidden') return { path, reason: 'refused', message };
  const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(codeOf(fault.cause) ?? '');
  if (isFull) return { path, reason: 'notWritten', message: 'there is not enough disk space' };
  if (code === 'unavailable') return { path, reason: 'notWritten', message };
  return { path, reason: 'conflict', message: 'something else is now at its path' };
}

/** How a file is called in a sentence. */
export function nameOf(path: string): string {
  return shownName(basename(path));
}
