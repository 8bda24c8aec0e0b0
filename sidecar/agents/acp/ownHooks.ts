/** Agents that run the hooks of `.claude/settings.json` or `.github/hooks` themselves, by the names of their programs. */
const runners = /(?:^|[\\/])(?:claude(?:-code|-agent)?-acp|copilot)(?:@[^\\/]*)?(?:\.(?:cmd|exe|m?js))?$/i;

/** Also where it is started through `npx` or with `node`. */
export function runsHooks({ command, args }: { readonly command: string; readonly args: readonly string[] }): boolean {
  return [command, ...args].some((it) => runners.test(it));
}
