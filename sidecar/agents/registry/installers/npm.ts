import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { parsedJson } from '../../../platform/json.ts';
import { type Distribution, line } from '../distribution.ts';
import type { Arrived, InstallContext, Preview } from './installer.ts';
import { runTool, toolEnvironment } from './runTool.ts';

type Npm = Extract<Distribution, { kind: 'npm' }>;

const Bin = z.union([z.string(), z.record(z.string(), z.string())]);
const Published = z.object({
  name: z.string(),
  version: z.string(),
  bin: Bin.exactOptional(),
  dist: z.object({
    integrity: z.string().exactOptional(),
    tarball: z.string().exactOptional(),
    unpackedSize: z.number().exactOptional(),
  }),
});
const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().exactOptional(),
      integrity: z.string().exactOptional(),
      hasInstallScript: z.boolean().exactOptional(),
    }),
  ),
});

const VIEW_MS = 60_000;
const INSTALL_MS = 20 * 60_000;
const shownFlags = ['--ignore-scripts'];
/** A project of its own that nothing around it reaches into, and no script that a person did not allow. */
const flags = [
  ...shownFlags,
  '--save-exact',
  '--no-global',
  '--location=project',
  '--install-strategy=hoisted',
  '--omit=dev',
  '--include=optional',
  '--package-lock=true',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--no-progress',
  '--no-color',
  '--loglevel=error',
];

/** What npm's registry says of the package. @throws {Fault} `unavailable` */
export async function previewNpm(npm: Npm, context: InstallContext): Promise<Preview> {
  const text = await runTool(
    {
      command: npm.tool,
      args: ['view', npm.package, '--json', '--no-color', '--loglevel=error', `--cache=${join(context.work, 'cache')}`],
      cwd: context.work,
      env: toolEnvironment(context.env),
      title: `npm view ${npm.package}`,
      limitMs: VIEW_MS,
    },
    context,
  );
  const { data } = Published.safeParse(parsedJson(text));
  if (!data || `${data.name}@${data.version}` !== npm.package)
    throw new Fault('unavailable', `npm could not find the package ${npm.package}.`);
  const { integrity, tarball, unpackedSize } = data.dist;
  return {
    steps: [line({}, ['npm', 'install', ...shownFlags, npm.package])],
    command: binPath(data.name, data.bin),
    source: tarball ?? `npm: ${npm.package}`,
    ...(unpackedSize !== undefined && { sizeBytes: unpackedSize }),
    ...(integrity !== undefined && { hash: integrity }),
  };
}

/** @param wanted the integrity that was shown @throws {Fault} `unavailable`, `conflict` where something else arrived */
export async function installNpm(
  npm: Npm,
  folder: string,
  wanted: string | undefined,
  context: InstallContext,
): Promise<Arrived> {
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  context.progress('install');
  await runTool(
    {
      command: npm.tool,
      args: ['install', ...flags, `--prefix=${folder}`, `--cache=${join(context.work, 'cache')}`, npm.package],
      cwd: folder,
      env: toolEnvironment(context.env),
      title: `npm install ${npm.package}`,
      limitMs: INSTALL_MS,
    },
    context,
  );
  const { packages } = Lock.parse(parsedJson(await readFile(join(folder, 'package-lock.json'), 'utf8')));
  const name = nameOf(npm.package);
  const own = packages[`node_modules/${name}`];
  if (own?.version === undefined || `${name}@${own.version}` !== npm.package)
    throw new Fault('conflict', `npm installed ${name} ${own?.version ?? ''} instead of ${npm.package}.`);
  if (own.integrity === undefined || (wanted !== undefined && own.integrity !== wanted))
    throw new Fault(
      'conflict',
      `The package that npm installed as ${npm.package} does not match the one that its registry published.`,
    );
  const manifest = await readFile(join(folder, 'node_modules', ...name.split('/'), 'package.json'), 'utf8');
  const { data } = z.object({ bin: Bin.exactOptional() }).safeParse(parsedJson(manifest));
  const scripts = Object.entries(packages).flatMap(([path, it]) =>
    it.hasInstallScript === true ? [`${path.replace(/^.*node_modules\//, '')}@${it.version ?? ''}`] : [],
  );
  return { command: binPath(name, data?.bin), hash: own.integrity, scripts: [...new Set(scripts)].sort() };
}

/** Runs the install scripts of packages that a person named, and of no others. @param packages `name@version` */
export async function runNpmScripts(
  npm: string,
  { folder, packages }: { readonly folder: string; readonly packages: readonly string[] },
  context: InstallContext,
): Promise<void> {
  context.progress('scripts');
  await runTool(
    {
      command: npm,
      args: [
        'rebuild',
        '--no-ignore-scripts',
        '--foreground-scripts',
        '--no-global',
        '--location=project',
        `--prefix=${folder}`,
        `--cache=${join(context.work, 'cache')}`,
        '--no-update-notifier',
        '--no-color',
        '--loglevel=error',
        ...packages,
      ],
      cwd: folder,
      env: toolEnvironment(context.env),
      title: `npm rebuild ${packages.join(' ')}`,
      limitMs: INSTALL_MS,
    },
    context,
  );
}

function nameOf(spec: string): string {
  return spec.slice(0, spec.lastIndexOf('@'));
}

/** The program that `npx` would run: the only one, or the one with the package's name. @throws {Fault} `unavailable` */
function binPath(name: string, bin: z.infer<typeof Bin> | undefined): string {
  const plain = name.replace(/^@[^/]+\//, '');
  const names = typeof bin === 'string' ? [plain] : Object.keys(bin ?? {});
  const chosen = names.length === 1 ? names[0] : names.find((it) => it === plain);
  if (chosen === undefined || /[/\\]|^\.+$/.test(chosen))
    throw new Fault('unavailable', `The package ${name} has no program to run.`);
  return `node_modules/.bin/${chosen}`;
}
