const ours = new Set(['ELECTRON_RUN_AS_NODE', 'NODE_OPTIONS']);

/** The window's environment for agents and shells, without what steers the editor itself. */
export function strippedEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !ours.has(entry[0].toUpperCase()) && !entry[0].toUpperCase().startsWith('VSCODE_'),
    ),
  );
}
