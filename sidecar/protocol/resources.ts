import * as z from 'zod';
import { openEnum } from './building.ts';
import { ROOT } from './uris.ts';

const Uri = z.string().min(1);
/** All methods of the family belong to the root channel. Some peers leave it out. */
const onRoot = { channel: Uri.default(ROOT) };
const patterns = z.object({ items: z.array(z.string()) }).exactOptional();
const done = z.object({});
const target = { ...onRoot, source: Uri, destination: Uri, failIfExists: z.boolean().exactOptional() };

const ResourceWriteParams = z.object({
  ...onRoot,
  uri: Uri,
  data: z.string(),
  encoding: z.enum(['base64', 'utf-8']),
  contentType: z.string().exactOptional(),
  /** Refused where there is something already. */
  createOnly: z.boolean().exactOptional(),
  /** Default `truncate`: what is before `position` stays, the rest is replaced. */
  mode: z.enum(['truncate', 'append', 'insert']).exactOptional(),
  /** Bytes, default 0; for `append` counted from the end. */
  position: z.int().nonnegative().exactOptional(),
  /** The `etag` of the version that is to be changed. */
  ifMatch: z.string().exactOptional(),
});

const ResourceListResult = z.object({
  entries: z.array(z.object({ name: z.string(), type: openEnum('file', 'directory') })),
});

const ResourceResolveResult = z.object({
  /** Canonical: without links, dots and other spellings. */
  uri: Uri,
  type: openEnum('file', 'directory', 'symlink'),
  /** Bytes. */
  size: z.number().exactOptional(),
  mtime: z.string().exactOptional(),
  ctime: z.string().exactOptional(),
  contentType: z.string().exactOptional(),
  /** For `ifMatch`. */
  etag: z.string().exactOptional(),
});

/** The resource family besides `resourceRead`. Either side may ask the other. */
export const resourceMethods = {
  resourceWrite: { params: ResourceWriteParams, result: done },
  resourceList: { params: z.object({ ...onRoot, uri: Uri }), result: ResourceListResult },
  resourceCopy: { params: z.object(target), result: done },
  resourceMove: { params: z.object(target), result: done },
  resourceDelete: { params: z.object({ ...onRoot, uri: Uri, recursive: z.boolean().exactOptional() }), result: done },
  resourceResolve: {
    params: z.object({ ...onRoot, uri: Uri, followSymlinks: z.boolean().exactOptional() }),
    result: ResourceResolveResult,
  },
  resourceMkdir: { params: z.object({ ...onRoot, uri: Uri }), result: done },
  /** Neither of both: read. */
  resourceRequest: {
    params: z.object({ ...onRoot, uri: Uri, read: z.boolean().exactOptional(), write: z.boolean().exactOptional() }),
    result: done,
  },
  createResourceWatch: {
    params: z.object({
      ...onRoot,
      uri: Uri,
      recursive: z.boolean().exactOptional(),
      excludes: patterns,
      includes: patterns,
    }),
    /** Ends with its last subscriber. */
    result: z.object({ channel: Uri }),
  },
} as const satisfies Record<string, { params: z.ZodType; result: z.ZodType }>;

/** A question of the host to whoever sits before a window: may that program have this file or folder? */
export const AccessQuestion = z.object({
  id: z.string().min(1),
  /** Who asks, for a person. */
  asker: z.string(),
  /** What it would get, without links: perhaps another place than it named. */
  uri: Uri,
  read: z.boolean(),
  write: z.boolean(),
});
export type AccessQuestion = z.infer<typeof AccessQuestion>;
