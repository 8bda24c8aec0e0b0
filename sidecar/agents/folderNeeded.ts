import { Fault } from '../platform/faults.ts';

/** What is asked for works on files or runs commands, and the session was made without a folder. */
export const folderNeeded = (): Fault =>
  new Fault('folder_needed', 'This session has no folder to work in. Open a folder, then begin a new session.');
