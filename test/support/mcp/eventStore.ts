import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** Keeps what a server said on each stream, so that a client that was cut off can go on from there. */
export function eventStore(): EventStore {
  const events: { readonly id: string; readonly stream: string; readonly message: JSONRPCMessage }[] = [];
  return {
    storeEvent(stream, message) {
      const id = `event-${events.length}`;
      events.push({ id, stream, message });
      return Promise.resolve(id);
    },
    async replayEventsAfter(lastEventId, { send }) {
      const at = events.findIndex((it) => it.id === lastEventId);
      const stream = events[at]?.stream ?? '';
      for (const it of events.slice(at + 1))
        if (it.stream === stream && Object.keys(it.message).length > 0) await send(it.id, it.message);
      return stream;
    },
  };
}
