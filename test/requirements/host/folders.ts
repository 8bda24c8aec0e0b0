import { promisedBy } from '../promised.ts';

export const folders = promisedBy('README, Security in plain words', {
  'host.folder.checked':
    'The folders of a session are checked when it is made, opened, resumed and prompted: one that is gone is an error with a way out.',
  'host.folder.runbook':
    'A runbook talks and asks in a session without a folder; its shell and edit steps are refused there with folderNeeded, before anybody is asked.',
  'host.folder.no-root': 'No agent runs in the root of the file system, or anywhere else than it was told.',
  'host.folder.uri': 'What is no file URI of a folder is refused as invalid, naming the field.',
});
