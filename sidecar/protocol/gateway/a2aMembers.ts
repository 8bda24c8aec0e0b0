import type { MethodParams } from './mcpMethods.ts';

/*
 * The members of A2A messages by where they stand, of 0.3 and 1.0 together: no name of one means something else in the other.
 */
const file = { name: null, mimeType: null, bytes: null, uri: null };
const part = {
  kind: null,
  text: null,
  file,
  data: null,
  metadata: null,
  raw: null,
  url: null,
  filename: null,
  mediaType: null,
};
const message = {
  kind: null,
  messageId: null,
  contextId: null,
  taskId: null,
  role: null,
  parts: part,
  metadata: null,
  extensions: null,
  referenceTaskIds: null,
};
const webhook = {
  tenant: null,
  id: null,
  taskId: null,
  url: null,
  token: null,
  authentication: { scheme: null, schemes: null, credentials: null },
};
const configuration = {
  acceptedOutputModes: null,
  historyLength: null,
  blocking: null,
  returnImmediately: null,
  pushNotificationConfig: webhook,
  taskPushNotificationConfig: webhook,
  pushNotification: webhook,
};

/** The parameters over JSON-RPC. */
export const a2aParams = {
  message: { tenant: null, message, configuration, metadata: null },
  task: {
    tenant: null,
    id: null,
    taskId: null,
    historyLength: null,
    metadata: null,
    pushNotificationConfigId: null,
    pageSize: null,
    pageToken: null,
  },
  tasks: {
    tenant: null,
    contextId: null,
    status: null,
    pageSize: null,
    pageToken: null,
    historyLength: null,
    lastUpdatedAfter: null,
    statusTimestampAfter: null,
    includeArtifacts: null,
    metadata: null,
  },
  webhook: { ...webhook, pushNotificationConfig: webhook, metadata: null },
  card: { tenant: null },
} satisfies Readonly<Record<string, MethodParams>>;

/** A message over HTTP+JSON. A2A 0.3 names its parts `content`. */
const restMessage = { ...message, content: part };

/** The parameters over HTTP+JSON, from the path, query, and body. */
export const a2aRestParams = {
  ...a2aParams,
  message: { ...a2aParams.message, message: restMessage, request: restMessage },
  task: { ...a2aParams.task, name: null, parent: null },
  webhook: {
    ...a2aParams.webhook,
    name: null,
    parent: null,
    configId: null,
    config: { name: null, pushNotificationConfig: webhook },
  },
} satisfies Readonly<Record<string, MethodParams>>;
