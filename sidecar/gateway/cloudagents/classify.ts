/** The class of one call to the cloud-agents service, for the log and for counting (`gateway.cloud.classified`). */
export interface CloudOperation {
  /** `<prefix>:agent:create`; the logged model is `<prefix>/` before it. */
  readonly name: string;
  /** The path after the gateway's prefix with ids taken out, so that neither counters nor logs grow with them. */
  readonly template: string;
}

/** Method, path and operation of v0 and v1. */
const known: readonly (readonly [method: string, path: string, operation: string])[] = [
  ['POST', '/v0/agents', 'agent:create'],
  ['GET', '/v0/agents', 'agent:list'],
  ['GET', '/v0/agents/{id}', 'agent:status'],
  ['DELETE', '/v0/agents/{id}', 'agent:delete'],
  ['GET', '/v0/agents/{id}/conversation', 'agent:conversation'],
  ['POST', '/v0/agents/{id}/followup', 'agent:followup'],
  ['POST', '/v0/agents/{id}/stop', 'agent:stop'],
  ['GET', '/v0/me', 'account:info'],
  ['GET', '/v0/models', 'models:list'],
  ['GET', '/v0/repositories', 'repositories:list'],
  ['POST', '/v1/agents', 'agent:create'],
  ['GET', '/v1/agents', 'agent:list'],
  ['GET', '/v1/agents/{id}', 'agent:status'],
  ['DELETE', '/v1/agents/{id}', 'agent:delete'],
  ['POST', '/v1/agents/{id}/archive', 'agent:archive'],
  ['POST', '/v1/agents/{id}/unarchive', 'agent:unarchive'],
  ['POST', '/v1/agents/{id}/runs', 'run:create'],
  ['GET', '/v1/agents/{id}/runs', 'run:list'],
  ['GET', '/v1/agents/{id}/runs/{id}', 'run:status'],
  ['GET', '/v1/agents/{id}/runs/{id}/stream', 'run:stream'],
  ['POST', '/v1/agents/{id}/runs/{id}/cancel', 'run:cancel'],
];
const operations = new Map(known.map(([method, path, operation]) => [`${method} ${path}`, operation]));
/** Words that stand in the paths themselves; everything else in an unknown path may be an id. */
const words = new Set([...known.flatMap(([, path]) => path.split('/')), 'artifacts', 'download', '']);

/** @param path after the gateway's prefix, beginning with `/`, without the query */
export function classify(prefix: string, method: string, path: string): CloudOperation {
  const template = path
    .split('/')
    .map((it) => (words.has(it) ? it : '{id}'))
    .join('/');
  const operation = operations.get(`${method} ${template}`) ?? `${method.toLowerCase()}:${template}`;
  return { name: `${prefix}:${operation}`, template };
}
