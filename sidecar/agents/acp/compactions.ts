import type { SessionUpdate } from './wire.ts';

type CompactionUpdate = Extract<
  SessionUpdate,
  { readonly sessionUpdate: 'compaction_update' | 'compaction_summary_chunk' }
>;

/** Compactions of an agent's context in one turn. Their summaries arrive in pieces. */
export class Compactions {
  /** By ID: the summary so far. */
  readonly #summaries = new Map<string, string>();
  readonly #ended = new Set<string>();

  /** @returns what a person reads about a compaction, once it has ended */
  updated(update: CompactionUpdate): string | undefined {
    const { compactionId: id } = update;
    if (update.sessionUpdate === 'compaction_summary_chunk') {
      this.#summaries.set(id, `${this.#summaries.get(id) ?? ''}${update.content.text ?? ''}`);
      return undefined;
    }
    const { status, summary, error } = update;
    if (summary !== undefined) this.#summaries.set(id, summary.map((it) => it.text ?? '').join(''));
    if ((status !== 'completed' && status !== 'failed') || this.#ended.has(id)) return undefined;
    this.#ended.add(id);
    if (status === 'failed') return error ? `${FAILED} ${error}` : FAILED;
    const text = this.#summaries.get(id)?.trim() ?? '';
    return text === '' ? DONE : `${DONE}\n\n${text}`;
  }
}
const DONE = 'The earlier conversation was summarized.';
const FAILED = 'The earlier conversation could not be summarized.';
