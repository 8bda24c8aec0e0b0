import { promisedBy } from '../promised.ts';
import { document } from './document.ts';

export const tools = promisedBy(`${document}, Tools`, {
  'host.tool.name': 'A tool has a unique name; required.',
  'host.tool.title': 'A tool may have a title.',
  'host.tool.description': 'A tool may have a description.',
  'host.tool.input-schema': 'inputSchema, where there is one, has the type object, properties and required.',
  'host.tool.output-schema': 'outputSchema has the same shape.',
  'host.tool.annotations': 'A tool may have annotations.',
  'host.tool.meta': 'A tool may have metadata.',
  'host.tool.advisory': 'Annotations are advisory: they are shown, and decide nothing.',
  'host.tool.annotation-title': 'Annotations may have a title.',
  'host.tool.read-only': 'readOnlyHint is false by default.',
  'host.tool.destructive': 'destructiveHint is true by default.',
  'host.tool.idempotent': 'idempotentHint is false by default.',
  'host.tool.open-world': 'openWorldHint is true by default.',
});
