import * as z from 'zod';
import type { ExportFormat } from '../../protocol/gateway/csv.ts';
import type { Answer } from './route.ts';

/** Of a list: a page as JSON, or everything that matches. */
export const ListFormat = z.enum(['json', 'csv', 'jsonl']).default('json');

const types: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
};

/** A table to be saved as a file. @param name without its ending */
export const file = (body: string | ReadableStream, format: ExportFormat, name: string): Answer => ({
  status: 200,
  body,
  headers: { 'content-type': types[format], 'content-disposition': `attachment; filename="${name}.${format}"` },
});

/** The same, as it is read: no piece is asked for before the one before it was sent. */
export function exported(text: AsyncIterable<string>, format: ExportFormat, name: string): Answer {
  const encoder = new TextEncoder();
  const pieces = text[Symbol.asyncIterator]();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await pieces.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    cancel: async () => void (await pieces.return?.()),
  });
  return file(stream, format, name);
}
