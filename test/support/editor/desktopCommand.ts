import { spawnSync } from 'node:child_process';

export type DesktopCommand =
  | { readonly command: string; readonly why?: undefined }
  | { readonly command: undefined; readonly why: string };

const oldest: readonly [number, number] = [1, 125];

/** The desktop VS Code on PATH, where there is one that is new enough and a screen to show it; otherwise why not. */
export function desktopCommand(
  env: NodeJS.ProcessEnv,
  versionOf: (command: string) => string | undefined = askVersion,
): DesktopCommand {
  if (env['SWITCHBOARD_EDITOR'] === 'served') return { command: undefined, why: 'SWITCHBOARD_EDITOR is "served"' };
  if (process.platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) {
    return { command: undefined, why: 'there is no screen for a desktop VS Code' };
  }
  const command = env['VSCODE_PATH'] ?? 'code';
  const version = versionOf(command);
  if (version === undefined) return { command: undefined, why: `no desktop VS Code (${command}) on PATH` };
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
    return { command: undefined, why: `the desktop VS Code is ${version}, and ${oldest.join('.')} is needed` };
  }
  return { command };
}

function askVersion(command: string): string | undefined {
  const answer = spawnSync(command, ['--version'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
    timeout: 20_000,
  });
  return answer.status === 0 ? /^\d+\.\d+\.\d+/.exec(answer.stdout)?.[0] : undefined;
}
