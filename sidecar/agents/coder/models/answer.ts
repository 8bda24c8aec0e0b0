import type { AssistantPart } from '../conversation/entries.ts';
import type { StreamPart, Usage } from './languageModel.ts';

/** Called with each piece of text as it arrives. `part` counts the parts of one answer. */
export type OnText = (kind: 'text' | 'reasoning', part: number, text: string) => void;

type OpenPart = Extract<AssistantPart, { type: 'text' | 'reasoning' }>;

/** One answer of a model, assembled from its stream. */
export class Answer {
  readonly parts: AssistantPart[] = [];
  usage: Usage | undefined;
  finish: string | undefined;
  readonly #onText: OnText;
  readonly #open = new Map<string, { readonly part: OpenPart; readonly at: number }>();

  constructor(onText: OnText) {
    this.#onText = onText;
  }

  /** @throws the error in the stream, which is not always an `Error` */
  take(part: StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#begin(part.type === 'text-start' ? 'text' : 'reasoning', part.id, part.providerMetadata);
        return;
      case 'text-delta':
      case 'reasoning-delta':
        return this.#grow(
          part.type === 'text-delta' ? 'text' : 'reasoning',
          part.id,
          part.delta,
          part.providerMetadata,
        );
      case 'text-end':
      case 'reasoning-end':
        return this.#mark(this.#open.get(`${part.type.slice(0, -4)} ${part.id}`)?.part, part.providerMetadata);
      case 'tool-call': {
        const call = { type: 'call', id: part.toolCallId, name: part.toolName, input: part.input } as const;
        const entry: AssistantPart = { ...call };
        this.#mark(entry, part.providerMetadata);
        this.parts.push(entry);
        return;
      }
      case 'finish':
        this.usage = part.usage;
        this.finish = part.finishReason.unified;
        return;
      case 'error':
        throw part.error;
      default: // metadata, sources, and raw parts
    }
  }

  /** The parts of an interrupted answer that are complete enough to keep. Calls and reasoning may be cut off. */
  get said(): readonly AssistantPart[] {
    return this.parts.filter((it) => it.type === 'text' && it.text !== '');
  }

  #begin(type: OpenPart['type'], id: string, meta: Metadata): void {
    const part: OpenPart = { type, text: '' };
    this.#mark(part, meta);
    this.#open.set(`${type} ${id}`, { part, at: this.parts.push(part) - 1 });
  }

  #grow(type: OpenPart['type'], id: string, text: string, meta: Metadata): void {
    if (!this.#open.has(`${type} ${id}`)) this.#begin(type, id, undefined);
    const { part, at } = this.#open.get(`${type} ${id}`)!;
    part.text += text;
    this.#mark(part, meta);
    if (text !== '') this.#onText(type, at, text);
  }

  #mark(part: AssistantPart | undefined, meta: Metadata): void {
    if (!part || !meta) return;
    part.meta = { ...part.meta, ...(JSON.parse(JSON.stringify(meta)) as NonNullable<AssistantPart['meta']>) };
  }
}

type Metadata = Extract<StreamPart, { type: 'text-start' }>['providerMetadata'];
