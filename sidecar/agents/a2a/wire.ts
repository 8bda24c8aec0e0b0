import * as z from 'zod';
import { shownText } from '../../platform/shownText.ts';

/** The two generations of A2A. Their members have different names, and no name has different meanings in the two. */
export type Era = '0.3' | '1.0';

/** States of a task, as spelled in A2A 0.3. */
const taskStates = [
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'canceled',
  'failed',
  'rejected',
  'unknown',
] as const;
export type TaskState = (typeof taskStates)[number];

/** What a message or an artifact consists of. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'link'; readonly url: string; readonly name: string | undefined }
  | {
      readonly kind: 'bytes';
      readonly base64: string;
      readonly contentType: string;
      readonly name: string | undefined;
    };
export interface Message {
  readonly messageId: string;
  readonly parts: readonly Part[];
  readonly contextId: string | undefined;
  readonly taskId: string | undefined;
}
export interface Status {
  readonly state: TaskState;
  readonly message: Message | undefined;
  /** Distinguishes two states with the same name, if the agent provides a message or a timestamp. */
  readonly mark: string | undefined;
}
export interface Artifact {
  readonly artifactId: string;
  readonly name: string | undefined;
  readonly parts: readonly Part[];
}
interface OfTask {
  readonly taskId: string;
  readonly contextId: string | undefined;
}
/** A response of an agent, or an event of its stream. */
export type AgentEvent =
  | { readonly kind: 'message'; readonly message: Message }
  | (OfTask & { readonly kind: 'task'; readonly status: Status; readonly artifacts: readonly Artifact[] })
  | (OfTask & { readonly kind: 'status'; readonly status: Status })
  | (OfTask & {
      readonly kind: 'artifact';
      readonly artifact: Artifact;
      /** The parts follow those that the artifact already has. */
      readonly append: boolean;
      readonly isLast: boolean;
    });

const Name = z
  .string()
  .nullish()
  .transform((it) => (it ? shownText(it, 200) : undefined));
const Id = z.string().min(1).max(4_096);
const OptionalId = z
  .string()
  .max(4_096)
  .nullish()
  .transform((it) => it || undefined);

const PartOnWire = z
  .object({
    text: z.string().nullish(),
    data: z.unknown().optional(),
    file: z
      .object({ name: Name, mimeType: z.string().nullish(), bytes: z.string().nullish(), uri: z.string().nullish() })
      .nullish(),
    raw: z.string().nullish(),
    url: z.string().nullish(),
    filename: Name,
    mediaType: z.string().nullish(),
  })
  .transform(({ text, data, file, raw, url, filename, mediaType }): Part | undefined => {
    const name = file?.name ?? filename;
    const contentType = file?.mimeType || mediaType || 'application/octet-stream';
    const base64 = file?.bytes ?? raw;
    const address = file?.uri ?? url;
    if (typeof text === 'string') return { kind: 'text', text };
    if (typeof base64 === 'string') return { kind: 'bytes', base64, contentType: shownText(contentType, 200), name };
    if (typeof address === 'string') return { kind: 'link', url: address, name };
    if (data === undefined) return undefined;
    const json = Buffer.from(JSON.stringify(data, undefined, 2)).toString('base64');
    return { kind: 'bytes', base64: json, contentType: 'application/json', name };
  });
/** Parts of unknown kinds are left out. */
const Parts = z
  .array(PartOnWire)
  .nullish()
  .transform((parts) => (parts ?? []).filter((it) => it !== undefined));

const MessageOnWire = z.object({ messageId: Id, parts: Parts, contextId: OptionalId, taskId: OptionalId });
const StateOnWire = z.string().transform((it): TaskState => {
  const word = it
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
  return taskStates.find((known) => known === word) ?? 'unknown';
});
const StatusOnWire = z
  .object({ state: StateOnWire, message: MessageOnWire.nullish(), timestamp: OptionalId })
  .transform(
    ({ state, message, timestamp }): Status => ({
      state,
      message: message ?? undefined,
      mark: message?.messageId ?? timestamp,
    }),
  );
const ArtifactOnWire = z.object({ artifactId: Id, name: Name, parts: Parts });

const TaskOnWire = z.object({
  id: Id,
  contextId: OptionalId,
  status: StatusOnWire,
  artifacts: z
    .array(ArtifactOnWire)
    .nullish()
    .transform((it) => it ?? []),
});
const StatusUpdate = z.object({ taskId: Id, contextId: OptionalId, status: StatusOnWire });
const ArtifactUpdate = z.object({
  taskId: Id,
  contextId: OptionalId,
  artifact: ArtifactOnWire,
  append: z.boolean().nullish(),
  lastChunk: z.boolean().nullish(),
});
/** A2A 1.0 wraps each result in a member with the name of its type. A2A 0.3 has the member `kind`. */
const Wrapped = z.object({
  kind: z.string().nullish(),
  task: z.unknown().optional(),
  message: z.unknown().optional(),
  statusUpdate: z.unknown().optional(),
  artifactUpdate: z.unknown().optional(),
});

