import type { Adapter, AdapterPayload } from 'oidc-provider';

/** What the authorization server of the tests remembers, for as long as it runs. */
export function memoryAdapter(): (name: string) => Adapter {
  const held = new Map<string, AdapterPayload>();
  const find = (test: (payload: AdapterPayload) => boolean) => [...held.values()].find(test);
  return (name) => {
    const key = (id: string) => `${name} ${id}`;
    return {
      upsert: async (id, payload) => void held.set(key(id), payload),
      find: async (id) => held.get(key(id)),
      findByUid: async (uid) => find((it) => it.uid === uid),
      findByUserCode: async (code) => find((it) => it.userCode === code),
      async consume(id) {
        const payload = held.get(key(id));
        if (payload) payload.consumed = true;
      },
      destroy: async (id) => void held.delete(key(id)),
      async revokeByGrantId(grantId) {
        for (const [id, payload] of held) if (payload.grantId === grantId) held.delete(id);
      },
    };
  };
}
