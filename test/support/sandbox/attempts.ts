/** An attempt to get out of a sandbox. */
export interface Attempt {
  readonly what: string;
  /** For `sh`, in the session's folder. Without a {@link proof}, it exits with 0 only if it got out. */
  readonly script: string;
  /** A condition for `sh`, checked outside afterwards. */
  readonly proof?: string;
}

/** Sends a request as clients do: through the proxy of the environment, or directly if there is none. */
const request = (url: string, headers: Readonly<Record<string, string>> = {}) => `"$NODE" -e '
const http = require("node:http");
const url = new URL(${JSON.stringify(url)}.replace("PORT", process.env.OTHER_PORT));
const proxy = process.env.HTTP_PROXY && new URL(process.env.HTTP_PROXY);
const auth = proxy && "Basic " + Buffer.from(decodeURIComponent(proxy.username) + ":" + proxy.password).toString("base64");
const headers = { ...${JSON.stringify(headers)}, ...(proxy && { "proxy-authorization": auth }) };
const to = proxy ? { host: "127.0.0.1", port: proxy.port, path: url.href } : { host: "127.0.0.1", port: url.port, path: "/" };
http.get({ ...to, headers: { host: url.host, ...headers } }, (answer) => {
  answer.on("upgrade", () => process.exit(0));
  let text = "";
  answer.on("data", (it) => (text += it)).on("end", () => process.exit(text === "outside" ? 0 : 1));
}).on("upgrade", () => process.exit(0)).on("error", () => process.exit(1));
'`;
const connected = (to: string) => `"$NODE" -e '
require("node:net").connect(${to}).on("data", (it) => process.exit(String(it).includes("outside") ? 0 : 1)).on("error", () => process.exit(1)).write("GET / HTTP/1.0\\r\\n\\r\\n");
setTimeout(() => process.exit(1), 3000);
'`;

/**
 * Each attempt succeeds outside a sandbox. WORK is the session's folder, OUT is a folder outside it, HOME is a home folder, DATA is
 * the host's data directory, OTHER is the worktree of another session, OTHER_PORT is the port of a service, VICTIM is a process, and
 * descriptor 3 is an open file.
 */
