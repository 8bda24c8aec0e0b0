import * as z from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { Fault } from '../../platform/faults.ts';
import type { Log } from '../../platform/logger.ts';
import type { SecretRef } from '../../protocol/gateway/config/secretRef.ts';
import type { Guardrail } from '../../protocol/gateway/guardrail.ts';
import type { ServiceSecret } from '../../protocol/gateway/guardrails/httpService.ts';
import type { ToolPinRecord } from '../../protocol/gateway/toolPin.ts';
import type { CallContext } from '../auth/caller.ts';
import type { Backends } from '../backends/backends.ts';
import type { McpDeps, McpServer } from '../mcp/mcpDeps.ts';
import type { GatewayStore } from '../storage/store.ts';
import type { ToolDefinition } from './call.ts';
import { type Guardrails, openGuardrails } from './guardrails.ts';
import { cleanTool } from './pins/cleanTool.ts';
import type { PinStore, ToolPin } from './pins/toolPin.ts';
import { checkKnown } from './schemas/checkArguments.ts';
import type { KeyStore } from './signer/storedKeyring.ts';

const StoredKeys = z.array(z.object({ pem: z.string(), created_at: z.string() }));
/** How long one replica may take to write its signing keys. */
const LEASE_MS = 5_000;
const SIGNING = ['signing_key', 'mcp_jwt_signer', 'keys'] as const;

export interface GuardsParts {
  readonly store: GatewayStore;
  readonly backends: Backends;
  /** What is configured now: the same objects until something changes. */
  readonly configured: () => readonly Guardrail[];
  /** All tools of a server as it lists them to this caller. */
  readonly definitions: (context: CallContext, server: McpServer) => Promise<readonly ToolDefinition[]>;
  /** A server listed its tools. */
  readonly listed: (serverId: string, tools: readonly ToolDefinition[]) => void;
  readonly baseUrl: () => string;
  /** Reads a secret that the configuration names. Absent: there is no configuration. @throws {Fault} */
  readonly secretOf?: ((ref: SecretRef) => Promise<string>) | undefined;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: Log;
}

/** What the MCP surface asks of guardrails. */
export type GuardHooks = Pick<
  McpDeps,
  | 'preMcpCall'
  | 'beforeSending'
  | 'duringMcpCall'
  | 'postMcpCall'
  | 'guards'
  | 'preMcpList'
  | 'toolsListed'
  | 'cleanTool'
>;

export interface OpenedGuards {
  readonly guardrails: Guardrails;
  readonly hooks: GuardHooks;
  /** Whether the arguments of a call match a schema that is at hand. */
  readonly checkArguments: ReturnType<typeof checkKnown>;
}

/** The guardrails, with what they keep in the store, as the MCP surface asks them. */
export function openGuards(parts: GuardsParts): OpenedGuards {
  const { store, backends, configured, definitions, clock, newId, log } = parts;
  const secretOf = async (ref: ServiceSecret, name: string) => {
    const secret = 'stored' in ref ? await store.secrets.get('guardrail', name, 'secret') : await parts.secretOf?.(ref);
    if (secret !== undefined) return secret;
    throw new Fault('unavailable', `The secret of the guardrail '${name}' is missing.`);
  };
  const guardrails = openGuardrails({
    guardrails: configured,
    keyStore: signingKeys(store),
    issuer: parts.baseUrl,
    fetchJwks: (uri, signal) => backends.fetchJson(uri, { signal }),
    pinStore: pins(store, clock),
    onDrift({ server_id, tool, before, after }) {
      const auditId = newId();
      const entry = {
        id: auditId,
        at: clock.now(),
        actor: 'tool_definition_pin',
        action: 'drift',
        kind: 'tool',
      } as const;
      const object_id = `${server_id}/${tool}`;
      const texts = { before: before && JSON.stringify(before), after: JSON.stringify(after) };
      return store.audit.add({ ...entry, object_id, ...texts }, (transaction) =>
        store.alerts.note(transaction, {
          type: 'tool_definition_changed',
          occasion: `audit ${auditId}`,
          atMs: Date.parse(entry.at),
          subject: { type: 'tool', id: object_id, name: object_id },
          message: `The definition of the tool '${object_id}' is ${before ? 'not the approved one' : 'new'}. The tool is held until an administrator approves it.`,
          facts: { server_id, tool, is_new: before === null },
        }),
      );
    },
    service: { post: (...asked) => backends.postToService(...asked), secretOf },
    listTools: ({ context, server }) => definitions(context, server),
    newId,
    clock,
    log,
  });
  store.changes.listen((kind, id) => {
    if (kind === 'tool_pin') guardrails.pins.changed(id);
  });
  return {
    guardrails,
    hooks: {
      preMcpCall: (call) => guardrails.preMcpCall(call),
      beforeSending: (call) => guardrails.beforeSending(call),
      duringMcpCall: (call, signal) => guardrails.duringMcpCall(call, signal),
      postMcpCall: (call) => guardrails.postMcpCall(call),
      guards: (target) => guardrails.guards(target),
      preMcpList: (target) => guardrails.preMcpList(target),
      toolsListed: (target, tools) => {
        parts.listed(target.server.server_id, tools);
        return guardrails.toolsListed(target, tools);
      },
      cleanTool,
    },
    checkArguments: checkKnown(clock),
  };
}

function signingKeys({ secrets, leases }: GatewayStore): KeyStore {
  const load = async () => StoredKeys.parse(JSON.parse((await secrets.get(...SIGNING)) ?? '[]'));
  return {
    load,
    async save(keys, before) {
      const own = leases.forWork();
      if (!(await own.take('signing keys', LEASE_MS))) return false;
      try {
        if (JSON.stringify(await load()) !== JSON.stringify(before)) return false;
        await secrets.put(...SIGNING, JSON.stringify(keys));
        return true;
      } finally {
        await own.release('signing keys');
      }
    },
  };
}

type PinnedTool = ToolPinRecord['tools'][number];

function pins({ tool_pin: records }: GatewayStore, clock: Clock): PinStore {
  return {
    async get(serverId) {
      const record = await records.get(serverId);
      return new Map((record?.tools ?? []).map(({ tool, ...pin }) => [tool, pin satisfies ToolPin]));
    },
    async put(serverId, changes) {
      const entry = (tool: string, { definition, held, ...pin }: ToolPin): PinnedTool => ({
        tool,
        ...pin,
        definition: definition && { ...definition },
        ...(held && { held: { ...held, definition: { ...held.definition } } }),
      });
      const applied = (tools: readonly PinnedTool[]) => [
        ...tools.filter((it) => !changes.has(it.tool)),
        ...[...changes].flatMap(([tool, pin]) => (pin ? [entry(tool, pin)] : [])),
      ];
      const fresh = { server_id: serverId, tools: applied([]), created_at: clock.now() };
      const isThere = (await records.get(serverId)) !== undefined;
      const inserted = isThere
        ? false
        : await records.insert(fresh).then(
            () => true,
            (thrown: unknown) => {
              // Another replica was faster: what it wrote is kept and changed.
              if (!(thrown instanceof Fault) || thrown.code !== 'already_exists') throw thrown;
              return false;
            },
          );
      if (!inserted) await records.update(serverId, (it) => ({ ...it, tools: applied(it.tools) }));
    },
  };
}
