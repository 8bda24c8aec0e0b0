import { isRecord } from '../../../platform/isRecord.ts';
import { A2aQuery } from '../../../protocol/gateway/a2aWire.ts';

export type Verb = 'GET' | 'POST' | 'DELETE';

/** An operation of the HTTP+JSON binding. */
export interface Operation {
  readonly verb: Verb;
  /** Below the agent's address. */
  readonly path: string;
  /** The A2A 1.0 method for the same operation over JSON-RPC. */
  readonly method: string;
  /** The part after the task and a colon. */
  readonly action?: string;
}

const task = 'tasks/{task}';
const configs = `${task}/pushNotificationConfigs`;

export const operations: readonly Operation[] = [
  { verb: 'POST', path: 'message:send', method: 'SendMessage' },
  { verb: 'POST', path: 'message:stream', method: 'SendStreamingMessage' },
  { verb: 'GET', path: 'tasks', method: 'ListTasks' },
  { verb: 'GET', path: task, method: 'SubscribeToTask', action: 'subscribe' },
  { verb: 'POST', path: task, method: 'SubscribeToTask', action: 'subscribe' },
  { verb: 'POST', path: task, method: 'CancelTask', action: 'cancel' },
  { verb: 'GET', path: task, method: 'GetTask' },
  { verb: 'POST', path: configs, method: 'CreateTaskPushNotificationConfig' },
  { verb: 'GET', path: configs, method: 'ListTaskPushNotificationConfigs' },
  { verb: 'GET', path: `${configs}/{config}`, method: 'GetTaskPushNotificationConfig' },
  { verb: 'DELETE', path: `${configs}/{config}`, method: 'DeleteTaskPushNotificationConfig' },
  { verb: 'GET', path: 'extendedAgentCard', method: 'GetExtendedAgentCard' },
];
/** The path of A2A 0.3 for the extended card. */
export const legacyCard: Operation = { verb: 'GET', path: 'card', method: 'GetExtendedAgentCard' };

/** What the method and path of a request specify. */
export interface RestCall {
  readonly operation: Operation;
  readonly isLegacy: boolean;
  readonly tenant?: string;
  readonly task?: string;
  readonly config?: string;
}

/** How a caller wrote a request. The agent gets it in the same form. */
export interface RestForm {
  /** The media type of the body. Absent if there is no body. */
  readonly type?: string;
  /** The protocol version in the query (A2A 1.0, Service Parameters). */
  readonly version?: string;
  /** The push notification config is in a member `config`, as in protobuf's request message of A2A 0.3. */
  readonly isWrapped?: boolean;
}

/** The member of `params` for the task. */
export const taskMember = ({ method }: Operation): 'id' | 'taskId' => (/Config/.test(method) ? 'taskId' : 'id');

/** The name of the query parameter for the protocol version. */
export const versionName = 'A2A-Version';

/** The query parameters in place of a body. */
export const queryNames = A2aQuery.keyof().options.filter((it) => it !== versionName);

/** Writes the address of a request from its judged parameters. @param base where the agent takes calls */
export function urlOf(
  { operation, isLegacy, tenant }: RestCall,
  { version }: RestForm,
  params: unknown,
  base: string,
): string {
  const held = isRecord(params) ? params : {};
  const values: Readonly<Record<string, unknown>> = { task: held[taskMember(operation)], config: held['id'] };
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const action = operation.action === undefined ? '' : `:${operation.action}`;
  const before = tenant !== undefined ? [encodeURIComponent(tenant)] : isLegacy ? ['v1'] : [];
  const url = new URL(base);
  url.hash = '';
  url.pathname = [url.pathname.replace(/\/+$/, ''), ...before, `${path}${action}`].join('/');
  if (version !== undefined) url.searchParams.append(versionName, version);
  if (operation.verb === 'POST') return url.href;
  for (const name of queryNames)
    if (typeof held[name] === 'string' && !(name === 'tenant' && tenant !== undefined))
      url.searchParams.append(name, held[name]);
  return url.href;
}

/** Writes the body of a request from its judged parameters, without what the address specifies. */
export function bodyOf({ operation, isLegacy, tenant }: RestCall, { isWrapped }: RestForm, params: unknown): object {
  const held = { ...(isRecord(params) ? params : {}) };
  if (tenant !== undefined) delete held['tenant'];
  if (!operation.path.includes('{task}')) return held;
  const { [taskMember(operation)]: id, name, configId, ...rest } = held;
  const below = typeof name === 'string' ? name.split('/').slice(2) : undefined;
  const named = (parts: readonly string[]) => ({ name: ['tasks', id, ...parts].join('/') });
  if (operation.method !== 'CreateTaskPushNotificationConfig') return { ...(below && named(below)), ...rest };
  if (!isLegacy) return { ...held };
  // Agents of A2A 0.3 read the task in the name, whatever the path says.
  const config = { ...named(below ?? ['pushNotificationConfigs', configIn(rest)]), ...rest };
  return isWrapped ? { parent: `tasks/${String(id)}`, ...(configId !== undefined && { configId }), config } : config;
}

function configIn({ pushNotificationConfig: config }: Readonly<Record<string, unknown>>): string {
  return isRecord(config) && typeof config['id'] === 'string' ? config['id'] : '';
}
