import { promisedBy } from '../promised.ts';

export const messages = promisedBy('host completion, Messages', {
  'host.message.attached-chats':
    'What an attached chat said is kept with the message when it is accepted: nothing that becomes of the source changes it.',
});
