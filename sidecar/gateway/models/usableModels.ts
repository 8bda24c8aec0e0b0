import type { Clock } from '../../platform/clock.ts';
import { type ModelDialect, modelDialects } from '../../protocol/gateway/modelProviders/definition.ts';
import { providedModel } from '../../protocol/gateway/modelProviders/index.ts';
import type { Directory } from '../auth/directory.ts';
import type { Permissions } from '../auth/permissions.ts';
import type { CallerResolver } from '../auth/resolve.ts';
import { pricesOf } from './prices/prices.ts';

export interface UsableModel {
  /** The name of a record. A pattern ends in `*`. */
  readonly name: string;
  /** The dialects that at least one of its backends supports. */
  readonly dialects: readonly ModelDialect[];
  /** The lowest input token limit of its backends. Absent if no limit is known. */
  readonly context?: number;
}

export interface UsableModelsDeps {
  readonly directory: Pick<Directory, 'registered'>;
  readonly permissions: Pick<Permissions, 'of'>;
  readonly callers: Pick<CallerResolver, 'byHash'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The registered models that a key can use, decided as for its calls. A pattern is included if one of its names can be used.
 *
 * @param token hash of the key
 * @throws {Fault} as {@link CallerResolver.resolve}
 */
export async function usableModels(
  { directory, permissions, callers, clock }: UsableModelsDeps,
  token: string,
): Promise<readonly UsableModel[]> {
  const access = await permissions.of(await callers.byHash(token, { tags: [], debug: false }));
  return registeredModels({ directory, clock }, (name) => access.allowsSomeOf(name));
}

/** The registered models whose names are allowed. */
export async function registeredModels(
  { directory, clock }: Pick<UsableModelsDeps, 'directory' | 'clock'>,
  allows: (name: string) => boolean,
): Promise<readonly UsableModel[]> {
  const { models } = await directory.registered();
  const today = clock.now().slice(0, 10);
  const byName = new Map<string, { readonly spoken: Set<ModelDialect>; readonly contexts: number[] }>();
  for (const { model_name: name, gateway_params } of models) {
    if (!allows(name)) continue;
    const known = byName.get(name) ?? { spoken: new Set(), contexts: [] };
    const { dialects } = providedModel(gateway_params.model)?.definition ?? { dialects: {} };
    for (const it of modelDialects) if (it in dialects) known.spoken.add(it);
    const context = gateway_params.max_input_tokens ?? (await pricesOf(gateway_params, today))?.context;
    if (context != null) known.contexts.push(context);
    byName.set(name, known);
  }
  return [...byName]
    .filter(([, { spoken }]) => spoken.size > 0)
    .map(([name, { spoken, contexts }]) => ({
      name,
      dialects: [...spoken],
      ...(contexts.length > 0 && { context: Math.min(...contexts) }),
    }));
}
