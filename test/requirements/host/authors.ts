import { promisedBy } from '../promised.ts';

/** Which session, prompt and approval wrote a line. */
export const authors = promisedBy('README, Work with agents', {
  'host.authors.lines': 'A line is of the turn that wrote it, whichever sessions changed the file before and after.',
  'host.authors.person': 'A line that a person changed since is nobody’s, saved or not.',
  'host.authors.by-file':
    'Who wrote the lines of a file is asked of the turns that changed this file, and of no others.',
  'host.authors.note':
    'The note of a commit names the agents of its lines, and is written only in a trusted folder of the window.',
});
