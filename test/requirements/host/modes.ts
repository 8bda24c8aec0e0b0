import { promisedBy } from '../promised.ts';

export const modes = promisedBy('README, Security in plain words', {
  'host.mode.chosen':
    'A mode in which an agent decides by itself holds only in the session in which a client chose it.',
  'host.mode.not-inherited': 'What was chosen in one session means nothing for the next one, its forks included.',
  'host.mode.asking-default':
    'A new session begins in a mode in which the agent asks, also where the agent itself begins in another.',
  'host.mode.own-change':
    'An agent that changes its own mode so that it decides by itself is set back; one that does not go back is ended.',
  'host.mode.resumed': 'A session that is resumed keeps the mode that was chosen in it.',
});
