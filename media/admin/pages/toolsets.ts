import { ToolsetRecord } from '../../../sidecar/protocol/gateway/mcpServer.ts';
import { t } from '../../shared/l10n.ts';
import { fieldsOf } from '../form/formSpec.ts';
import { count, list } from '../kit/format.ts';
import { hint } from '../kit/notice.ts';
import { nameCell } from '../records/cells.ts';
import type { RowAction } from '../records/recordsElement.ts';
import { type RecordKind, SimpleRecords } from '../records/simpleRecords.ts';
import { pickOf, readToolChoice, type ToolChoice, toolsOf } from './toolsets/toolChoice.ts';

const pathOf = (it: ToolsetRecord): string => `/toolset/${encodeURIComponent(it.toolset_name)}/mcp`;
/** In the form the tools are ticked boxes, each with a name of its own. */
type FormRow = ToolsetRecord & { readonly picked?: readonly string[] };

const toolsets = (choice: () => ToolChoice): RecordKind<FormRow> => ({
  words: () => ({
    title: t('Toolsets'),
    intro: t(
      'Tools of several servers behind one address. A key that names a toolset gets these tools there, and no others.',
    ),
    create: t('New toolset'),
    icon: 'layers',
    empty: t('A toolset gives an agent the few tools that it needs, instead of all tools of all servers.'),
  }),
  list: (routes, signal) => routes.toolsets(signal),
  idOf: (it) => it.toolset_id,
  nameOf: (it) => it.toolset_name,
  columns: (open) => [
    { name: t('Toolset'), isWide: true, cell: (it) => nameCell(it.toolset_name, pathOf(it), () => open(it)) },
    { name: t('Description'), isWide: true, cell: (it) => it.description ?? '' },
    { name: t('Tools'), isNumber: true, cell: (it) => count(it.tools.length) },
    { name: t('Which'), cell: (it) => list(it.tools.map((tool) => tool.tool_name)) },
  ],
  form: () => [
    {
      title: t('Toolset'),
      fields: fieldsOf(ToolsetRecord, {
        toolset_name: {
          label: t('Name'),
          isRequired: true,
          help: t('Letters, digits, "_", "-" and ".".'),
        },
        description: { label: t('Description') },
      }),
    },
    {
      title: t('Tools'),
      note: choice().problem === undefined ? undefined : hint(choice().problem ?? '', 'warning'),
      fields: [{ name: 'picked', label: t('Which tools'), kind: 'picks', options: choice().options }],
    },
  ],
  save: (routes, { picked, ...body }, row) => {
    const tools = picked === undefined ? {} : { tools: toolsOf(picked) };
    return row
      ? routes.updateToolset({ ...body, ...tools, toolset_id: row.toolset_id })
      : routes.createToolset({ ...body, ...tools });
  },
  remove: (routes, it) => routes.deleteToolset(it.toolset_id),
  removeWords: () => t('Its address answers no more, and keys that name it get nothing from it.'),
});

class ToolsetsElement extends SimpleRecords<FormRow> {
  #choice: ToolChoice = { options: [] };
  protected override readonly kind = toolsets(() => this.#choice);

  protected override moreActions(row: FormRow): readonly RowAction[] {
    const address = `${this.session.place.baseUrl()}${pathOf(row)}`;
    const copy = () => void this.session.place.copy(address).then(() => this.tell(t('Copied: {0}', address)));
    return [{ id: 'copy', label: t('Copy the address'), icon: 'copy', run: copy }];
  }

  protected override async edit(row?: FormRow): Promise<void> {
    this.#choice = await readToolChoice(this.session.routes);
    await super.edit(row && { ...row, picked: row.tools.map((it) => pickOf(it.server_id, it.tool_name)) });
  }
}
customElements.define('admin-toolsets', ToolsetsElement);
