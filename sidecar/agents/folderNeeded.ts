import { Fault } from '../platform/faults.ts';

/** What is asked for works on files or runs commands, and the session was made without a folder. */
export const folderNeeded = (): Fault =>
  new Fault('folder_needed', 'This session has no working folder. Open a folder, and then start a new session.');
