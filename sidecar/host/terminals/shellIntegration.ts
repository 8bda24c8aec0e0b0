import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/**
 * What bash says about its commands, in escapes that only a terminal of ours knows: E the text, C it runs, D it ended.
 * Each carries a number that programs in the terminal do not know, so that their output cannot pretend.
 */
const bash = `
if [ -r ~/.bashrc ]; then . ~/.bashrc; fi
__sb_nonce=$SWITCHBOARD_SHELL_NONCE; unset SWITCHBOARD_SHELL_NONCE
__sb_say() { builtin printf '\\e]633;%s;%s\\a' "$__sb_nonce" "$1"; }
__sb_starts() {
  local c; c=$(HISTTIMEFORMAT= builtin history 1)
  if [[ $c =~ ^[[:space:]]*[0-9]+[*]?[[:space:]]+(.*)$ ]]; then c=\${BASH_REMATCH[1]}; fi
  c=\${c//\\\\/\\\\x5c}; c=\${c//$'\\n'/\\\\x0a}; c=\${c//$'\\r'/\\\\x0d}; c=\${c//$'\\e'/\\\\x1b}; c=\${c//$'\\a'/\\\\x07}
  __sb_say "E;$c"
}
__sb_ended() { local e=$?; __sb_say "D;$e"; __sb_say "P;$PWD"; return $e; }
PS0='$(__sb_starts)'"\${PS0-}"
PROMPT_COMMAND="__sb_ended\${PROMPT_COMMAND:+;$PROMPT_COMMAND}"
`;

export interface ShellStart {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * How a shell is started so that it reports its commands. Others than bash run as they are, and report nothing.
 * @param folder of the host's own; the script is put there
 */
export async function integrate(shell: string, folder: string, nonce: string): Promise<ShellStart> {
  if (basename(shell).replace(/\.exe$/i, '') !== 'bash') return { args: [], env: {} };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const script = join(folder, 'integration.bash');
  await writeFile(script, bash, { mode: 0o600 });
  await chmod(script, 0o600);
  return { args: ['--init-file', script, '-i'], env: { SWITCHBOARD_SHELL_NONCE: nonce } };
}
