import type { IncomingMessage } from 'node:http';

/**
 * Hands over each message of a body: those of an event stream as they come, each on one line, or a whole JSON text.
 * @returns settles at the end of the body. Rejects when it breaks off
 */
export async function readEvents(response: IncomingMessage, onEvent: (text: string) => void): Promise<void> {
  response.setEncoding('utf8');
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
  let text = '';
  for await (const chunk of response) {
    text += chunk as string;
    // Only a line's end ends a message: a large one is not looked through again with each of its pieces.
    if (!isStream || !(chunk as string).includes('\n')) continue;
    const events = text.split(/\r?\n\r?\n/);
    text = events.pop() ?? '';
    for (const it of events) {
      const data = it.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []));
      if (data.join('') !== '') onEvent(data.join(' ')); // JSON, in which a break may be a space
    }
  }
  if (!isStream && text.trim() !== '') onEvent(text.replaceAll(/[\r\n]+/g, ' '));
}
