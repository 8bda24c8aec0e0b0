import { html, type PropertyValues, type TemplateResult } from 'lit';
import uPlot from 'uplot';
import { t } from '../../../shared/l10n.ts';
import { LightElement } from '../../../shared/lightElement.ts';
import { count } from '../../kit/format.ts';
import { legend } from './bars.ts';

export interface TrendDay {
  readonly date: string;
  readonly successful_requests: number;
  readonly failed_requests: number;
}
/** Pixels. */
const height = 300;

/** Requests of each day as two lines; the same numbers as a table below, for who cannot see the drawing. */
class TrendElement extends LightElement {
  static override properties = { days: { attribute: false } };
  declare days: readonly TrendDay[];
  #plot: uPlot | undefined;
  readonly #resized = new ResizeObserver(() => this.#resize());
  readonly #theme = matchMedia('(prefers-color-scheme: dark)');
  readonly #repaint = (): void => this.#draw();
  /** The editor writes the colors of another theme into the style of the page. */
  readonly #editorTheme = new MutationObserver(this.#repaint);

  override connectedCallback(): void {
    super.connectedCallback();
    this.#theme.addEventListener('change', this.#repaint);
    this.#editorTheme.observe(document.documentElement, { attributeFilter: ['style'] });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#theme.removeEventListener('change', this.#repaint);
    this.#editorTheme.disconnect();
    this.#resized.disconnect();
    this.#plot?.destroy();
    this.#plot = undefined;
  }

  protected override render(): TemplateResult {
    const total = this.days.reduce((sum, it) => sum + it.successful_requests + it.failed_requests, 0);
    return html`${legend()}
      <div class="plot" role="img" aria-label=${t('{0} requests over {1} days', count(total), this.days.length)}></div>
      <details><summary>${t('Daily figures')}</summary>
        <div class="table-frame short" tabindex="0" role="region" aria-label=${t('Daily figures')}><table aria-label=${t('Daily figures')}>
          <thead><tr><th scope="col">${t('Day')}</th><th scope="col" class="number">${t('Successful')}</th><th scope="col" class="number">${t('Failed')}</th></tr></thead>
          <tbody>${this.days.map((it) => html`<tr><th scope="row">${it.date}</th><td class="number">${count(it.successful_requests)}</td><td class="number">${count(it.failed_requests)}</td></tr>`)}</tbody>
        </table></div>
      </details>`;
  }

  protected override firstUpdated(): void {
    this.#resized.observe(this.#frame());
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('days')) this.#draw();
  }

  #frame(): HTMLElement {
    return this.querySelector<HTMLElement>('.plot')!;
  }

  #draw(): void {
    this.#plot?.destroy();
    const frame = this.#frame();
    const colour = (name: string) => this.#colour(name);
    const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--grid'), width: 1 }, ticks: { show: false } };
    const line = (label: string, name: string): uPlot.Series => {
      const stroke = this.#colour(name, 'none');
      const fill = `color-mix(in srgb, ${stroke} 12%, transparent)`;
      return { label, stroke, fill, width: 2, points: { show: this.days.length < 2 } };
    };
    this.#plot = new uPlot(
      {
        width: Math.max(200, frame.clientWidth),
        height,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false } },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
        scales: { y: { range: (_plot, _low, high) => [0, Math.max(4, high * 1.1)] } },
        axes: [
          { ...axis, values: (_plot, splits) => splits.map((it) => new Date(it * 1000).toISOString().slice(5, 10)) },
          { ...axis, size: 56, values: (_plot, splits) => splits.map((it) => (Number.isInteger(it) ? count(it) : '')) },
        ],
        series: [{}, line(t('Successful'), '--good'), line(t('Failed'), '--bad')],
      },
      [
        this.days.map((it) => Date.parse(`${it.date}T00:00:00Z`) / 1000),
        this.days.map((it) => it.successful_requests),
        this.days.map((it) => it.failed_requests),
      ],
      frame,
    );
  }

  /**
   * As a canvas understands it: a custom property is text until something is painted with it.
   *
   * @param adjust `none` if forced colors would give two lines the same color
   */
  #colour(name: string, adjust: 'auto' | 'none' = 'auto'): string {
    const { style } = this.#frame();
    style.color = `var(${name})`;
    style.forcedColorAdjust = adjust;
    const { color } = getComputedStyle(this.#frame());
    style.color = '';
    style.forcedColorAdjust = '';
    return color;
  }

  #resize(): void {
    const { clientWidth } = this.#frame();
    if (this.#plot && clientWidth > 0 && this.#plot.width !== clientWidth)
      this.#plot.setSize({ width: clientWidth, height });
  }
}
customElements.define('admin-trend', TrendElement);
