import { type ModelDialect, modelDialects } from '../../protocol/gateway/modelProviders/definition.ts';
import { providedModel } from '../../protocol/gateway/modelProviders/index.ts';
import type { Directory } from '../auth/directory.ts';
import type { Permissions } from '../auth/permissions.ts';
import type { CallerResolver } from '../auth/resolve.ts';

export interface UsableModel {
  /** The name of a record. A pattern ends in `*`. */
  readonly name: string;
  /** The dialects that at least one of its backends supports. */
  readonly dialects: readonly ModelDialect[];
}

export interface UsableModelsDeps {
  readonly directory: Pick<Directory, 'registered'>;
  readonly permissions: Pick<Permissions, 'of'>;
  readonly callers: Pick<CallerResolver, 'byHash'>;
}

/**
 * The registered models that a key can use, decided as for its calls. A pattern is included if one of its names can be used.
 *
 * @param token hash of the key
 * @throws {Fault} as {@link CallerResolver.resolve}
 */
export async function usableModels(
  { directory, permissions, callers }: UsableModelsDeps,
  token: string,
): Promise<readonly UsableModel[]> {
  const access = await permissions.of(await callers.byHash(token, { tags: [], debug: false }));
  const { models } = await directory.registered();
  const byName = new Map<string, Set<ModelDialect>>();
  for (const { model_name: name, gateway_params } of models) {
    if (!access.allowsSomeOf(name)) continue;
    const spoken = byName.get(name) ?? new Set();
    const { dialects } = providedModel(gateway_params.model)?.definition ?? { dialects: {} };
    for (const it of modelDialects) if (it in dialects) spoken.add(it);
    byName.set(name, spoken);
  }
  return [...byName].map(([name, spoken]) => ({ name, dialects: [...spoken] })).filter((it) => it.dialects.length > 0);
}
