import * as z from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Route } from './route.ts';
import { type ServedRoute, servedRoutes } from './servedRoutes.ts';

const ErrorBody = z
  .object({
    error: z.object({ message: z.string(), type: z.string(), param: z.string().nullable(), code: z.string() }),
  })
  .meta({ id: 'Error' });

/** The OpenAPI 3.1 document: of the table, whose rows and schemas are its source, and of what programs call beside it. */
export function openApi(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const it of routes) (paths[it.path] ??= {})[it.method.toLowerCase()] = operation(it);
  for (const it of servedRoutes) (paths[it.path] ??= {})[it.method.toLowerCase()] = operation(it);
  return createDocument({
    openapi: '3.1.0',
    info: { title: 'Switchboard gateway', version },
    components: {
      securitySchemes: {
        preferred: { type: 'apiKey', in: 'header', name: 'x-gateway-api-key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
    security: [{ preferred: [] }, { bearer: [] }],
    paths: paths as ZodOpenApiPathsObject,
  });
}

function operation(row: Route | ServedRoute): ZodOpenApiOperationObject {
  const { method, path, summary, tag, query, body, answer } = row;
  const { who = 'any', status = 200 } = 'who' in row ? row : {};
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const content = (schema: z.ZodType) => ({ content: { 'application/json': { schema } } });
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+(.?)/g, (_, next: string) => next.toUpperCase())}`,
    summary,
    tags: [tag],
    description: { admin: 'Administrators.', viewer: 'Administrators and viewers.', any: 'Every key, for its own.' }[
      who
    ],
    requestParams: {
      ...(names.length > 0 && { path: z.object(Object.fromEntries(names.map((it) => [it, z.string()]))) }),
      ...(query instanceof z.ZodObject && { query }),
    },
    ...(body && { requestBody: content(body) }),
    responses: {
      [`${status}`]: { description: 'Done', ...content(answer ?? z.unknown()) },
      '4XX': { description: 'Refused', ...content(ErrorBody) },
    },
  } as ZodOpenApiOperationObject;
}
