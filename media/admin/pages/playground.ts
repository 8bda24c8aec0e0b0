import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import * as z from 'zod';
import type { ToolAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { t } from '../../shared/l10n.ts';
import { form } from '../form/form.ts';
import type { FormField } from '../form/formSpec.ts';
import { AdminElement, isAdministrator } from '../kit/adminElement.ts';
import { count, escaped } from '../kit/format.ts';
import { pageLink } from '../kit/links.ts';
import { Loader } from '../kit/loader.ts';
import { emptyState, failure, hint } from '../kit/notice.ts';
import { type Option, select } from '../kit/select.ts';
import { tabList } from '../kit/tabs.ts';
import { visible } from '../records/lookups.ts';
import { drawAnswer } from './playground/answer.ts';
import './servers/toolTester.ts';

/** Calls tools, agents and models as the key that signed in: the calls are judged, counted and recorded like any other. */
class PlaygroundElement extends AdminElement {
  readonly #choices = new Loader<readonly Option[]>(this, (signal) => this.#readChoices(signal));
  readonly #tools = new Loader<{ readonly tools: readonly ToolAnswer[]; readonly problem: string | undefined }>(
    this,
    async (signal) => {
      const { tools, error, message } = await this.session.routes.tools(this.query['server'], signal);
      return { tools, problem: error ? (message ?? error) : undefined };
    },
  );
  #answer: { readonly text: string; readonly note?: string } | undefined;

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has('query')) return;
    const before = (changed.get('query') as Readonly<Record<string, string>> | undefined) ?? {};
    const { tab, server } = this.query;
    if (before['tab'] !== tab || !this.#choices.value) {
      this.#choices.value = undefined;
      void this.#choices.run();
    }
    if (this.#tab() === 'tools' && server && before['server'] !== server) {
      this.#tools.value = undefined;
      void this.#tools.run();
    }
    this.#answer = undefined;
  }

  /** In the editor, pages may call no models and agents: chats do. */
  #tabs() {
    const tools = { id: 'tools', label: t('Tools') };
    if (!this.session.place.signsIn) return [tools];
    return [tools, { id: 'agents', label: t('Agents') }, { id: 'models', label: t('Models') }];
  }

  #tab(): string {
    return this.#tabs().find((it) => it.id === this.query['tab'])?.id ?? 'tools';
  }

  async #readChoices(signal: AbortSignal): Promise<readonly Option[]> {
    const { routes } = this.session;
    switch (this.#tab()) {
      case 'agents':
        return (await visible(routes.agents(signal))).map((it) => ({ value: it.agent_id, label: it.agent_name }));
      case 'models':
        return (await visible(routes.ownModels(signal)))
          .filter((it) => !it.endsWith('*'))
          .map((it) => ({ value: it, label: it }));
      default:
        return (await visible(routes.servers(signal))).map((it) => ({
          value: it.server_id,
          label: it.alias || it.server_name || it.server_id,
        }));
    }
  }

  protected override render(): TemplateResult {
    const tab = this.#tab();
    const { own } = this.session;
    return html`<header class="page-head"><div><h1>${t('Playground')}</h1>
        <p class="muted">${t('Try tools, agents, and models with your own key ({0}). Calls are recorded, and they count against limits and budgets.', own.key_alias || own.key_name)}</p></div></header>
      ${this.session.place.signsIn ? nothing : hint(t('To call agents and models in VS Code, start a session.'))}
      ${tabList(t('Playground'), this.#tabs(), tab, (id) => this.ask({ tab: id, server: '', tool: '', agent: '', model: '' }))}
      <div id="tab-panel" role="tabpanel" aria-labelledby="tab-${tab}">
        ${failure(this.#choices.error, () => void this.#choices.run())}
        ${tab === 'tools' ? this.#toolPanel() : this.#textPanel(tab === 'agents' ? 'agent' : 'model')}
      </div>`;
  }

  #picker(name: 'server' | 'agent' | 'model' | 'tool', label: string, options: readonly Option[]): TemplateResult {
    const choose = { value: '', label: t('Choose…') };
    const change = (value: string) => this.ask(name === 'server' ? { server: value, tool: '' } : { [name]: value });
    return select(label, this.query[name] ?? '', [choose, ...options], change);
  }

  #toolPanel(): TemplateResult {
    const servers = this.#choices.value;
    if (servers?.length === 0) return this.#nothingToTry();
    const { value } = this.#tools;
    const { server, tool } = this.query;
    const tools = (value?.tools ?? []).map((it) => ({ value: it.name, label: escaped(it.name) }));
    const chosen = value?.tools.find((it) => it.name === tool);
    return html`<div class="filters">
        ${this.#picker('server', t('MCP server'), servers ?? [])}
        ${server ? this.#picker('tool', t('Tool'), tools) : nothing}
      </div>
      ${failure(this.#tools.error ?? value?.problem, () => void this.#tools.run())}
      ${servers && !server ? firstStep(t('Choose an MCP server'), t('Then choose one of its tools.')) : nothing}
      ${server && value && tools.length > 0 && !chosen ? firstStep(t('Choose a tool'), t('A form for its arguments appears here.')) : nothing}
      ${server && this.#tools.isLoading ? html`<p class="muted" aria-busy="true">${t('Contacting the server…')}</p>` : nothing}
      ${chosen && server ? html`<section class="card"><h2>${t('Tool')}</h2><admin-tool-tester .session=${this.session} .tool=${chosen} .serverId=${server}></admin-tool-tester></section>` : nothing}`;
  }

  #textPanel(name: 'agent' | 'model'): TemplateResult {
    const choices = this.#choices.value;
    if (choices?.length === 0) return this.#nothingToTry();
    const chosen = this.query[name];
    const field: FormField = { name: 'text', label: t('Message'), kind: 'long', isRequired: true };
    const send = async (body: Record<string, unknown>) => {
      this.#answer = undefined;
      this.requestUpdate();
      const text = String(body['text']);
      this.#answer = name === 'model' ? await this.#askModel(chosen!, text) : await this.#askAgent(chosen!, text);
      this.requestUpdate();
    };
    return html`<div class="filters">${this.#picker(name, name === 'agent' ? t('Agent') : t('Model'), choices ?? [])}</div>
      ${
        chosen
          ? html`<section class="card"><h2>${t('Message')}</h2>
            ${form({ submitLabel: t('Send'), groups: () => [{ title: t('Message'), fields: [field] }], submit: send })}
            <div aria-live="polite">${this.#answer ? drawAnswer(this.#answer.text, this.#answer.note) : nothing}</div>
          </section>`
          : choices
            ? firstStep(
                name === 'agent' ? t('Choose an agent') : t('Choose a model'),
                t('You can then send it a message. Its answer appears here.'),
              )
            : nothing
      }`;
  }

  /** What is missing, and where whoever may add it does, or whoever may not can ask for it. */
  #nothingToTry(): TemplateResult {
    const mayAdd = isAdministrator(this.session);
    const link = (page: string, words: string) => pageLink({ page }, words);
    const missing = {
      tools: {
        words: t('There is no MCP server that your key may use.'),
        next: mayAdd
          ? link('mcp_servers', t('Add an MCP server'))
          : link('catalog', t('Request access in the catalog')),
      },
      agents: {
        words: t('There is no agent that your key may use.'),
        next: mayAdd ? link('agents', t('Add an agent')) : t('Ask an administrator for one.'),
      },
      models: {
        words: t('There is no model that your key may use.'),
        next: mayAdd ? link('models', t('Add a model')) : t('Ask an administrator for one.'),
      },
    }[this.#tab() as 'tools' | 'agents' | 'models'];
    return emptyState('beaker', t('Nothing to try yet'), missing.words, html`${missing.next}`);
  }

  async #askModel(model: string, content: string) {
    const { choices, usage } = await this.session.routes.chat({ model, messages: [{ role: 'user', content }] });
    const text = choices.map((it) => it.message.content ?? '').join('\n');
    return {
      text,
      ...(usage && { note: t('{0} tokens in, {1} out', count(usage.prompt_tokens), count(usage.completion_tokens)) }),
    };
  }

  async #askAgent(agent: string, text: string) {
    const { routes, api } = this.session;
    const message = {
      kind: 'message',
      role: 'user',
      messageId: `playground-${api.now}`,
      parts: [{ kind: 'text', text }],
    };
    const body = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
    const { result, error } = await routes.message(agent, body);
    if (error) return { text: error.message };
    return { text: textOf(result) };
  }
}
customElements.define('admin-playground', PlaygroundElement);

/** What to do where nothing is chosen yet. */
const firstStep = (title: string, words: string): TemplateResult =>
  html`<div class="table-frame">${emptyState('beaker', title, words)}</div>`;

const Parts = z.array(z.looseObject({ text: z.string().optional() }));
const Result = z.object({
  parts: Parts.optional(),
  artifacts: z.array(z.object({ parts: Parts })).optional(),
  status: z.object({ message: z.object({ parts: Parts }).nullish() }).optional(),
});

/** What an agent says in its message or task; all of it as JSON where that is no text. */
function textOf(result: unknown): string {
  const { data } = Result.safeParse(result);
  const parts = [
    data?.parts ?? [],
    ...(data?.artifacts ?? []).map((it) => it.parts),
    data?.status?.message?.parts ?? [],
  ];
  const texts = parts.flat().flatMap((it) => it.text ?? []);
  return texts.length > 0 ? texts.join('\n') : JSON.stringify(result, null, 2);
}
