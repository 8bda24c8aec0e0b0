import type {
  CallGate,
  EmbeddedGateway,
  EmbeddedGatewayDeps,
  GatewayStart,
  OfferedAgent,
  OfferedModel,
  RecordedCall,
} from '../../launch/gateway/gatewayContract.ts';
import { Latest } from '../../launch/gateway/latest.ts';
import { Fault } from '../../platform/faults.ts';
import { keepAdminKey } from '../auth/adminKey.ts';
import { hashKey } from '../auth/keys.ts';
import { openRunning, type Running } from './embeddedRunning.ts';

/**
 * The gateway of one user. It listens on loopback, on the same port as before if that is free, and stores its data with SQLite in
 * the data directory. It follows the configuration file in that directory, and does not start if the file is invalid, because the
 * file may contain restrictions.
 */
export function openEmbeddedGateway(deps: EmbeddedGatewayDeps): EmbeddedGateway {
  const { clock, newId, log } = deps.runtime;
  const trust: { isTrusted: boolean; allowedCommands: readonly string[] } = { isTrusted: false, allowedCommands: [] };
  let running: Promise<Running> | undefined;
  let secret: string | undefined;
  let gate: CallGate | undefined;
  const listeners = new Set<(call: RecordedCall) => void>();
  const agents = new Latest<readonly OfferedAgent[]>();
  const models = new Latest<readonly OfferedModel[]>();

  async function start(request: GatewayStart): Promise<{ readonly baseUrl: string }> {
    if (request.secret !== undefined) log.hide(request.secret);
    log.hide(request.adminKey);
    trust.isTrusted ||= request.isTrusted;
    if (request.isTrusted && request.allowedCommands) trust.allowedCommands = request.allowedCommands;
    if (running && request.secret !== secret) {
      throw new Fault(
        'conflict',
        'The gateway was started by another editor, which uses a different secret. Stop the host and try again.',
      );
    }
    if (!running) {
      secret = request.secret;
      running = openRunning(deps, request, trust, {
        gate: () => gate,
        onCall: (call) => {
          for (const listener of listeners) listener(call);
        },
        onAgents: agents.set,
        onModels: models.set,
      }).catch((thrown: unknown) => {
        running = undefined;
        throw thrown;
      });
    }
    const { gateway } = await running;
    await keepAdminKey(gateway.store, request.adminKey, clock.now(), newId);
    return { baseUrl: gateway.baseUrl };
  }

  return {
    start,
    async sessionTools(session) {
      const { gateway, sessionKeys } = (await running) ?? {};
      if (!gateway || !sessionKeys) return undefined;
      const { total } = await gateway.store.mcp_server.list({ limit: 1 });
      return total === 0 ? undefined : { url: `${gateway.baseUrl}/mcp`, key: await sessionKeys.keyOf({ session }) };
    },
    async sessionModels(session, chat) {
      const { gateway, sessionKeys } = (await running) ?? {};
      if (!gateway || !sessionKeys) return undefined;
      const { total } = await gateway.store.model.list({ limit: 1 });
      if (total === 0) return undefined;
      const key = await sessionKeys.keyOf({ session, chat });
      const usable = await gateway.modelsOf(hashKey(key));
      return usable.length === 0 ? undefined : { url: gateway.baseUrl, key, models: usable };
    },
    onAgents: agents.follow,
    onModels: models.follow,
    async sessionAgents(session, chat, service) {
      const { gateway, sessionKeys } = (await running) ?? {};
      if (!gateway || !sessionKeys) return undefined;
      return { url: gateway.baseUrl, key: await sessionKeys.keyOf({ session, chat, use: service }) };
    },
    onCall(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    gateCalls(it) {
      gate = it;
    },
    async sessionEnded(session) {
      await (await running)?.sessionKeys.end(session);
    },
    facts: async () => (await running)?.facts(),
    async close() {
      const { gateway, configured, children } = (await running?.catch(() => undefined)) ?? {};
      await configured?.close();
      await gateway?.close();
      await children?.stopAll();
    },
  };
}
