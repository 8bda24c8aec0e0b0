import { isEncodedOnce, type KeyRoute, noSuchAddress, type Params, type RouteCall } from '../../routing/route.ts';
import type { A2aFront } from '../front.ts';
import { legacyCard, type Operation, operations, type RestCall, type Verb } from './operations.ts';

/** The parts before an operation: the version in A2A 0.3; nothing or a tenant in A2A 1.0. */
const prefixes = [
  { prefix: '', isLegacy: false, of: operations },
  {
    prefix: 'v1/',
    isLegacy: true,
    of: [...operations.filter(({ method }) => method !== legacyCard.method), legacyCard],
  },
  { prefix: '{tenant}/', isLegacy: false, of: operations },
] as const;

/** One row for each method and path. Its operations differ in the part after the colon. */
export const restRoutes: readonly KeyRoute<A2aFront>[] = prefixes.flatMap(({ prefix, isLegacy, of }) =>
  [...new Set(of.map(({ verb, path }) => `${verb} ${path}`))].map((place): KeyRoute<A2aFront> => {
    const here = of.filter(({ verb, path }) => `${verb} ${path}` === place);
    const [verb = 'GET', path = ''] = place.split(' ');
    return {
      surface: 'a2a',
      groups: ['agent_routes', 'llm_api_routes'],
      template: '/a2a/{agent_id}',
      spelled: 'root',
      method: verb as Verb,
      auth: 'key',
      path: `/a2a/{agent_id}/${prefix}${path}`,
      requirements: ['gateway.a2a.http-json'],
      openapi: 'An operation of the HTTP+JSON binding, which the A2A specification describes.',
      accepts: isWritable,
      handle: (call, front) => front.rest(call, asked(call, here, isLegacy)),
    };
  }),
);

/** Whether the parameters can be written into the path of another request. */
function isWritable(params: Params): boolean {
  return Object.values(params).every((it) => isEncodedOnce(it) && it !== '') && !params['tenant']?.startsWith('.');
}

/** @throws {Fault} `not_found` for an action that does not exist */
function asked({ params }: RouteCall, here: readonly Operation[], isLegacy: boolean): RestCall {
  const { tenant, task = '', config } = params;
  const ids = { ...(tenant !== undefined && { tenant }), ...(config !== undefined && { config }) };
  for (const operation of here) {
    const end = operation.action === undefined ? '' : `:${operation.action}`;
    if (!task.endsWith(end) || (end !== '' && task === end)) continue;
    const id = task.slice(0, task.length - end.length);
    return { operation, isLegacy, ...ids, ...(params['task'] !== undefined && { task: id }) };
  }
  return noSuchAddress();
}
