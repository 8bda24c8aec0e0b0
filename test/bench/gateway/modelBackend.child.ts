import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerOrders } from './child.ts';

/**
 * A model provider whose chats have a thousand chunks, each in its own write. The prompt says when the chunks after the first one are
 * sent. If they are never sent, the stream stays open until the caller disconnects.
 */
const CHUNKS = 1_000;
/** Longer than the first chunk takes to reach the caller. */
const PAUSE_MS = 5;
const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 0, model: 'bench' };
const chunk = (more: object) => Buffer.from(`data: ${JSON.stringify({ ...base, ...more })}\n\n`);
const word = chunk({ choices: [{ index: 0, delta: { content: ' word' }, finish_reason: null }], usage: null });
const usage = chunk({ choices: [], usage: { prompt_tokens: 9, completion_tokens: CHUNKS, total_tokens: CHUNKS + 9 } });

const server = createServer((request, response) => {
  text(request)
    .then((said) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(word);
      let left = CHUNKS - 1;
      const write = () => {
        if (left > 0) {
          left -= 1;
          response.write(word);
          setImmediate(write);
        } else response.end(Buffer.concat([usage, Buffer.from('data: [DONE]\n\n')]));
      };
      if (said.includes('rest at once')) setImmediate(write);
      else if (said.includes('rest after a pause')) setTimeout(write, PAUSE_MS);
    })
    .catch((thrown: unknown) => response.destroy(thrown as Error));
});

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  answerOrders(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => undefined);
});
