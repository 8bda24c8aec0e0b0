import * as z from 'zod';

/** Methods of operations that can be tools. */
export const apiMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
export type ApiMethod = (typeof apiMethods)[number];

const Names = z.array(z.string().min(1).max(256)).max(10_000);

const filterOf = (rule: string) =>
  z
    .strictObject({
      operations: Names.nullish().describe('Operation IDs, or names of tools.'),
      tags: Names.nullish().describe('Tags of operations.'),
      methods: z.array(z.enum(apiMethods)).max(8).nullish().describe('HTTP methods, in lower case.'),
      paths: Names.nullish().describe('Paths such as /pets/{id}. * stands for any characters, as in /pets/*.'),
    })
    .nullish()
    .describe(rule);

/** Which operations of an OpenAPI document are tools. */
export const OpenApiOptions = z.strictObject({
  include: filterOf('Only operations that match every list given here are tools. Default: all.'),
  exclude: filterOf('Operations that match one of these lists are not tools.'),
});
export type OpenApiOptions = z.infer<typeof OpenApiOptions>;
export type ApiFilter = NonNullable<OpenApiOptions['include']>;

/** What an OpenAPI document offers, in the answer of `POST /mcp-rest/test/tools/list`. */
export const OpenApiPreview = z.object({
  title: z.string(),
  version: z.string(),
  /** The first of the document's servers, as it stands there. */
  server: z.string().nullable(),
  /** Where requests would go; null where the registration has to say it. */
  base_url: z.string().nullable(),
  base_url_problem: z.string().nullable(),
  operations: z.array(
    z.object({
      name: z.string(),
      method: z.enum(apiMethods),
      path: z.string(),
      summary: z.string(),
      tags: z.array(z.string()),
      /** By `include` or `exclude`. */
      is_left_out: z.boolean(),
      /** Why it cannot be a tool. */
      problem: z.string().nullable(),
    }),
  ),
});
export type OpenApiPreview = z.infer<typeof OpenApiPreview>;
