import { openStreams } from './streamsChild.ts';

/** Opens streams of a model. */
openStreams((rest) => {
  const messages = [
    { role: 'system', content: 'You write code. '.repeat(500) },
    { role: 'user', content: `Send the rest ${rest}.` },
  ];
  return { model: 'bench', stream: true, messages };
});
