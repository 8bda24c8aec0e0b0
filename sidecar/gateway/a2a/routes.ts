import * as z from 'zod';
import { isEncodedOnce, type KeyRoute, noSuchAddress, type Operation } from '../routing/route.ts';
import type { A2aFront } from './front.ts';
import { restRoutes } from './rest/routes.ts';

/** The path of a card below an agent's address: since A2A 0.3, and before. */
export const cardFiles = ['agent-card.json', 'agent.json'] as const;
export type CardFile = (typeof cardFiles)[number];

const a2a = {
  surface: 'a2a',
  groups: ['agent_routes', 'llm_api_routes'],
  template: '/a2a/{agent_id}',
  spelled: 'root',
} as const;
const agents = { ...a2a, accepts: ({ agent_id }: Readonly<Record<string, string>>) => isEncodedOnce(agent_id) };
/** A signed-in browser reads agents' cards. */
const [page, program] = [
  { method: 'GET', auth: 'browser' },
  { method: 'ANY', auth: 'key' },
] as const;
const refused = { requirements: ['gateway.address.judged'], openapi: 'The gateway returns 405.' } as const;
const unknown = { requirements: ['gateway.address.judged'], openapi: 'This address is not in use.' } as const;

const Message = z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string(), params: z.unknown().optional() });
const operation = (path: string): Operation => ({
  method: 'POST',
  path,
  tag: 'a2a',
  summary: 'Calls an A2A agent with a JSON-RPC message that specifies the method',
  body: Message,
});

/** What follows the agent never selects a method: the message does. */
const call = (path: string, requirement: string, auth: 'key' | 'browser' = 'key'): readonly KeyRoute<A2aFront>[] => [
  {
    ...agents,
    method: 'POST',
    auth,
    path,
    requirements: [requirement],
    openapi: [operation(path)],
    handle: (it, front) => front.call(it),
  },
  { ...agents, ...page, ...refused, path, handle: (it, front) => front.refuseMethod(it, 'POST') },
  { ...agents, ...program, ...refused, path, handle: (it, front) => front.refuseMethod(it, 'POST') },
];

const card = (file: CardFile, openapi: readonly Operation[] | string): readonly KeyRoute<A2aFront>[] => {
  const path = `/a2a/{agent_id}/.well-known/${file}`;
  return [
    {
      ...agents,
      ...page,
      path,
      requirements: ['gateway.route.a2a'],
      openapi,
      handle: (it, front) => front.card(it, file),
    },
    { ...agents, ...program, ...refused, path, handle: (it, front) => front.refuseMethod(it, 'GET') },
  ];
};

export const a2aRoutes: readonly KeyRoute<A2aFront>[] = [
  ...restRoutes,
  // The playground of the pages calls it.
  ...call('/a2a/{agent_id}', 'gateway.route.a2a', 'browser'),
  ...call('/a2a/{agent_id}/message/send', 'gateway.route.a2a.send'),
  ...call('/v1/a2a/{agent_id}/message/send', 'gateway.route.a2a.send'),
  ...card('agent-card.json', [
    {
      method: 'GET',
      path: '/a2a/{agent_id}/.well-known/agent-card.json',
      tag: 'a2a',
      summary: "Returns an A2A agent's card with the gateway's address",
      answer: z.looseObject({ name: z.string().optional(), url: z.string().optional() }),
    },
  ]),
  ...card('agent.json', 'The name that agent-card.json had before A2A 0.3.'),
  { ...a2a, ...page, ...unknown, path: '/a2a/**', handle: noSuchAddress },
  { ...a2a, ...program, ...unknown, path: '/a2a/**', handle: noSuchAddress },
  { ...a2a, ...page, ...unknown, path: '/v1/a2a/**', handle: noSuchAddress },
  { ...a2a, ...program, ...unknown, path: '/v1/a2a/**', handle: noSuchAddress },
];
