import { join } from 'node:path';
import { build } from 'esbuild';
import type { Build } from '../../../sidecar/protocol/hostInfo.ts';

/**
 * Bundles the sidecar around the echo host, as the given build.
 * @param main instead of the one with the echo host
 * @returns the entry, for `openSidecarPlace`
 */
export async function buildEchoSidecar(
  folder: string,
  id: Build,
  main: string = join(import.meta.dirname, 'sidecar.child.ts'),
): Promise<string> {
  const outdir = join(folder, `${id.version}-${id.builtAtMs}`);
  await build({
    entryPoints: { main },
    outdir,
    bundle: true,
    format: 'esm',
    splitting: true,
    platform: 'node',
    target: 'node22',
    mainFields: ['module', 'main'],
    outExtension: { '.js': '.mjs' },
    define: { __BUILD__: JSON.stringify(id) },
    banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
    logLevel: 'warning',
  });
  return join(outdir, 'main.mjs');
}
