import { existsSync } from 'node:fs';
import * as z from 'zod';
import { Build } from '../../protocol/hostInfo.ts';
import { dataFiles } from '../dataDir.ts';
import { readJsonFile, writeJsonFile } from '../jsonFile.ts';
import { compareBuilds } from './buildOrder.ts';

/** A build and the file that starts it: its `main.mjs`, whose `launch` and `host` roles every build understands. */
export const KnownBuild = z.object({ build: Build, entry: z.string().min(1) });
export type KnownBuild = z.infer<typeof KnownBuild>;

/** `build.json`: the builds seen on this machine, newest first, at most {@link MAX_BUILDS}. */
const BuildsFile = z.object({ builds: z.array(KnownBuild) });
const MAX_BUILDS = 8;

/**
 * Adds a build to those that are known, and forgets those that were uninstalled.
 * @returns the newest one that is still on disk
 */
export function rememberBuild(dataDir: string, own: KnownBuild, pid: number): KnownBuild {
  const path = dataFiles.builds(dataDir);
  const known = readJsonFile(path, BuildsFile)?.builds ?? [];
  const builds = [own, ...known.filter((it) => it.entry !== own.entry && existsSync(it.entry))]
    .sort((left, right) => compareBuilds(right.build, left.build))
    .slice(0, MAX_BUILDS);
  if (JSON.stringify(known) !== JSON.stringify(builds)) writeJsonFile(path, { builds }, pid);
  return builds[0] ?? own;
}
