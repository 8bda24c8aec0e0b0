import * as z from 'zod';
import type { KeyRoute, Operation } from '../routing/route.ts';
import type { CloudAgents } from './cloudAgents.ts';

const Prompt = z.looseObject({ prompt: z.looseObject({ text: z.string() }) });

const operation = (method: Operation['method'], path: string, summary: string, body?: z.ZodType): Operation => ({
  method,
  path: `/cloudagents/v0${path}`,
  tag: 'cloudagents',
  summary,
  body,
});

/** Every path below goes to the service as it is; the document names those that are known. */
export const cloudRoutes: readonly KeyRoute<CloudAgents>[] = [
  {
    method: 'ANY',
    path: '/cloudagents/**',
    surface: 'cloudagents',
    auth: 'key',
    groups: ['passthrough_routes', 'llm_api_routes'],
    template: '/cloudagents',
    spelled: 'whole',
    requirements: ['gateway.cloud.any-path'],
    openapi: [
      operation('GET', '/agents', 'Lists cloud agents. Relayed unchanged, like every other path under /cloudagents'),
      operation('POST', '/agents', 'Launches a cloud agent', Prompt),
      operation('GET', '/agents/{id}', "Returns a cloud agent's status"),
      operation('DELETE', '/agents/{id}', 'Deletes a cloud agent'),
      operation('GET', '/agents/{id}/conversation', "Returns a cloud agent's conversation"),
      operation('POST', '/agents/{id}/followup', 'Adds a follow-up prompt', Prompt),
      operation('POST', '/agents/{id}/stop', 'Stops a cloud agent'),
      operation('GET', '/me', 'Returns the owner of the credential used for the service'),
      operation('GET', '/models', "Lists the service's models"),
      operation('GET', '/repositories', "Lists the service's repositories"),
    ],
    handle: (call, cloudAgents) => cloudAgents.relay(call),
  },
];
