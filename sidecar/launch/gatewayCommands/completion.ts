import { commonFlags, type Flag, factsOf, flagOf, roleNames } from '../command/flags.ts';
import { meant } from '../command/judgeFlags.ts';
import { exitCodes, LaunchFailure } from '../failure.ts';
import { commandFacts, commandFlags, commandNames, everyCommand } from './table.ts';

/** What may follow some words of the command. */
interface Completed {
  /** After `switchboard`, without the ones that are completed; `''` for the first word. */
  readonly after: string;
  readonly words: readonly string[];
}

const shells = ['bash', 'zsh', 'fish'] as const;

/** The script for one shell. @throws {LaunchFailure} `usage` for a shell without one */
export function completionOf(shell: string): string {
  switch (shells.find((it) => it === shell)) {
    case 'bash':
      return bash();
    case 'zsh':
      return `#compdef switchboard\nautoload -U +X bashcompinit && bashcompinit\n${bash()}`;
    case 'fish':
      return fish();
    case undefined: {
      const sentence = `There is no completion for "${shell}".${meant(shell, shells)} Use bash, zsh, or fish.`;
      throw new LaunchFailure(exitCodes.usage, sentence);
    }
  }
}

function completed(): readonly Completed[] {
  const roles = roleNames.filter((it) => factsOf(it).internal === undefined);
  const common = commonFlags.filter((it) => flagOf(it).internal === undefined).map((it) => `--${it}`);
  const first = [...new Set(commandNames.map((it) => it.split(' ')[0] ?? ''))];
  const halves = first.filter((it) => commandNames.some((name) => name.startsWith(`${it} `)));
  return [
    { after: '', words: [...roles, '--version', '--help'] },
    ...roles.map((it): Completed => {
      const flags = factsOf(it)
        .flags.filter((flag) => flagOf(flag).internal === undefined)
        .map((flag) => `--${flag}`);
      const words =
        it === 'gateway' ? [...first, 'help'] : it === 'completion' ? shells : it === 'serve' ? ['token'] : [];
      return { after: it, words: [...words, ...flags, ...common] };
    }),
    ...halves.map((half): Completed => {
      const seconds = commandNames.filter((it) => it.startsWith(`${half} `)).map((it) => it.slice(half.length + 1));
      return { after: `gateway ${half}`, words: seconds };
    }),
    ...commandNames.map((name): Completed => {
      const { flags } = commandFacts(name);
      return { after: `gateway ${name}`, words: [...flags, ...everyCommand].map((it) => `--${it}`) };
    }),
  ];
}

/** Flags whose value is a file. */
const fileFlags = (): readonly string[] =>
  Object.entries<Flag>(commandFlags).flatMap(([name, { value }]) =>
    value === 'FILE' || value === 'DIR' ? [`--${name}`] : [],
  );

/** The longest known words before the cursor decide; zsh reads the same functions. */
function bash(): string {
  const cases = completed().map(({ after, words }) => `    '${after}') words='${words.join(' ')}' ;;`);
  return `_switchboard() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' words='' at
  case "$previous" in
    ${fileFlags().join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in -*) break ;; esac
    path="\${path:+$path }\${COMP_WORDS[at]}"
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ "\${#COMPREPLY[@]}" -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -F _switchboard switchboard
`;
}

/** Words are offered only after exactly the words of the command that come before them. */
function fish(): string {
  const lines = completed().map(({ after, words }) => {
    const path = after === '' ? '' : ` ${after}`;
    return `complete -c switchboard -n 'test (__switchboard_path) = "switchboard${path}"' -f -a '${words.join(' ')}'`;
  });
  const files = fileFlags().map((it) => `complete -c switchboard -l ${it.slice(2)} -r -F`);
  return `function __switchboard_path
  set -l words
  for word in (commandline -opc)
    string match -q -- '-*' $word; and break
    set -a words $word
  end
  set words[1] switchboard
  string join ' ' -- $words
end
${[...lines, ...files].join('\n')}
`;
}
