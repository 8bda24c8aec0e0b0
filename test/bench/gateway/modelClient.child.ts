import { openStreams } from './streamsChild.ts';

/** Opens streams of a model. */
openStreams((stays) => {
  const messages = [
    { role: 'system', content: 'You write code. '.repeat(500) },
    { role: 'user', content: stays ? 'stay' : 'Hi' },
  ];
  return { model: 'bench', stream: true, messages };
});
