import { type ParseError, parse } from 'jsonc-parser';
import { Fault } from '../../../platform/faults.ts';
import { isRecord } from '../../../platform/isRecord.ts';
import { editorServers, importEditorServers } from './editorServers.ts';
import type { Imported } from './imported.ts';

/**
 * Reads another program's file as a part of ours: an editor's MCP servers (JSON), or a LiteLLM `config.yaml`.
 * @param path its extension decides the kind; the file itself is not read
 * @throws {Fault} `invalid_params` for a file that is neither
 */
export async function importFile(text: string, path: string): Promise<Imported> {
  const value = /\.ya?ml$/i.test(path) ? await readYaml(text) : readJson(text);
  const servers = editorServers(value);
  if (servers) return importEditorServers(servers);
  if (isRecord(value) && !/\.jsonc?$/i.test(path)) return (await import('./litellm.ts')).importLitellm(value);
  throw refused('has no MCP servers: it must contain "servers" or "mcpServers"');
}

function readJson(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0) throw refused('is not valid JSON');
  return value;
}

/** Aliases that would grow to more than the parser's limit are refused by it. */
async function readYaml(text: string): Promise<unknown> {
  const { default: yaml } = await import('yaml');
  const document = yaml.parseDocument(text);
  if (document.errors.length > 0) throw refused('is not valid YAML');
  try {
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  } catch (cause) {
    if (!(cause instanceof ReferenceError)) throw cause;
    throw new Fault('invalid_params', 'The file has too many YAML aliases.', { cause, data: { field: 'file' } });
  }
}

const refused = (why: string) => new Fault('invalid_params', `The file ${why}.`, { data: { field: 'file' } });
