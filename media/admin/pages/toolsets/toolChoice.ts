import { t } from '../../../shared/l10n.ts';
import { pickOf, readPick } from '../../form/drafts.ts';
import type { Routes } from '../../gateway.ts';
import type { Option } from '../../kit/select.ts';
import { visible } from '../../records/lookups.ts';

export interface ToolChoice {
  /** A tool each, grouped by server. */
  readonly options: readonly Option[];
  /** Said where not every server told its tools. */
  readonly problem?: string;
}

/** What the ticked boxes mean to the gateway. */
export function toolsOf(picked: unknown): readonly { readonly server_id: string; readonly tool_name: string }[] {
  return (Array.isArray(picked) ? picked.map(String) : []).map((it) => {
    const { server, tool } = readPick(it);
    return { server_id: server, tool_name: tool };
  });
}

/** Every tool that can be chosen now. */
export async function readToolChoice(routes: Routes): Promise<ToolChoice> {
  const [servers, listed] = await Promise.all([visible(routes.servers()), routes.tools()]);
  const names = new Map(servers.map((it) => [it.server_id, it.alias || it.server_name || it.server_id]));
  const options = listed.tools.flatMap(({ name, mcp_info }) => {
    const server = mcp_info?.server_id;
    return server ? [{ value: pickOf(server, name), label: name, group: names.get(server) ?? server }] : [];
  });
  if (!listed.error) return { options };
  const why = listed.message ?? listed.error;
  return {
    options,
    problem: t('The list below is incomplete because some servers did not return their tools: {0}', why),
  };
}
