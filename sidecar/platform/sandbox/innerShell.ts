import { agentEnvironment } from '../children/environment.ts';
import { shellWord } from '../children/shellWord.ts';

/**
 * Passed on by nobody: they lead to programs outside that act for whoever asks, or to a proxy that the sandbox replaces.
 */
const leadingOut = [
  /^(SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DBUS_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|DOCKER_HOST)$/i,
  /^(HTTP|HTTPS|ALL|NO|FTP|GRPC)_PROXY$/i,
  /^(BASH_ENV|ENV|LD_.*|DYLD_.*|SWITCHBOARD_.*)$/,
];

/**
 * The environment of a program in a sandbox.
 * @param variables names of those that it gets besides the plain ones. Absent: `env` was chosen for it already
 */
export function innerEnvironment(
  env: Readonly<Record<string, string>>,
  variables: readonly string[] | undefined,
): Record<string, string> {
  const chosen = variables ? agentEnvironment(env, variables) : env;
  const isGiven = (name: string) => name.startsWith('SWITCHBOARD_TOOLS_') && variables === undefined;
  const kept = Object.entries(chosen).filter(([name]) => isGiven(name) || !leadingOut.some((it) => it.test(name)));
  // An outermost bash whose standard input is a socket reads the user's start-up files.
  return { ...Object.fromEntries(kept), SHLVL: '1' };
}

export interface InnerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** On 127.0.0.1, outside. */
  readonly ports: readonly number[];
  readonly temporary: string;
  readonly platform: NodeJS.Platform;
}

/** A descriptor that the host inherited from whoever started it is open in all its children. Only bash can name those above 9. */
const closeDescriptors = `for f in /proc/self/fd/* /dev/fd/*; do n=\${f##*/}; case $n in
0|1|2|'*') ;;
[3-9]) eval "exec $n>&-" ;;
*) [ -z "$BASH_VERSION" ] || eval "exec $n>&-" ;;
esac; done`;

/**
 * What the shell in the sandbox does before it becomes the program: it closes what was left open, names a private folder
 * for temporary files and caches, and leads ports of this machine to the proxy, because the sandbox has a loopback of its own.
 */
export function innerLine({ command, args, ports, temporary, platform }: InnerCommand): string {
  const variables = {
    TMPDIR: temporary,
    TMP: temporary,
    TEMP: temporary,
    XDG_CACHE_HOME: `${temporary}/cache`,
    npm_config_cache: `${temporary}/npm`,
    // Node.js uses the proxy only when it is told to.
    NODE_USE_ENV_PROXY: '1',
    // Seatbelt has no loopback of its own: what is on this machine is reached through the proxy, which asks the host.
    ...(platform === 'darwin' && { NO_PROXY: '', no_proxy: '' }),
  };
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${shellWord(value)}`);
  const bridges = platform === 'linux' ? [...new Set(ports)].map(bridge) : [];
  return [closeDescriptors, ...exports, ...bridges, `exec ${[command, ...args].map(shellWord).join(' ')}`].join('\n');
}

/** Waits until the port is listened on, for a second at most. `0A` is the state of a listening socket. */
function bridge(port: number): string {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return `a=\${HTTP_PROXY#http://}; a=\${a%@*}
socat TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr "PROXY:localhost:127.0.0.1:${port},proxyport=\${HTTP_PROXY##*:},proxyauth=$a" </dev/null >/dev/null 2>&1 &
i=0; until grep -q ':${hex} 00000000:0000 0A' /proc/net/tcp || [ $i -ge 100 ]; do i=$((i+1)); sleep 0.01; done; unset a i`;
}
