import * as z from 'zod';
import { actionTable, openEnum } from '../../building.ts';
import { ErrorInfo, FileEdit, Icon, Meta, StringOrMarkdown } from '../../shared.ts';

/** `computing` until files are known for the first time; `recomputing` while known files are computed again. */
export const ChangesetStatus = openEnum('computing', 'recomputing', 'ready', 'error');
export type ChangesetStatus = z.infer<typeof ChangesetStatus>;

export const ChangesetFile = z.object({
  /** Usually the URI after the change, or before it for a deletion. */
  id: z.string().min(1),
  edit: FileEdit,
  /** Absent means false. Nothing resets it but the host. */
  reviewed: z.boolean().exactOptional(),
  _meta: Meta.exactOptional(),
});
export type ChangesetFile = z.infer<typeof ChangesetFile>;

export const ChangesetOperationStatus = openEnum('idle', 'running', 'error', 'disabled');
export type ChangesetOperationStatus = z.infer<typeof ChangesetOperationStatus>;

export const ChangesetOperation = z.object({
  id: z.string().min(1),
  label: z.string(),
  scopes: z.array(openEnum('changeset', 'resource', 'range')),
  status: ChangesetOperationStatus,
  description: z.string().exactOptional(),
  /** A client must ask this first; marks the operation as destructive. */
  confirmation: StringOrMarkdown.exactOptional(),
  icon: z.union([z.string(), Icon]).exactOptional(),
  group: z.union([z.string(), z.number()]).exactOptional(),
  /** Only with status `error`. */
  error: ErrorInfo.exactOptional(),
});
export type ChangesetOperation = z.infer<typeof ChangesetOperation>;

export const ChangesetState = z.object({
  status: ChangesetStatus,
  files: z.array(ChangesetFile),
  /** Only with status `error`. */
  error: ErrorInfo.exactOptional(),
  operations: z.array(ChangesetOperation).exactOptional(),
});
export type ChangesetState = z.infer<typeof ChangesetState>;

const error = ErrorInfo.exactOptional();
/** The actions of a changeset channel (`host.action.changeset/…`). */
export const changesetActions = actionTable({
  'changeset/statusChanged': { status: ChangesetStatus, error },
  'changeset/fileSet': { file: ChangesetFile },
  'changeset/fileRemoved': { fileId: z.string() },
  'changeset/filesReviewChanged': { files: z.array(z.string()), reviewed: z.boolean() },
  'changeset/contentChanged': {
    files: z.array(ChangesetFile),
    operations: z.array(ChangesetOperation).exactOptional(),
    error,
  },
  'changeset/operationsChanged': { operations: z.array(ChangesetOperation).exactOptional() },
  'changeset/operationStatusChanged': { operationId: z.string(), status: ChangesetOperationStatus, error },
  'changeset/cleared': {},
});
export type ChangesetAction = z.output<(typeof changesetActions)[keyof typeof changesetActions]>;
