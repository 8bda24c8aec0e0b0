import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod';

const Fixture = z.strictObject({
  says: z.string(),
  before: z.unknown(),
  actions: z.array(z.looseObject({ type: z.string() })).min(1),
  after: z.unknown(),
});
export type Fixture = z.infer<typeof Fixture> & { readonly file: string };

const root = new URL('../../fixtures/reducers/', import.meta.url);

/** The reducer fixtures of one kind of channel, by file name. */
export function readFixtures(kind: string): readonly Fixture[] {
  const folder = new URL(`${kind}/`, root);
  const files = existsSync(folder) ? readdirSync(folder).filter((it) => it.endsWith('.json')) : [];
  return files.toSorted().map((file) => {
    const fixture = Fixture.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
    return { ...fixture, file };
  });
}
