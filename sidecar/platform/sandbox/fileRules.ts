import { basename, dirname, join, sep } from 'node:path';
import type { ConfinedNeeds } from '../children/children.ts';
import type { FileRules } from './messages.ts';

export interface FilePlace {
  /** Of the session: absolute and real. */
  readonly folders: readonly string[];
  /** Of the session's sandbox. */
  readonly place: string;
  /** In {@link place}, for temporary files of the session. */
  readonly temporary: string;
  readonly home: string;
  /** The host's own files. */
  readonly dataDir: string;
  /** State folders of all agents that are known, in the home folder. */
  readonly agentStates: readonly string[];
  readonly exists: (path: string) => boolean;
}

/** Relative to the home folder: keys, tokens, passwords, and what is remembered of them. */
export const secretPlaces: readonly string[] = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.password-store', '.terraform.d', '.vault-token'],
  ...['.netrc', '_netrc', '.npmrc', '.yarnrc.yml', '.pypirc', '.git-credentials', '.pgpass', '.my.cnf'],
  ...['.cargo/credentials', '.cargo/credentials.toml', '.gem/credentials', '.m2/settings.xml'],
  ...['.gradle/gradle.properties', '.bash_history', '.zsh_history', '.python_history', '.node_repl_history'],
  ...['.config/gh', '.config/hub', '.config/gcloud', '.config/git/credentials', '.config/op', '.config/rclone'],
  ...['.config/google-chrome', '.config/chromium', '.config/BraveSoftware', '.config/microsoft-edge', '.mozilla'],
  ...['.config/Code', '.config/Code - Insiders', '.config/VSCodium', '.vscode-server/data/User'],
  ...['.local/share/keyrings', '.local/share/kwalletd', '.local/share/code-server/User', '.config/code-server'],
  ...['Library/Keychains', 'Library/Cookies', 'Library/Application Support/Code'],
  ...['Library/Application Support/Google', 'Library/Application Support/Firefox'],
];

/** Of the system. */
const systemSecrets: readonly string[] = ['/etc/shadow', '/etc/gshadow', '/etc/sudoers', '/etc/sudoers.d', '/etc/ssh'];

/** In the host's data directory: programs of agents that were installed there, and scripts for shells. */
const readable: readonly string[] = ['agents', 'shell'];

/** In a session's folder: what Git, the editor, an agent or the host would run, or be configured by, outside the sandbox. */
export const actedUpon: readonly string[] = [
  ...['.git', '.vscode', '.idea', '.husky', '.switchboard', '.devcontainer', '.envrc', '.mcp.json', 'mcp.json'],
  ...['.claude', '.agents', '.codex', '.cursor', '.gemini', '.opencode', '.github/hooks', '.github/plugins'],
  ...['.bashrc', '.bash_profile', '.bash_login', '.profile', '.zshrc', '.zshenv', '.zprofile', '.gitconfig'],
];
/** Made where they are missing, so that they can be protected. An empty folder changes nothing in a repository. */
export const madeToProtect: readonly string[] = ['.vscode', '.claude', '.switchboard'];

/**
 * What a command of a session may read and write.
 *
 * Written: the session's folders, its private temporary folder, and the command's own state. In them only read: what others act
 * upon ({@link actedUpon}). Hidden: secrets ({@link secretPlaces}), the host's data, the state of other agents, and the worktrees
 * of other sessions beside a repository. All else can be read.
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
    // A folder that is written on its own cannot be moved aside with what is protected in it.
    writes: [...folders, temporary, ...own.filter(exists)],
    protects: [...new Set(protects)],
    hidden: [...new Set(hidden)],
    shown,
  };
}

/**
 * The folders in which the host puts worktrees of sessions, `<repository>.worktrees`. The one that `folder` is a worktree in is
 * hidden as well: what is written in it is readable again.
 */
function worktreesAround(folder: string, exists: (path: string) => boolean): string[] {
  const found = basename(dirname(folder)).endsWith('.worktrees') ? [dirname(folder)] : [];
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    const all = `${at}.worktrees`;
    if (exists(all)) found.push(all);
  }
  return found;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