/** A task as `tasks/get` and `tasks/cancel` return it. @throws {z.ZodError} */
export function readTask(result: unknown): Extract<AgentEvent, { kind: 'task' }> {
  const { id, contextId, status, artifacts } = TaskOnWire.parse(result);
  return { kind: 'task', taskId: id, contextId, status, artifacts };
}

/** The result of a message, or one event of a stream. @throws {z.ZodError} for anything else */
export function readEvent(result: unknown): AgentEvent {
  const { kind, task, message, statusUpdate, artifactUpdate } = Wrapped.parse(result);
  if (task || kind === 'task') return readTask(task ?? result);
  if (statusUpdate || kind === 'status-update') {
    const { taskId, contextId, status } = StatusUpdate.parse(statusUpdate ?? result);
    return { kind: 'status', taskId, contextId, status };
  }
  if (artifactUpdate || kind === 'artifact-update') {
    const { append, lastChunk, ...update } = ArtifactUpdate.parse(artifactUpdate ?? result);
    return { kind: 'artifact', ...update, append: append === true, isLast: lastChunk === true };
  }
  return { kind: 'message', message: MessageOnWire.parse(message ?? result) };
}

const Interface = z.object({ protocolBinding: z.string().nullish(), protocolVersion: z.string().nullish() });
const Card = z.object({
  preferredTransport: z.string().nullish(),
  additionalInterfaces: z.array(z.object({ transport: z.string().nullish() })).nullish(),
  supportedInterfaces: z.array(Interface).nullish(),
  capabilities: z.object({ streaming: z.boolean().nullish() }).nullish(),
});

/** How an agent is called. */
export interface Manners {
  readonly era: Era;
  readonly streams: boolean;
}

/**
 * Reads from an agent card how the agent is called over JSON-RPC.
 *
 * @returns `undefined` if the agent does not accept JSON-RPC
 * @throws {z.ZodError}
 */
export function readCard(card: unknown): Manners | undefined {
  const { preferredTransport, additionalInterfaces, supportedInterfaces, capabilities } = Card.parse(card);
  const streams = capabilities?.streaming === true;
  if (supportedInterfaces && supportedInterfaces.length > 0) {
    const fitting = supportedInterfaces.filter((it) => (it.protocolBinding ?? 'JSONRPC') === 'JSONRPC');
    if (fitting.length === 0) return undefined;
    const isLegacy = fitting.every((it) => it.protocolVersion?.startsWith('0.') === true);
    return { era: isLegacy ? '0.3' : '1.0', streams };
  }
  const transports = [preferredTransport ?? 'JSONRPC', ...(additionalInterfaces ?? []).map((it) => it.transport)];
  return transports.includes('JSONRPC') ? { era: '0.3', streams } : undefined;
}

/** A message to an agent, in no generation's format yet. */
export interface OutgoingMessage {
  readonly messageId: string;
  readonly parts: readonly Part[];
  readonly contextId: string | undefined;
  readonly taskId: string | undefined;
}

/** The parameters of a message in the format of a generation. They ask the agent to respond before its task ends. */
export function toParams({ messageId, parts, contextId, taskId }: OutgoingMessage, era: Era): object {
  const isLegacy = era === '0.3';
  const message = {
    ...(isLegacy && { kind: 'message' }),
    messageId,
    role: isLegacy ? 'user' : 'ROLE_USER',
    parts: parts.map(isLegacy ? toLegacyPart : toPart),
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
  };
  return { message, configuration: isLegacy ? { blocking: false } : { returnImmediately: true } };
}

function toLegacyPart(part: Part): object {
  if (part.kind === 'text') return { kind: 'text', text: part.text };
  const name = part.name === undefined ? {} : { name: part.name };
  if (part.kind === 'link') return { kind: 'file', file: { uri: part.url, ...name } };
  return { kind: 'file', file: { bytes: part.base64, mimeType: part.contentType, ...name } };
}

function toPart(part: Part): object {
  if (part.kind === 'text') return { text: part.text };
  const name = part.name === undefined ? {} : { filename: part.name };
  if (part.kind === 'link') return { url: part.url, ...name };
  return { raw: part.base64, mediaType: part.contentType, ...name };
}
