import { GatewayInfoAnswer } from '../../../protocol/gateway/pages/info.ts';
import { ok, route } from '../route.ts';
import { seesAll } from '../standing.ts';

/** What the pages ask first: which gateway this is, and how much of it the caller may see. */
export const gatewayInfo = route({
  method: 'GET',
  path: '/gateway/info',
  who: 'any',
  tag: 'access',
  summary:
    'Returns the version and the basic settings of the gateway, and whether the caller sees the data of everybody',
  answer: GatewayInfoAnswer,
  handle: ({ caller }, { options, permissions }) =>
    Promise.resolve(
      ok({
        version: options.version,
        sees_all: seesAll(caller),
        default_access: permissions.options.defaultAccess,
        tool_separator: options.separator,
        tool_search_above: options.toolSearchAbove ?? null,
        registry: options.isRegistryOn,
        content_days: options.content?.keepDays ?? null,
      }),
    ),
});
