import { readFile as readFileThen } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { Fault } from '../../platform/faults.ts';
import { GatewayConfig } from '../../protocol/gateway/config.ts';
import type { ImportNote } from './import/imported.ts';
import { importFile } from './import/importFile.ts';
import type { ConfigProblem } from './problem.ts';
import { type ReadConfig, readConfig } from './readConfig.ts';

/** `node:fs/promises` loads modules of Node that a start does not need. */
const readFile = promisify(readFileThen);

export interface LoadedConfig {
  /** Of the file itself; absent where it could not be read. */
  readonly text?: string;
  readonly result: ReadConfig;
  /** Programs that the file itself names, for its servers or in `stdio.allowed_commands`; none of an imported file. */
  readonly programs: readonly string[];
  /** Of the files that `import` names: what was not taken over as it was. */
  readonly notes: readonly (ImportNote & { readonly file: string })[];
  /** Absolute paths that the configuration came from, this file first: whoever watches, watches these. */
  readonly files: readonly string[];
}

/**
 * Reads `switchboard.jsonc` with the files that it imports. Servers, agents and guardrails of those are added under names
 * that it does not have itself; what they would let run on this machine is not.
 * @param file absolute
 * @param isOptional no file is the same as one that says nothing
 * @param last the result of an earlier reading, which is reused if the text is the same and imports nothing
 */
export async function loadConfig(file: string, isOptional = false, last?: LoadedConfig): Promise<LoadedConfig> {
  const files = [file];
  const nothing = { notes: [], programs: [], files };
  const text = await readFile(file, 'utf8').catch((thrown: unknown) =>
    isOptional && codeOf(thrown) === 'ENOENT' ? '{}' : thrown,
  );
  if (typeof text !== 'string')
    return { result: { problems: [whole(`the file cannot be read: ${reason(text)}`)] }, ...nothing };
  if (last?.text === text && last.files.length === 1) return last;
  const result = readConfig(text);
  if (!('config' in result)) return { text, result, ...nothing };
  const notes: (ImportNote & { readonly file: string })[] = [];
  let { config } = result;
  const programs = programsOf(config);
  for (const name of config.import) {
    const path = isAbsolute(name) ? name : join(dirname(file), name);
    files.push(path);
    try {
      const imported = await importFile(await readFile(path, 'utf8'), path);
      config = merged(config, GatewayConfig.parse(imported.part));
      notes.push(...imported.notes.map((it) => ({ ...it, file: name })));
    } catch (thrown) {
      notes.push({ file: name, path: '', message: `skipped: ${reason(thrown)}` });
    }
  }
  return { text, result: { ...result, config }, notes, programs, files };
}

function programsOf({ mcp_servers, stdio }: GatewayConfig): readonly string[] {
  const own = Object.values(mcp_servers).filter((it) => it.transport === 'stdio');
  return [...new Set([...stdio.allowed_commands, ...own.flatMap((it) => it.command ?? [])])];
}

/** What stands in the file itself wins. */
function merged(own: GatewayConfig, part: GatewayConfig): GatewayConfig {
  const names = new Set(own.guardrails.map((it) => it.guardrail_name));
  const models = new Set(own.model_list.map((it) => it.model_name));
  return {
    ...own,
    mcp_servers: { ...part.mcp_servers, ...own.mcp_servers },
    agents: { ...part.agents, ...own.agents },
    model_list: [...own.model_list, ...part.model_list.filter((it) => !models.has(it.model_name))],
    guardrails: [...own.guardrails, ...part.guardrails.filter((it) => !names.has(it.guardrail_name))],
  };
}

const whole = (message: string): ConfigProblem => ({ path: '', message, kind: 'rule', offset: 0, length: 0 });

function reason(thrown: unknown): string {
  if (thrown instanceof Fault) return thrown.message;
  const code = codeOf(thrown);
  return code === 'ENOENT' ? 'it does not exist' : (code ?? 'it cannot be read');
}

const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
