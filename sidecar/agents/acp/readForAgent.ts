import { Fault } from '../../platform/faults.ts';
import type { SessionFiles } from '../provider.ts';

/**
 * A file for an agent that reads through its client. One that is not there reads as empty: an agent was seen that
 * takes an error for the end of its attempt to create the file.
 *
 * @throws {Fault} `forbidden` outside the session's folders
 */
export async function readForAgent(
  request: { path: string; line?: number | null | undefined; limit?: number | null | undefined },
  files: SessionFiles,
): Promise<string> {
  let text: string;
  try {
    text = await files.readText(request.path);
  } catch (thrown) {
    if (thrown instanceof Fault && (thrown.code === 'not_found' || thrown.code === 'content_not_found')) return '';
    throw thrown;
  }
  const { line, limit } = request;
  if (line == null && limit == null) return text;
  const from = Math.max(1, line ?? 1) - 1;
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines.slice(from, limit == null ? undefined : from + Math.max(0, limit)).join('');
}
