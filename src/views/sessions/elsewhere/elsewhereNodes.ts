import type { ConversationInfo } from '../../../../sidecar/protocol/channels/root/conversations.ts';
import type { AgentInfo } from '../../../../sidecar/protocol/channels/root/schema.ts';
import { visibleText } from '../../../../sidecar/protocol/visibleText.ts';
import { shortAge } from '../../../platform/ages.ts';
import { fromHost, type Localizer } from '../../../platform/localizer.ts';
import { cloudText } from '../cloudWords.ts';

/** Conversations that agents keep and that began elsewhere. They are below their agents, in one group. */
export type ElsewhereNode =
  | { readonly kind: 'elsewhere'; readonly id: 'elsewhere'; readonly label: string }
  | { readonly kind: 'keeper'; readonly id: string; readonly provider: string; readonly label: string }
  | {
      readonly kind: 'conversation';
      readonly id: string;
      readonly provider: string;
      /** The agent's own. */
      readonly conversation: string;
      readonly label: string;
      readonly description: string;
    }
  /** Instead of conversations. */
  | { readonly kind: 'keeperNote'; readonly id: string; readonly label: string };

/** What is known about the conversations of an agent. */
export type Kept =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly why: string }
  | { readonly state: 'loaded'; readonly items: readonly ConversationInfo[] };

type Agents = readonly Pick<AgentInfo, 'provider' | 'displayName' | 'capabilities'>[];

/** The group, if an agent lists the conversations that it keeps. */
export function elsewhereNode(l10n: Localizer, agents: Agents): ElsewhereNode[] {
  const label = l10n.t('Made Elsewhere');
  return keepers(agents).length === 0 ? [] : [{ kind: 'elsewhere', id: 'elsewhere', label }];
}

export function keeperNodes(agents: Agents): ElsewhereNode[] {
  return keepers(agents).map(({ provider, displayName: label }) => ({
    kind: 'keeper',
    id: `keeper/${provider}`,
    provider,
    label,
  }));
}

export function conversationNodes(l10n: Localizer, provider: string, kept: Kept, nowMs: number): ElsewhereNode[] {
  const note = (label: string): ElsewhereNode[] => [{ kind: 'keeperNote', id: `keeper/${provider}/note`, label }];
  if (kept.state === 'loading') return note(l10n.t('Loading…'));
  if (kept.state === 'failed') return note(fromHost(l10n, kept.why));
  if (kept.items.length === 0) return note(l10n.t('No other sessions'));
  return kept.items.map(({ id, title, cloud, updatedAt }) => ({
    kind: 'conversation',
    id: `keeper/${provider}/${id}`,
    provider,
    conversation: id,
    label: visibleText(title),
    description: [
      ...(cloud ? [cloudText(l10n, cloud), visibleText(cloud.repository ?? '')] : []),
      updatedAt === undefined ? '' : shortAge(l10n, updatedAt, nowMs),
    ]
      .filter((it) => it !== '')
      .join(' · '),
  }));
}

const keepers = (agents: Agents) => agents.filter((it) => it.capabilities?.conversations !== undefined);
