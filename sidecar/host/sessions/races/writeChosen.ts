import { join } from 'node:path';
import { Fault } from '../../../platform/faults.ts';
import type { RaceChoice } from '../../../protocol/channels/session/race.ts';
import type { Git } from '../../changes/git/git.ts';
import { writeDisk } from '../../changes/snapshots/diskWriter.ts';
import { type Choice, type Content, mergeChosen } from '../../changes/worktrees/mergeChosen.ts';
import { changedPaths, contentAt, contentIn, versionOf } from '../../changes/worktrees/raceFiles.ts';
import type { Racer } from './racers.ts';

/**
 * Puts what was chosen of a race into the person's folder. Everything is read and decided before the first file is written.
 * @param racers all of one race, at least one
 * @returns the paths @throws {Fault} `invalid_params`, `conflict`, `unavailable`
 */
export async function writeChosen(
  git: Git,
  racers: readonly Racer[],
  chosen: readonly RaceChoice[],
): Promise<string[]> {
  const { tree, top, race } = racers[0]!;
  const used = new Set(chosen.map((it) => it.session));
  const changed = new Map<Racer, ReadonlySet<string>>();
  for (const it of racers)
    if (used.has(it.session)) changed.set(it, new Set(await changedPaths(git, it.tree, it.race.base)));
  const wanted: { readonly path: string; readonly content: Content }[] = [];
  for (const path of new Set(chosen.map((it) => it.path))) {
    const taken: Choice[] = [];
    for (const { session, version, hunks } of chosen.filter((it) => it.path === path)) {
      const racer = racers.find((it) => it.session === session);
      if (!racer) throw new Fault('invalid_params', 'chosen: the session is not in this race');
      if (!changed.get(racer)?.has(path))
        throw new Fault('invalid_params', 'chosen: the session did not change this file');
      const after = await contentAt(racer.tree, path);
      if (versionOf(after) !== version)
        throw new Fault('conflict', `${path} has changed since you looked at it. Choose again.`);
      taken.push({ after, ...(hunks && { hunks }) });
    }
    const base = await contentIn(git, tree, race.base, path);
    const merged = mergeChosen(base, await contentAt(top, path), taken);
    if (merged === 'conflict')
      throw new Fault(
        'conflict',
        `Nothing was kept because several changes affect the same place in ${path}. Choose one of them, or commit your own first.`,
      );
    wanted.push({ path, content: merged.content });
  }
  for (const { path, content } of wanted) {
    const size = content?.bytes.byteLength ?? 0;
    const state = content ? ({ ...content, sha: '', size } as const) : ({ kind: 'absent' } as const);
    await writeDisk(join(top, path), state, [top], async () => content?.bytes ?? new Uint8Array());
  }
  return wanted.map((it) => it.path);
}
