import { basename, dirname, join, sep } from 'node:path';
import type { ConfinedNeeds } from '../children/children.ts';
import type { FileRules } from './messages.ts';

export interface FilePlace {
  /** The session's folders: absolute real paths. */
  readonly folders: readonly string[];
  /** The folder of the session's sandbox. */
  readonly place: string;
  /** The folder in {@link place} for temporary files of the session. */
  readonly temporary: string;
  readonly home: string;
  /** The host's data directory. */
  readonly dataDir: string;
  /** State folders of all known agents, in the home folder. */
  readonly agentStates: readonly string[];
  readonly exists: (path: string) => boolean;
}

/** Relative to the home folder: keys, tokens, passwords, and histories that may contain them. */
export const secretPlaces: readonly string[] = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.password-store', '.terraform.d', '.vault-token'],
  ...['.netrc', '_netrc', '.npmrc', '.yarnrc.yml', '.pypirc', '.git-credentials', '.pgpass', '.my.cnf'],
  ...['.cargo/credentials', '.cargo/credentials.toml', '.gem/credentials', '.m2/settings.xml'],
  ...['.gradle/gradle.properties', '.bash_history', '.zsh_history', '.python_history', '.node_repl_history'],
  ...['.local/share/fish', '.psql_history', '.mysql_history', '.s3cfg', '.boto', '.fly', '.subversion/auth'],
  ...['.config/containers/auth.json', '.config/doctl', '.config/glab-cli', '.config/goose/secrets.yaml'],
  ...['.config/gh', '.config/hub', '.config/gcloud', '.config/git/credentials', '.config/op', '.config/rclone'],
  ...['.config/google-chrome', '.config/chromium', '.config/BraveSoftware', '.config/microsoft-edge', '.mozilla'],
  ...['.config/Code', '.config/Code - Insiders', '.config/VSCodium', '.vscode-server/data/User'],
  ...['.local/share/keyrings', '.local/share/kwalletd', '.local/share/code-server/User', '.config/code-server'],
  ...['Library/Keychains', 'Library/Cookies', 'Library/Safari', 'Library/Application Support/Code'],
  ...['Library/Application Support/Google', 'Library/Application Support/Firefox'],
];

/** Secrets of the system, and those that a container or the session of the desktop gets as files. */
const systemSecrets: readonly string[] = [
  ...['/etc/shadow', '/etc/gshadow', '/etc/sudoers', '/etc/sudoers.d', '/etc/ssh', '/run/secrets', '/run/user'],
];

/** In the host's data directory: installed agents and scripts for shells. */
const readable: readonly string[] = ['agents', 'shell'];

/** In a session's folder: what Git, the editor, an agent, or the host would run or be configured by outside the sandbox. */
export const actedUpon: readonly string[] = [
  ...['.git', '.vscode', '.idea', '.husky', '.switchboard', '.devcontainer', '.envrc', '.mcp.json', 'mcp.json'],
  ...['.claude', '.agents', '.codex', '.cursor', '.gemini', '.opencode', '.github/hooks', '.github/plugins'],
  ...['.bashrc', '.bash_profile', '.bash_login', '.profile', '.zshrc', '.zshenv', '.zprofile', '.gitconfig'],
];
/**
 * Created if missing, because only an existing path can be protected. Empty folders change nothing in a repository, and Git
 * ignores an empty `.git`. Without it, a program could create a repository whose filters the host's own Git would run.
 */
export const madeToProtect: readonly string[] = ['.git', '.vscode', '.claude', '.switchboard'];

/**
 * What a command of a session can read and write.
 *
 * It can write in the session's folders, its private temporary folder, and the command's own state, except for {@link actedUpon}.
 * It cannot read secrets ({@link secretPlaces}), the host's data, the state of other agents, or the worktrees of other sessions
 * next to a repository. It can read everything else.
 */
export function fileRules(place: FilePlace, needs: ConfinedNeeds = {}): FileRules {
  const { folders, place: sandbox, temporary, home, dataDir, agentStates, exists } = place;
  const own = needs.writes ?? [];
  const protects = [
    ...folders.flatMap((folder) => actedUpon.map((it) => join(folder, it))),
    ...(needs.protects ?? []),
  ].filter(exists);
  const trees = folders.flatMap((it) => worktreesAround(it, exists));
  const hidden = [
    ...secretPlaces.map((it) => join(home, it)),
    ...systemSecrets,
    ...agentStates.filter((it) => !own.some((mine) => isWithin(it, mine) || isWithin(mine, it))),
    dataDir,
    ...trees,
  ].filter((it) => exists(it) && !own.some((mine) => isWithin(it, mine)));
  const ofHost = readable.map((it) => join(dataDir, it));
  const shown = [join(sandbox, 'own'), ...ofHost].filter(exists);
  return {
    writes: [...folders, temporary, ...own.filter(exists)],
    protects: [...new Set(protects)],
    hidden: [...new Set(hidden)],
    shown,
  };
}

/**
 * The folders in which the host puts worktrees of sessions, `<repository>.worktrees`. This includes the folder that contains
 * `folder` itself: a path that can be written can be read even in a hidden folder.
 */
function worktreesAround(folder: string, exists: (path: string) => boolean): string[] {
  const found = basename(dirname(folder)).endsWith('.worktrees') ? [dirname(folder)] : [];
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    const all = `${at}.worktrees`;
    if (exists(all)) found.push(all);
  }
  return found;
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
