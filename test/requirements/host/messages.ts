import { promisedBy } from '../promised.ts';

export const messages = promisedBy('host completion, Messages', {
  'host.message.attached-chats':
    'What an attached chat said is kept with the message when it is accepted: nothing that becomes of the source changes it.',
  'host.message.first-agent':
    'A message that selects a custom agent before its session was read waits for that, at most 10 s; without such an agent its turn ends in words.',
});
