import { promisedBy } from '../promised.ts';

/** Sessions that leave as files, and that come from files. */
export const transfer = promisedBy('README, Work with agents', {
  'host.transfer.round-trip': 'A session that was exported, imported and exported again gives the same file.',
  'host.transfer.no-secrets':
    'An exported session holds no secret that the log would hide, and says that texts were replaced.',
  'host.transfer.read-only':
    'An imported session is archived, has no folder, takes no message, and can be read and searched.',
  'host.transfer.continued':
    'A new session of any agent goes on from an imported one, and its agent gets the transcript.',
  'host.transfer.checked': 'A file that does not follow the schema, or does not come whole, leaves nothing behind.',
  'host.transfer.in-pieces': 'A session leaves in pieces of a bounded size, however long it is.',
});
