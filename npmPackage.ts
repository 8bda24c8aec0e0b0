import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from './test/support/cache.ts';
import { npm } from './test/support/npm.ts';
import { say } from './test/support/say.ts';

/** Of everything that npm unpacks: a server is installed in seconds, and an image stays small. */
export const maxInstalledBytes = 8_000_000;

/**
 * What the command needs of the build. The native module for terminals is left out, because it alone would take half of the
 * limit: without it, terminals of the host run over pipes.
 */
const built = ['dist/sidecar/*.{mjs,cjs,txt}', 'dist/sidecar/vendor/**', 'dist/media/admin/*.{js,css,ttf,txt}'];
/** Under the names that they have in the package, where npm shows the guide for operators as the page of the package. */
const documents: Readonly<Record<string, string>> = {
  'README.md': 'GATEWAY.md',
  'CONFIGURATION.md': 'CONFIGURATION.md',
  'CHANGELOG.md': 'CHANGELOG.md',
  LICENSE: 'LICENSE',
};

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly engines: { readonly node: string };
  readonly bin: Readonly<Record<string, string>>;
}

/** The manifest of the package with the command: nothing of the editor, and no dependency, because all of them are bundled. */
export const commandManifest = ({ name, version, license, engines, bin }: Manifest) => ({
  name,
  version,
  description: 'A gateway to MCP servers, A2A agents, models, and cloud agents, and a host for coding agents.',
  license,
  type: 'module',
  bin,
  engines: { node: engines.node },
});

export interface CommandPackage {
  /** The `.tgz` file. */
  readonly path: string;
  readonly files: number;
  readonly packedBytes: number;
  readonly installedBytes: number;
}

/** Packs the built command into `folder`. @throws {Error} where it would take more than {@link maxInstalledBytes} */
export async function packCommand(folder: string): Promise<CommandPackage> {
  const staged = join(folder, 'staged-command');
  rmSync(staged, { recursive: true, force: true });
  const copies = new Map(Object.entries(documents));
  for (const found of globSync(built, { cwd: projectRoot, withFileTypes: true }))
    if (found.isFile()) copies.set(join(found.parentPath, found.name).slice(projectRoot.length + 1), '');
  for (const [name, source] of copies) {
    mkdirSync(dirname(join(staged, name)), { recursive: true });
    copyFileSync(join(projectRoot, source || name), join(staged, name));
  }
  const manifest = commandManifest(JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as Manifest);
  writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const installedBytes = [...copies.keys(), 'package.json'].reduce(
    (sum, it) => sum + statSync(join(staged, it)).size,
    0,
  );
  if (installedBytes > maxInstalledBytes)
    throw new Error(
      `the command takes ${installedBytes} bytes when it is installed; the limit is ${maxInstalledBytes}`,
    );
  await npm(['pack', '--pack-destination', folder], staged);
  rmSync(staged, { recursive: true });
  const path = join(folder, `${manifest.name}-${manifest.version}.tgz`);
  return { path, files: copies.size + 1, packedBytes: statSync(path).size, installedBytes };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = join(projectRoot, 'dist', 'packages');
  mkdirSync(folder, { recursive: true });
  const { path, files, packedBytes, installedBytes } = await packCommand(folder);
  const [packed, installed] = [packedBytes, installedBytes].map((it) => it.toLocaleString('en'));
  say(`package: ${path} ${files} files, ${packed} bytes packed, ${installed} bytes installed`);
}
