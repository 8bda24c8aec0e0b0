import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute, resolve } from 'node:path';
import { agentEnvironment } from '../children/environment.ts';
import { shellWord } from '../children/shellWord.ts';
import { isWithin } from './fileRules.ts';
import { exportNodeProxy } from './nodeProxy.ts';

/**
 * Variables that no program receives. They lead to services outside the sandbox or to a proxy that the sandbox replaces, or
 * they make a shell or the dynamic linker run code before the sandbox has started.
 */
const leadingOut = [
  /^(SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DBUS_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|DOCKER_HOST)$/i,
  /^(HTTP|HTTPS|ALL|NO|FTP|GRPC)_PROXY$/i,
  /^(BASH.*|ENV|SHELLOPTS|PS4|IFS|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|GLIBC_TUNABLES|SWITCHBOARD_.*)$/,
];

/**
 * The environment of a program in a sandbox.
 * @param variables names of the variables that it gets in addition to the plain ones. Absent: `env` was already selected for it
 */
export function innerEnvironment(
  env: Readonly<Record<string, string>>,
  variables: readonly string[] | undefined,
): Record<string, string> {
  const chosen = variables ? agentEnvironment(env, variables) : env;
  const isGiven = (name: string) => /^SWITCHBOARD_(TOOLS_|MODELS_KEY$)/.test(name) && variables === undefined;
  const kept = Object.entries(chosen).filter(([name]) => isGiven(name) || !leadingOut.some((it) => it.test(name)));
  // A bash with SHLVL 0 whose standard input is a socket reads the user's start-up files.
  return { ...Object.fromEntries(kept), SHLVL: '1' };
}

const systemFolders: readonly string[] = [
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
];

/**
 * The PATH of the programs that start a sandbox. They run outside it, so they must not be found in a folder in which a
 * program of a session can put files, such as a Python virtual environment in the workspace. Folders of the system are first.
 * @param writable absolute paths of folders
 */
export function outerPath(path: string, writable: readonly string[]): string {
  const isSafe = (folder: string) => {
    const real = realPath(folder);
    return real !== undefined && ![resolve(folder), real].some((it) => writable.some((own) => isWithin(it, own)));
  };
  const safe = path.split(delimiter).filter((it) => isAbsolute(it) && isSafe(it));
  const isOfSystem = (folder: string) => systemFolders.includes(folder);
  return [...safe.filter(isOfSystem), ...safe.filter((it) => !isOfSystem(it))].join(delimiter);
}

function realPath(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined; // missing or not readable: no program is found in it
  }
}

export interface InnerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The PATH of the program. The sandbox itself is started with {@link outerPath}. */
  readonly path: string | undefined;
  /** Ports on 127.0.0.1 outside the sandbox. */
  readonly ports: readonly number[];
  readonly temporary: string;
  /** @see exportNodeProxy */
  readonly nodeProxy: string;
  /** Whether the program runs in Node.js, perhaps in a version that is too old for {@link nodeProxy}. */
  readonly isNode: boolean;
  readonly platform: NodeJS.Platform;
}

/** Descriptors that the host inherited from its parent are open in all its children. Only bash can name those above 9. */
const closeDescriptors = `for f in /proc/self/fd/* /dev/fd/*; do n=\${f##*/}; case $n in
0|1|2|'*') ;;
[3-9]) eval "exec $n>&-" ;;
*) [ -z "$BASH_VERSION" ] || eval "exec $n>&-" ;;
esac; done`;

/**
 * The commands of the shell in the sandbox before it becomes the program. They close inherited descriptors, set a private folder
 * for temporary files and caches, and forward ports of this machine to the proxy, because the sandbox has its own loopback.
 */
export function innerLine(inner: InnerCommand): string {
  const { command, args, path, ports, temporary, nodeProxy, isNode, platform } = inner;
  const variables = {
    TMPDIR: temporary,
    TMP: temporary,
    TEMP: temporary,
    XDG_CACHE_HOME: `${temporary}/cache`,
    npm_config_cache: `${temporary}/npm`,
    ...(isNode && { NODE_USE_ENV_PROXY: '1' }),
    // Seatbelt has no separate loopback: services on this machine are reached through the proxy, which asks the host.
    ...(platform === 'darwin' && { NO_PROXY: '', no_proxy: '' }),
  };
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${shellWord(value)}`);
  const bridges = platform === 'linux' ? [...new Set(ports)].map(bridge) : [];
  const ownPath = path === undefined ? [] : [`export PATH=${shellWord(path)}`];
  const program = `exec ${[command, ...args].map(shellWord).join(' ')}`;
  return [closeDescriptors, ...exports, exportNodeProxy(nodeProxy, shellWord), ...bridges, ...ownPath, program].join(
    '\n',
  );
}

/** Waits until the port accepts connections, for one second at most. `0A` is the state of a listening socket. */
function bridge(port: number): string {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return `a=\${HTTP_PROXY#http://}; a=\${a%@*}
socat TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr "PROXY:localhost:127.0.0.1:${port},proxyport=\${HTTP_PROXY##*:},proxyauth=$a" </dev/null >/dev/null 2>&1 &
i=0; until grep -q ':${hex} 00000000:0000 0A' /proc/net/tcp || [ $i -ge 100 ]; do i=$((i+1)); sleep 0.01; done; unset a i`;
}
