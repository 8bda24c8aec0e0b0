import { html, nothing, type TemplateResult } from 'lit';
import type { OpenApiPreview } from '../../../../sidecar/protocol/gateway/openapi.ts';
import { t } from '../../../shared/l10n.ts';
import type { Draft } from '../../form/drafts.ts';
import { AdminElement } from '../../kit/adminElement.ts';
import { escaped } from '../../kit/format.ts';
import { wordsOf } from '../../kit/loader.ts';
import { emptyState, failure, hint } from '../../kit/notice.ts';
import { type Column, dataTable } from '../../kit/table.ts';
import { badge } from '../../records/cells.ts';

type Operation = OpenApiPreview['operations'][number];

/** What the form says of an OpenAPI service, as far as its document decides the tools. */
export function draftApi(current: (name: string) => Draft): Readonly<Record<string, unknown>> {
  const filter = (name: string) =>
    Object.fromEntries(
      ['operations', 'tags', 'methods', 'paths'].map((it) => [it, namesIn(current(`openapi.${name}.${it}`))]),
    );
  const url = String(current('url') ?? '').trim();
  return {
    alias: 'preview',
    transport: 'http',
    spec_path: String(current('spec_path') ?? '').trim(),
    ...(url !== '' && { url }),
    allow_private_network: String(current('allow_private_network')) === 'true',
    openapi: { include: filter('include'), exclude: filter('exclude') },
  };
}

/** Lines that were entered, or a list as it is kept. */
function namesIn(draft: Draft): readonly string[] {
  const text = String(draft ?? '').trim();
  if (text.startsWith('[')) return JSON.parse(text) as string[];
  return text.split('\n').flatMap((it) => it.trim() || []);
}

/** Asks the gateway for the operations of a document that is not saved, and shows which of them would be tools. */
class ApiPreviewElement extends AdminElement {
  static override properties = { ...AdminElement.properties, draft: { attribute: false } };
  declare draft: Readonly<Record<string, unknown>>;
  #found: OpenApiPreview | undefined;
  #failed: string | undefined;
  #isBusy = false;

  protected override render(): TemplateResult {
    return html`<button type="button" class="button" ?disabled=${this.#isBusy} @click=${this.#read}>${t('Show operations')}</button>
      <div aria-live="polite">${failure(this.#failed)}${this.#found ? drawApi(this.#found) : nothing}</div>`;
  }

  readonly #read = async (): Promise<void> => {
    this.#show(undefined, undefined, true);
    try {
      const { openapi, error, message } = await this.session.routes.tryTools(this.draft);
      this.#show(openapi ?? undefined, error ? (message ?? error) : undefined, false);
    } catch (thrown) {
      this.#show(undefined, wordsOf(thrown), false);
    }
  };

  #show(found: OpenApiPreview | undefined, failed: string | undefined, isBusy: boolean): void {
    this.#found = found;
    this.#failed = failed;
    this.#isBusy = isBusy;
    this.requestUpdate();
  }
}
customElements.define('admin-api-preview', ApiPreviewElement);

const columns = (): readonly Column<Operation>[] => [
  { name: t('Tool'), isWide: true, cell: (it) => html`${escaped(it.name)}<small class="reason">${it.summary}</small>` },
  { name: t('Request'), cell: (it) => html`<code>${it.method.toUpperCase()} ${it.path}</code>` },
  { name: t('State'), cell: stateCell },
];

function drawApi({ title, version, base_url, base_url_problem, operations }: OpenApiPreview): TemplateResult {
  const tools = operations.filter((it) => !it.is_left_out && !it.problem).length;
  return html`<p>${t('{0} {1}: {2} of {3} operations are tools.', title, version, tools, operations.length)}</p>
    ${base_url_problem ? failure(base_url_problem) : hint(t('Calls go to {0}.', base_url ?? ''))}
    ${dataTable({
      label: t('Operations'),
      columns: columns(),
      rows: operations,
      idOf: (it) => it.name,
      isLoading: false,
      empty: emptyState('tools', t('No operations'), t('The document has no operations.')),
    })}`;
}

function stateCell({ problem, is_left_out }: Operation): TemplateResult {
  if (problem) return html`${badge('warn', 'warning', t('Not possible'))}<small class="reason">${problem}</small>`;
  return is_left_out ? badge('quiet', 'circle-slash', t('Left out')) : badge('good', 'pass', t('Tool'));
}
