import { basename } from 'node:path';

/** Variables by which a program runs, loads or finds code that its command line does not name. */
const loaders =
  /^(?:LD_.*|DYLD_.*|PATH|NODE_OPTIONS|NODE_PATH|BASH_ENV|ENV|BASH_FUNC_.*|PROMPT_COMMAND|PYTHONPATH|PYTHONHOME|PYTHONSTARTUP|PYTHONUSERBASE|PERL5OPT|PERL5LIB|PERL5DB|RUBYOPT|RUBYLIB|PHP_INI_SCAN_DIR|PHPRC|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|DOTNET_STARTUP_HOOKS|GCONV_PATH|npm_config_(?:script_shell|node_options))$/i;

/** Programs that run what their arguments say. */
const launchers =
  /^(?:env|xargs|nohup|nice|timeout|setsid|stdbuf|sudo|doas|su|busybox|script|watch|cmd|powershell|pwsh)$/i;

/** Options before the name of the script by which a program runs or loads something else. */
const inline: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^(?:sh|bash|dash|ash|zsh|ksh|fish)$/i, /^-[a-z]*c[a-z]*$|^--(?:command|init-command|rcfile|init-file)$/i],
  [
    /^(?:node|nodejs|bun|tsx|ts-node)$/i,
    /^-[a-z]*[epr]|^--(?:eval|print|require|import|preload|loader|experimental-loader|env-file|env-file-if-exists)$/i,
  ],
  [/^(?:python|pypy)[\d.]*w?$/i, /^-[a-z]*c$/i],
  [/^(?:perl|ruby|lua|php|osascript)[\d.]*$/i, /^-[a-z]*[eErRm]/],
  [/^(?:npx|pnpx|bunx)$/i, /^-[a-z]*c$|^--(?:call|script-shell|node-options)$/i],
  [/^deno$/i, /^eval$/],
];

/** What of a command line and its variables runs other code than its program and script; `undefined` where nothing does. */
export function injectedCode(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): string | undefined {
  const variable = Object.keys(env).find((it) => loaders.test(it));
  if (variable !== undefined) return `the variable ${variable}`;
  const program = basename(command.replaceAll('\\', '/')).replace(/\.(?:exe|cmd|bat)$/i, '');
  if (launchers.test(program)) return `the program ${program}, which runs other programs`;
  const option = inline.find(([name]) => name.test(program))?.[1];
  for (const arg of args) {
    const name = arg.split('=')[0] ?? '';
    if (option?.test(name)) return `the argument ${name.slice(0, 32)}`;
    if (!arg.startsWith('-') || arg === '--' || arg === '-m') return undefined; // what follows is for the script
  }
  return undefined;
}
