import type { ChildCustomization, Customization } from './customizations.ts';

type CustomAgent = Extract<ChildCustomization, { type: 'agent' }>;

/** The custom agents among customizations that a person may choose for a message. */
export function customAgentsOf(customizations: readonly Customization[] = []): readonly CustomAgent[] {
  return customizations.flatMap((holder) =>
    holder.enabled && 'children' in holder
      ? (holder.children ?? []).flatMap((it) =>
          it.type === 'agent' && it.enabled !== false && !it.disableUserInvocation ? [it] : [],
        )
      : [],
  );
}
