import { ToolsetRecord } from '../../../sidecar/protocol/gateway/mcpServer.ts';
import { t } from '../../shared/l10n.ts';
import { pickOf } from '../form/drafts.ts';
import { fieldsOf } from '../form/formSpec.ts';
import { count, list } from '../kit/format.ts';
import { hint } from '../kit/notice.ts';
import { nameCell } from '../records/cells.ts';
import { visible } from '../records/lookups.ts';
import type { RecordKind } from '../records/recordKind.ts';
import { serverName } from './servers/openServerForm.ts';
import { readToolChoice, toolsOf } from './toolsets/toolChoice.ts';

const pathOf = (it: ToolsetRecord): string => `/toolset/${encodeURIComponent(it.toolset_name)}/mcp`;

/** A toolset, and its tools with their servers. */
interface Toolset extends ToolsetRecord {
  readonly toolNames: readonly string[];
}

export const toolsets: RecordKind<Toolset> = {
  icon: 'layers',
  detail: 'toolset',
  words: () => ({
    title: t('Toolsets'),
    intro: t(
      'Tools from several servers at one address. A key that has a toolset gets exactly those tools at that address.',
    ),
    create: t('New toolset'),
    empty: t('A toolset gives an agent only the tools it needs instead of every tool on every server.'),
  }),
  list: async (routes, signal) => {
    const [rows, servers] = await Promise.all([routes.toolsets(signal), visible(routes.servers(signal))]);
    const names = new Map(servers.map((it) => [it.server_id, serverName(it)]));
    const nameOf = (it: ToolsetRecord['tools'][number]) => `${names.get(it.server_id) ?? it.server_id}/${it.tool_name}`;
    return rows.map((it) => ({ ...it, toolNames: it.tools.map(nameOf) }));
  },
  idOf: (it) => it.toolset_id,
  nameOf: (it) => it.toolset_name,
  columns: (open) => [
    {
      name: t('Toolset'),
      isWide: true,
      sort: 'name',
      sortValue: (it) => it.toolset_name,
      cell: (it) => nameCell(it.toolset_name, pathOf(it), () => open(it)),
    },
    { name: t('Description'), isWide: true, cell: (it) => it.description ?? '' },
    {
      name: t('Tools'),
      isNumber: true,
      sort: 'tools',
      sortValue: (it) => it.tools.length,
      cell: (it) => count(it.tools.length),
    },
    { name: t('Tool names'), isText: true, cell: (it) => list(it.toolNames) },
  ],
  actions: (row, { session, notify }) => {
    const address = `${session.place.baseUrl()}${pathOf(row)}`;
    const copy = () => void session.place.copy(address).then(() => notify(t('Copied: {0}', address)));
    return [{ id: 'copy', label: t('Copy the address'), icon: 'copy', run: copy }];
  },
  // The tools are ticked boxes, each with a name of its own.
  values: (row) => ({ ...row, picked: row.tools.map((it) => pickOf(it.server_id, it.tool_name)) }),
  form: async (_lookups, _row, routes) => {
    const { options, problem } = await readToolChoice(routes);
    return [
      {
        title: t('Toolset'),
        fields: fieldsOf(ToolsetRecord, {
          toolset_name: {
            label: t('Name'),
            isRequired: true,
            help: t('Use only letters, digits, "-", "_", and ".".'),
          },
          description: { label: t('Description') },
        }),
      },
      {
        title: t('Tools'),
        note: problem === undefined ? undefined : hint(problem, 'warning'),
        fields: [{ name: 'picked', label: t('Tools'), kind: 'picks', options }],
      },
    ];
  },
  save: (routes, { picked, ...body }, row) => {
    const tools = picked === undefined ? {} : { tools: toolsOf(picked) };
    return row
      ? routes.updateToolset({ ...body, ...tools, toolset_id: row.toolset_id })
      : routes.createToolset({ ...body, ...tools });
  },
  remove: (routes, it) => routes.deleteToolset(it.toolset_id),
  removalNote: () => t('Its address will stop working, and keys that use it will lose access to its tools.'),
};
