import type { Guidance } from '../../agents/memory.ts';
import type { ChildCustomization, Customization } from '../../protocol/channels/session/customizations.ts';
import { pathOf } from '../context/paths.ts';

/** The enabled rules and skills of a session that are files. */
export function guidanceOf(customizations: readonly Customization[] = []): readonly Guidance[] {
  return customizations.flatMap((it) =>
    it.type !== 'mcpServer' && it.enabled && 'children' in it
      ? ((it.children ?? []) as readonly ChildCustomization[]).flatMap(toGuidance)
      : [],
  );
}

function toGuidance(child: ChildCustomization): readonly Guidance[] {
  if ((child.type !== 'rule' && child.type !== 'skill') || child.enabled === false) return [];
  if (child.type === 'skill' && child.disableModelInvocation === true) return [];
  const path = pathOf(child.uri);
  if (path === undefined) return [];
  const { type: kind, name, description } = child;
  const globs = child.type === 'rule' && child.alwaysApply !== true ? child.globs : undefined;
  return [{ kind, name, path, ...(description !== undefined && { description }), ...(globs && { globs }) }];
}
