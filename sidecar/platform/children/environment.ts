/** Variables of the editor itself, which change what programs started from it do. */
const editorOwn =
  /^(ELECTRON_|VSCODE_|NODE_OPTIONS$|NODE_CHANNEL_|GIT_ASKPASS$|ESBUILD_BINARY_PATH$|SWITCHBOARD_LEASH$)/i;

/** What any program needs to run, find its files and reach the network. A trailing `*` stands for any ending. */
const plain: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'LANG',
  'LANGUAGE',
  'LC_*',
  'TZ',
  'TMPDIR',
  'TMP',
  'TEMP',
  'XDG_*',
  'SSH_AUTH_SOCK',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'SYSTEMROOT',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'APPDATA',
  'LOCALAPPDATA',
  'USERPROFILE',
  'HOMEDRIVE',
  'HOMEPATH',
  'PROGRAMDATA',
  'PROGRAMFILES*',
  'COMMONPROGRAMFILES*',
  'NUMBER_OF_PROCESSORS',
  'PROCESSOR_ARCHITECTURE',
];

const secretName = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH)/i;

/** The environment of a window without the editor's own variables. */
export function stripEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return pick(env, () => true);
}

/**
 * What an agent gets: the plain variables and those named for it.
 *
 * @param names exact names, or beginnings with a trailing `*` (`ANTHROPIC_*`); compared without regard to case
 */
export function agentEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> {
  const wanted = [...plain, ...names].map((it) => it.toUpperCase());
  return pick(env, (name) => wanted.some((it) => matches(it, name.toUpperCase())));
}

/**
 * Values of the variables that an agent gets by name: a key as likely as not, so no log and no error shows them. Words
 * as short as `default` are not among them.
 *
 * @param names as in {@link agentEnvironment}
 */
export function namedValues(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): readonly string[] {
  const wanted = names.map((it) => it.toUpperCase());
  const named = pick(env, (name) => wanted.some((it) => matches(it, name.toUpperCase())));
  return Object.values(named).filter((it) => it.length >= 8);
}

/** Values of variables whose name says that they are secret: nothing but keys, so no path and no short word. */
export function keysIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const keys = pick(env, (name) => secretName.test(name));
  return Object.values(keys).filter((it) => /^\S{12,}$/.test(it) && !/^(\/|~|[a-z]:\\)/i.test(it));
}

/**
 * Takes values that look secret, and the home folder, out of text that a program wrote.
 *
 * @param names of variables whose values are taken out whatever they are called
 */
export function redact(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[] = [],
): string {
  let clean = text;
  for (const value of namedValues(env, names)) clean = clean.replaceAll(value, '[removed]');
  for (const [name, value] of Object.entries(env)) {
    if (value && value.length >= 6 && secretName.test(name)) clean = clean.replaceAll(value, '[removed]');
  }
  clean = clean
    .replace(/\b(sk|pk|ghp|gho|github_pat|xox[abp])[-_][A-Za-z0-9_-]{8,}/g, '[removed]')
    .replace(/\bBearer\s+[A-Za-z0-9._~+/=-]+/gi, 'Bearer [removed]');
  const home = env['HOME'] ?? env['USERPROFILE'];
  return home && home.length > 1 ? clean.replaceAll(home, '~') : clean;
}

function matches(wanted: string, name: string): boolean {
  return wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted;
}

function pick(
  env: Readonly<Record<string, string | undefined>>,
  keep: (name: string) => boolean,
): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !editorOwn.test(name) && keep(name)) picked[name] = value;
  }
  return picked;
}
