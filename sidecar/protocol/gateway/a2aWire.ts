import * as z from 'zod';
import { jsonRpcErrors } from '../jsonRpcErrors.ts';
import { a2aParams } from './a2aMembers.ts';
import type { MethodParams } from './mcpMethods.ts';

/** A request as A2A sends it over JSON-RPC. `params` are judged by the method. */
export const A2aRequest = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string().min(1).max(256),
  params: z.unknown().optional(),
});
export type A2aRequest = z.infer<typeof A2aRequest>;

/** What an agent answers with: a result or an error; everything else is none. Most are results, which are tried first. */
export const A2aAnswer = z.union([
  z
    .looseObject({ jsonrpc: z.literal('2.0'), result: z.unknown(), error: z.undefined().optional() })
    .refine((it) => 'result' in it),
  z.looseObject({
    jsonrpc: z.literal('2.0'),
    error: z.looseObject({ code: z.int(), message: z.string() }),
    result: z.null().optional(),
  }),
]);
export type A2aAnswer = z.infer<typeof A2aAnswer>;

/** Error numbers that the gateway itself answers with. */
export const a2aErrors = {
  ...jsonRpcErrors,
  taskNotFound: -32001,
  pushUnsupported: -32003,
  unsupported: -32004,
  contentType: -32005,
  /** No such agent, or one without an address. */
  noAgent: -32000,
} as const;

const Open = z.looseObject({});
/** The members that the gateway reads, because they contain IDs and webhooks. The agent checks that nothing is missing. */
export const A2aParams = z
  .looseObject({
    message: Open.nullish(),
    configuration: z
      .looseObject({
        pushNotificationConfig: Open.nullish(),
        taskPushNotificationConfig: Open.nullish(),
        pushNotification: Open.nullish(),
      })
      .nullish(),
    pushNotificationConfig: Open.nullish(),
  })
  .nullish();

/** A query over HTTP+JSON, in camelCase. Except for the version, the agent checks the values. */
export const A2aQuery = z
  .strictObject({
    'A2A-Version': z.string().regex(/^\d{1,4}(?:\.\d{1,4}){0,2}$/),
    tenant: z.string(),
    contextId: z.string(),
    status: z.string(),
    pageSize: z.string(),
    pageToken: z.string(),
    historyLength: z.string(),
    lastUpdatedAfter: z.string(),
    statusTimestampAfter: z.string(),
    includeArtifacts: z.string(),
  })
  .partial();
export type A2aQuery = z.infer<typeof A2aQuery>;

/** One method of A2A 0.3 or 1.0. Nothing is translated between the two. */
export interface A2aMethod {
  /** The members of `params` that A2A names. */
  readonly members: MethodParams;
  /** It says something to the agent: it costs, and it is one of a session's iterations. */
  readonly isMessage: boolean;
  /** Answered by a stream of events. */
  readonly streams: boolean;
  /** Answered by an agent card. */
  readonly isCard: boolean;
  /** Answered by the tasks that the agent has, whoever began them. */
  readonly isList: boolean;
  /** `params.id` names a task. In A2A 1.0 it may name a push notification config instead. */
  readonly idIsTask: boolean;
  /** Where addresses may stand that the agent is to call. */
  readonly webhooks: 'configuration' | 'params' | undefined;
}

const plain: A2aMethod = {
  members: a2aParams.tasks,
  isMessage: false,
  streams: false,
  isCard: false,
  isList: false,
  idIsTask: false,
  webhooks: undefined,
};
const send: A2aMethod = {
  ...plain,
  members: a2aParams.message,
  isMessage: true,
  webhooks: 'configuration',
};
const stream: A2aMethod = { ...send, streams: true };
const byId: A2aMethod = { ...plain, members: a2aParams.task, idIsTask: true };
const byTask: A2aMethod = { ...plain, members: a2aParams.task };
const webhook: A2aMethod = { ...plain, members: a2aParams.webhook, webhooks: 'params' };
const subscribe: A2aMethod = { ...byId, streams: true };
const list: A2aMethod = { ...plain, isList: true };
const card: A2aMethod = { ...plain, members: a2aParams.card, isCard: true };

/** A method of another version, or one that only this agent has. The gateway cannot interpret its parameters. */
export const unknownA2aMethod: A2aMethod = plain;

/** Methods of A2A 1.0 are protobuf's: their members may be written in snake_case (ProtoJSON). */
export const isProtobufMethod = (method: string): boolean => !method.includes('/');

/** Every method that the gateway relays: those of A2A 0.3 have a slash, those of 1.0 are one word. */
export const a2aMethods: ReadonlyMap<string, A2aMethod> = new Map([
  ['message/send', send],
  ['message/stream', stream],
  ['tasks/get', byId],
  ['tasks/list', list],
  ['tasks/cancel', byId],
  ['tasks/resubscribe', subscribe],
  ['tasks/pushNotificationConfig/set', { ...webhook, idIsTask: true }],
  ['tasks/pushNotificationConfig/get', byId],
  ['tasks/pushNotificationConfig/list', byId],
  ['tasks/pushNotificationConfig/delete', byId],
  ['agent/getAuthenticatedExtendedCard', card],
  ['SendMessage', send],
  ['SendStreamingMessage', stream],
  ['GetTask', byId],
  ['ListTasks', list],
  ['CancelTask', byId],
  ['SubscribeToTask', subscribe],
  ['CreateTaskPushNotificationConfig', webhook],
  ['GetTaskPushNotificationConfig', byTask],
  ['ListTaskPushNotificationConfigs', byTask],
  ['DeleteTaskPushNotificationConfig', byTask],
  ['GetExtendedAgentCard', card],
]);
