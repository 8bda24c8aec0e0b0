type Env = Readonly<Record<string, string | undefined>>;

/** What a process of the system needs on any platform. Nothing that belongs to one window. */
const KEPT = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'XDG_RUNTIME_DIR'],
  ...[
    'SYSTEMROOT',
    'SYSTEMDRIVE',
    'WINDIR',
    'COMSPEC',
    'PATHEXT',
    'USERPROFILE',
    'USERNAME',
    'USERDOMAIN',
    'HOMEDRIVE',
  ],
  ...[
    'HOMEPATH',
    'APPDATA',
    'LOCALAPPDATA',
    'PROGRAMDATA',
    'PROGRAMFILES',
    'PROGRAMFILES(X86)',
    'NUMBER_OF_PROCESSORS',
  ],
];

/**
 * The host's own environment: minimal, because it outlives the window that started it; what belongs to a window travels
 * with its connection. VS Code's own Node is Electron, which is Node only where the environment sets it.
 */
export function hostEnvironment(env: Env, isElectron: boolean): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const upper = name.toUpperCase();
    if (value !== undefined && (KEPT.includes(upper) || upper.startsWith('LC_'))) kept[name] = value;
  }
  if (isElectron) kept['ELECTRON_RUN_AS_NODE'] = '1';
  return kept;
}
