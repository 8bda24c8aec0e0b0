import { openStreams } from './streamsChild.ts';

/** Opens streams of an A2A agent. */
openStreams(
  (rest) => {
    const parts = [{ kind: 'text', text: `rest ${rest}` }];
    const message = { kind: 'message', role: 'user', messageId: 'm', parts };
    return { jsonrpc: '2.0', id: 1, method: 'message/stream', params: { message } };
  },
  { accept: 'text/event-stream' },
);
