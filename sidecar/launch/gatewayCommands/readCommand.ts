import { wordsOf } from '../command/flags.ts';
import { flagRow, page } from '../command/help.ts';
import { judgeFlags, meant } from '../command/judgeFlags.ts';
import { exitCodes, LaunchFailure } from '../failure.ts';
import { type CommandFlag, type CommandName, commandFacts, commandFlags, commandNames, everyCommand } from './table.ts';

/** A command of the gateway, as it was asked for. */
export interface AskedCommand {
  readonly name: CommandName;
  /** What follows its name; `''` for a command that takes nothing. */
  readonly argument: string;
  has(flag: CommandFlag): boolean;
  one(flag: CommandFlag): string | undefined;
  all(flag: CommandFlag): readonly string[];
}

/**
 * Reads what follows `switchboard gateway`.
 * @returns the text of the help where that was asked for
 * @throws {LaunchFailure} `usage`, naming what is wrong
 */
export function readCommand(argv: readonly string[]): AskedCommand | { readonly help: string } {
  const tokens = wordsOf(argv, commandFlags);
  const words = tokens.flatMap((it) => (it.kind === 'positional' ? [it.value] : []));
  const asked = new Set(tokens.flatMap((it) => (it.kind === 'option' ? [it.name] : [])));
  if (words[0] === 'help') return { help: helpOfAll() };
  const name = commandNames.find((it) => it === words.slice(0, it.split(' ').length).join(' '));
  if (name === undefined) throw unknown(words);
  const { argument, flags } = commandFacts(name);
  const fail = (sentence: string) => usage(`${sentence}\n${usageOf(name)}`);
  const values = judgeFlags<CommandFlag>(tokens, {
    known: commandFlags,
    taken: [...flags, ...everyCommand],
    of: `gateway ${name}`,
    fail,
  });
  if (asked.has('help')) return { help: helpOf(name) };
  const rest = words.slice(name.split(' ').length);
  const extra = rest[argument === undefined ? 0 : 1];
  if (extra !== undefined) throw fail(`Unexpected argument "${extra}".`);
  if (argument !== undefined && rest[0] === undefined) throw fail(`"gateway ${name}" requires ${argument}.`);
  return {
    name,
    argument: rest[0] ?? '',
    has: (flag) => asked.has(flag),
    one: (flag) => values.get(flag)?.at(-1),
    all: (flag) => values.get(flag) ?? [],
  };
}

function unknown(words: readonly string[]): LaunchFailure {
  const half = commandNames.filter((it) => it.startsWith(`${words[0]} `));
  const hint = half.length > 0 ? ` Did you mean ${half.join(' or ')}?` : meant(words[0] ?? '', commandNames);
  return usage(
    `Unknown command "gateway ${words.slice(0, half.length > 0 ? 2 : 1).join(' ')}".${hint}\n"switchboard gateway help" lists the commands.`,
  );
}

const usage = (sentence: string) => new LaunchFailure(exitCodes.usage, sentence);

const wordsOfCommand = (name: CommandName) => [name, commandFacts(name).argument].filter(Boolean).join(' ');

const usageOf = (name: CommandName) =>
  `Usage: switchboard gateway ${wordsOfCommand(name)} [FLAGS]. "switchboard gateway ${name} --help" lists the flags.`;

function helpOf(name: CommandName): string {
  const { does, flags } = commandFacts(name);
  const head = `Usage: switchboard gateway ${wordsOfCommand(name)} [FLAGS]\n\nswitchboard gateway ${name} ${does}.`;
  return page(
    head,
    'Flags',
    [...flags, ...everyCommand].map((it) => flagRow(it, commandFlags[it])),
  );
}

function helpOfAll(): string {
  const head =
    'Usage: switchboard gateway COMMAND [FLAGS]\n\n"switchboard gateway COMMAND --help" lists the flags of a command. Without a command, "switchboard gateway" runs the gateway.';
  return page(
    head,
    'Commands',
    commandNames.map((it) => [wordsOfCommand(it), commandFacts(it).does]),
  );
}
