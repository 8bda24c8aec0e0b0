import * as z from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Operation, Route } from '../routing/route.ts';

const ErrorBody = z
  .object({
    error: z.object({ message: z.string(), type: z.string(), param: z.string().nullable(), code: z.string() }),
  })
  .meta({ id: 'Error' });

/** The OpenAPI 3.1 document of the rows that say what stands in it. */
export function openApi(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const { openapi } of routes) {
    if (typeof openapi === 'string') continue;
    for (const it of openapi) (paths[it.path] ??= {})[it.method.toLowerCase()] = described(it);
  }
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

function described(operation: Operation): ZodOpenApiOperationObject {
  const { method, path, summary, tag, query, body, answer, who = 'any', status = 200 } = operation;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const content = (schema: z.ZodType) => ({ content: { 'application/json': { schema } } });
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+(.?)/g, (_, next: string) => next.toUpperCase())}`,
    summary,
    tags: [tag],
    description: { admin: 'Administrators.', viewer: 'Administrators and viewers.', any: 'Any key, for its own data.' }[
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
