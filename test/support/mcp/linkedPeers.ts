import type { Peers } from '../../../sidecar/gateway/mcp/session/peers.ts';
import { Fault } from '../../../sidecar/platform/faults.ts';

/** Replicas in one process, by their ids: what one asks arrives as it would through a database, as JSON. */
export function linkedPeers() {
  const answers = new Map<string, (body: unknown) => Promise<unknown>>();
  const asked: unknown[] = [];
  const deaf = new Set<string>();
  const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  const ask = async (replica: string, body: unknown): Promise<unknown> => {
    asked.push(body);
    if (deaf.has(replica)) throw new Fault('unavailable', 'It does not answer.', { data: { retry_after_s: 1 } });
    const answer = answers.get(replica);
    return answer && copy(await answer(copy(body)));
  };
  return {
    asked,
    open: (id: string): Peers => ({
      id,
      listen: (answer) => void answers.set(id, answer),
      ask,
      askOthers: (body) => Promise.all([...answers.keys()].filter((it) => it !== id).map((it) => ask(it, body))),
    }),
    /** It serves no more. */
    stop: (id: string) => void answers.delete(id),
    /** It serves, and does not answer. */
    silence: (id: string) => void deaf.add(id),
  };
}
