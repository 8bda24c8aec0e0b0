import { isRecord } from '../../platform/isRecord.ts';
import type { A2aMethod, A2aRequest } from '../../protocol/gateway/a2aWire.ts';
import { invalidParams } from './refusal.ts';

/** A context or a task, as its agent calls it. */
export interface NamedId {
  readonly kind: 'context' | 'task';
  readonly id: string;
}

/** An ID and its place in a request. */
export interface AskedId extends NamedId {
  readonly path: readonly (string | number)[];
}

/** More than a message refers to. */
const maxNamed = 100;

/**
 * Every context and task that a request names, wherever an agent may read it.
 * @throws {Refusal} for an ID that is not a string, because agents could read it differently
 */
export function idsAsked({ params, id }: A2aRequest, { idIsTask }: Pick<A2aMethod, 'idIsTask'>): readonly AskedId[] {
  if (!isRecord(params)) return [];
  const found: AskedId[] = [];
  const add = (kind: NamedId['kind'], value: unknown, path: AskedId['path']) => {
    if (value === undefined || value === null || value === '') return;
    if (typeof value !== 'string') throw invalidParams(`${['params', ...path].join('.')} must be a string`, id);
    found.push({ kind, id: value, path });
  };
  const { message, configuration } = params;
  for (const [where, holder] of [
    [[], params],
    [['message'], message],
    [['pushNotificationConfig'], params['pushNotificationConfig']],
    ...(isRecord(configuration)
      ? (['pushNotificationConfig', 'taskPushNotificationConfig', 'pushNotification'] as const).map(
          (it) => [['configuration', it], configuration[it]] as const,
        )
      : []),
  ] as const) {
    if (!isRecord(holder)) continue;
    add('context', holder['contextId'], [...where, 'contextId']);
    add('task', holder['taskId'], [...where, 'taskId']);
  }
  if (idIsTask) add('task', params['id'], ['id']);
  const references = isRecord(message) ? (message['referenceTaskIds'] ?? []) : [];
  const where = ['message', 'referenceTaskIds'];
  if (!Array.isArray(references) || references.length > maxNamed)
    throw invalidParams(`params.${where.join('.')} must be a list of at most ${maxNamed} entries`, id);
  for (const [at, it] of references.entries()) add('task', it, [...where, at]);
  return found;
}

/** A copy of `value` in which the value at a path is replaced. */
export function put(value: unknown, [name, ...rest]: AskedId['path'], held: unknown): unknown {
  if (name === undefined) return held;
  if (Array.isArray(value)) return value.map((it, at) => (at === name ? put(it, rest, held) : it));
  return isRecord(value) ? { ...value, [name]: put(value[name], rest, held) } : value;
}

const places = ['task', 'message', 'msg', 'statusUpdate', 'artifactUpdate'] as const;

/** Every context and task that an answer, or an event of a stream, gives to whoever reads it. Of either style. */
export function idsGiven(result: unknown): readonly NamedId[] {
  if (!isRecord(result)) return [];
  return [result, ...places.map((it) => result[it])].filter(isRecord).flatMap((place) => {
    // What has no state has an id of its own: that of a message or of a push notification config.
    const isTask = place['kind'] === 'task' || place === result['task'] || isRecord(place['status']);
    return [
      ...idOf('context', place['contextId']),
      ...idOf('task', place['taskId']),
      ...idOf('task', isTask ? place['id'] : undefined),
    ];
  });
}

/** The tasks in the answer to a list, each with what it is called; one without an id is nobody's. */
export function tasksListed(result: unknown): readonly unknown[] | undefined {
  const tasks: unknown = isRecord(result) ? (result['tasks'] ?? []) : result;
  return Array.isArray(tasks) ? (tasks as readonly unknown[]) : undefined;
}

const idOf = (kind: NamedId['kind'], id: unknown): readonly NamedId[] =>
  typeof id === 'string' && id !== '' ? [{ kind, id }] : [];
