import * as z from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Route } from './route.ts';

const ErrorBody = z
  .object({
    error: z.object({ message: z.string(), type: z.string(), param: z.string().nullable(), code: z.string() }),
  })
  .meta({ id: 'Error' });

/** The OpenAPI 3.1 document of the table: rows and schemas are its only source. */
export function openApi(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const it of routes) (paths[it.path] ??= {})[it.method.toLowerCase()] = operation(it);
  return createDocument({
    openapi: '3.1.0',
    info: { title: 'Switchboard gateway: management', version },
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

function operation({ method, path, summary, tag, who, query, body, answer, status }: Route): ZodOpenApiOperationObject {
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
      [`${status ?? 200}`]: { description: 'Done', ...content(answer ?? z.unknown()) },
      '4XX': { description: 'Refused', ...content(ErrorBody) },
    },
  } as ZodOpenApiOperationObject;
}
