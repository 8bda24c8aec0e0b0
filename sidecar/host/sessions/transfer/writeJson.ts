import type { SessionHead, SessionRecord } from '../../../protocol/channels/session/sessionFile.ts';

/** One record to a line, so that files can be compared, and read without all of them in memory. */
export async function* writeJson(head: SessionHead, records: AsyncIterable<SessionRecord>): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},\n"records":[`;
  let separator = '\n';
  for await (const record of records) {
    yield `${separator}${JSON.stringify(record)}`;
    separator = ',\n';
  }
  yield '\n]}\n';
}