export const attempts: readonly Attempt[] = [
  { what: 'writes a file outside its folders', script: 'echo x > "$OUT/a"' },
  { what: 'writes through a symbolic link in its folder', script: 'ln -s "$OUT" link && echo x > link/b' },
  {
    what: 'writes through the root of its own process',
    script: 'echo x > "/proc/self/root$OUT/c"',
    proof: '-e "$OUT/c"',
  },
  { what: 'writes through the root of a process outside', script: 'echo x > "/proc/$VICTIM/root$OUT/d"' },
  {
    what: 'changes a file through a hard link',
    script: 'ln "$OUT/kept" hard && echo x > hard',
    proof: '"$(cat "$OUT/kept")" = x',
  },
  {
    what: 'renames a file over one outside',
    script: 'echo x > mine && mv mine "$OUT/kept"',
    proof: '"$(cat "$OUT/kept")" = x',
  },
  { what: 'deletes a file outside', script: 'rm -f "$OUT/kept"', proof: '! -e "$OUT/kept"' },
  { what: 'moves its own folder away', script: 'mv "$PWD" "$OUT/moved"', proof: '-e "$OUT/moved"' },
  { what: 'leaves a file in the shared temporary folder', script: 'echo x > "/tmp/$MARK"', proof: '-e "/tmp/$MARK"' },
  { what: 'leaves a file in shared memory', script: 'echo x > "/dev/shm/$MARK"', proof: '-e "/dev/shm/$MARK"' },
  { what: 'reads an SSH key', script: 'grep -q secret "$HOME/.ssh/id_ed25519"' },
  {
    what: 'reads cloud credentials through a symbolic link',
    script: 'ln -s "$HOME/.aws" aws && grep -q secret aws/credentials',
  },
  { what: 'reads passwords of Git', script: 'grep -q secret "$HOME/.git-credentials"' },
  { what: 'reads the database of the host', script: 'grep -q secret "$DATA/host.db"' },
  {
    what: 'writes into the data directory of the host',
    script: 'echo x > "$DATA/planted"',
    proof: '-e "$DATA/planted"',
  },
  { what: 'reads the worktree of another session', script: 'grep -q secret "$OTHER/file"' },
  { what: 'reads the sign-in of another agent', script: 'grep -q secret "$HOME/.otheragent/auth.json"' },
  {
    what: 'adds a Git hook to its folder',
    script: 'echo x > .git/hooks/pre-commit',
    proof: '-e "$WORK/.git/hooks/pre-commit"',
  },
  {
    what: 'puts another repository in the place of its own',
    script: 'mv .git old && mkdir -p .git/hooks',
    proof: '-e "$WORK/old"',
  },
  { what: 'makes Git run a program', script: 'printf "[core]\\nfsmonitor = x\\n" >> .git/config' },
  {
    what: 'changes the settings of the editor for its folder',
    script: 'echo "{}" > .vscode/settings.json',
    proof: '-e "$WORK/.vscode/settings.json"',
  },
  {
    what: 'changes the hooks that an agent runs in its folder',
    script: 'mkdir -p .claude && echo "{}" > .claude/settings.json',
    proof: '-e "$WORK/.claude/settings.json"',
  },
  { what: 'adds a line to the start-up file of a shell', script: 'echo x >> "$HOME/.bashrc"' },
  { what: 'plants a program on PATH', script: 'echo x > "$HOME/.local/bin/ls"' },
  {
    what: 'adds a program that the system starts',
    script: 'mkdir -p "$HOME/.config/autostart" && echo x > "$HOME/.config/autostart/x.desktop"',
  },
  { what: 'reads a secret of the environment', script: '[ "$PLANTED_TOKEN" = secret ]' },
  { what: 'learns where the SSH agent is', script: '[ -n "$SSH_AUTH_SOCK" ]' },
  { what: 'reads a file that was left open', script: 'grep -q secret <&3' },
  { what: 'sees a process outside', script: '[ -d "/proc/$VICTIM" ]' },
  { what: 'reads the environment of a process outside', script: 'grep -q secret "/proc/$VICTIM/environ"' },
  { what: 'ends a process outside', script: 'kill -KILL "$VICTIM"' },
  { what: 'connects to an address', script: connected('Number(process.env.OTHER_PORT), process.env.ADDRESS') },
  { what: 'connects to a service on this machine', script: connected('Number(process.env.OTHER_PORT), "127.0.0.1"') },
  { what: 'reaches a service on this machine through the proxy', script: request('http://127.0.0.1:PORT/') },
  { what: 'reaches this machine by another spelling of its address', script: request('http://2130706433:PORT/') },
  { what: 'reaches this machine by a name that stands for it', script: request('http://loopback.localhost:PORT/') },
  {
    what: 'names an allowed host beside the address',
    script: request('http://127.0.0.1:PORT/', { host: 'allowed.test' }),
  },
  {
    what: 'opens a WebSocket to this machine',
    script: request('http://127.0.0.1:PORT/', { connection: 'upgrade', upgrade: 'websocket' }),
  },
  {
    what: 'sends a datagram, as a lookup of a name is one',
    script: `"$NODE" -e '
const socket = require("node:dgram").createSocket("udp4").on("message", () => process.exit(0)).on("error", () => process.exit(1));
socket.send("secret.example", Number(process.env.UDP_PORT), process.env.ADDRESS, (thrown) => thrown && process.exit(1));
setTimeout(() => process.exit(1), 1500);
'`,
  },
  {
    what: 'connects to a socket in a folder, as that of Docker is one',
    script: connected('{ path: process.env.SOCKET }'),
  },
  {
    what: 'connects to an abstract socket, as that of a desktop is one',
    script: connected('{ path: "\\0" + process.env.MARK }'),
  },
  { what: 'begins a namespace of its own', script: 'unshare --user --map-root-user true' },
  { what: 'mounts a file system', script: 'unshare --user --map-root-user --mount mount -t tmpfs none /mnt' },
  { what: 'gets the rights of the owner of a program', script: 'grep -q "NoNewPrivs:[[:space:]]*0" /proc/self/status' },
];
