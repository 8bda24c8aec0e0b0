import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../platform/faults.ts';
import { type Distribution, line } from '../distribution.ts';
import type { Arrived, InstallContext, Preview } from './installer.ts';
import { runTool, toolEnvironment } from './runTool.ts';

type Uv = Extract<Distribution, { kind: 'uv' }>;

const INSTALL_MS = 20 * 60_000;
/** uv builds nothing: to build a package is to run its code. */
const flags = ['--no-build'];
const programs = 'bin';

export function previewUv(uv: Uv): Preview {
  return {
    steps: [line({}, ['uv', 'tool', 'install', ...flags, uv.package])],
    command: `${programs}/${nameOf(uv)}`,
    source: `PyPI: ${uv.package}`,
  };
}

/** @throws {Fault} `unavailable` */
export async function installUv(uv: Uv, folder: string, context: InstallContext): Promise<Arrived> {
  context.progress('install');
  await runTool(
    {
      command: uv.tool,
      args: ['tool', 'install', ...flags, '--no-progress', '--color=never', uv.package],
      cwd: context.work,
      env: {
        ...toolEnvironment(context.env),
        UV_TOOL_DIR: join(folder, 'tools'),
        UV_TOOL_BIN_DIR: join(folder, programs),
        UV_PYTHON_INSTALL_DIR: join(folder, 'python'),
        UV_CACHE_DIR: join(context.work, 'cache'),
        UV_LINK_MODE: 'copy',
        UV_NO_MODIFY_PATH: '1',
      },
      title: `uv tool install ${uv.package}`,
      limitMs: INSTALL_MS,
    },
    context,
  );
  const made = await readdir(join(folder, programs)).catch(() => []);
  const plain = (it: string) => it.replace(/\.exe$/i, '');
  const found = made.find((it) => plain(it) === nameOf(uv)) ?? (made.length === 1 ? made[0] : undefined);
  if (found === undefined) throw new Fault('unavailable', `The package ${uv.package} has no program to run.`);
  return { command: `${programs}/${found}`, scripts: [] };
}

function nameOf(uv: Uv): string {
  return uv.package.replace(/(?:\[|==|@).*$/, '');
}
