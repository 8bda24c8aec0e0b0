import { Fault } from '../../../platform/faults.ts';

/**
 * Where an entry of an archive goes, from the folder that it is unpacked into.
 * @returns '' for that folder itself
 * @throws {Fault} `unavailable` for a name that leads, or could be read as leading, anywhere else
 */
export function entryPath(name: string): string {
  const parts = name.split('/').filter((it) => it !== '' && it !== '.');
  const isOdd =
    name.startsWith('/') || /[\\:\p{Cc}]/u.test(name) || parts.some((it) => it === '..' || /[. ]$/.test(it));
  if (isOdd) throw unsafe('it contains a file that would be written outside its folder');
  return parts.join('/');
}

export function unsafe(why: string): Fault {
  return new Fault('unavailable', `The archive was rejected: ${why}.`);
}
export function damaged(): Fault {
  return new Fault('unavailable', 'The archive is damaged.');
}
